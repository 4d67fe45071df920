/** A day that cannot be replayed, for a reason that people can read. */
export class CannotReplay extends Error {
  readonly mayPass: boolean; // then it is tried again

  constructor(why: string, mayPass = false) {
    super(why);
    this.mayPass = mayPass;
  }
}
