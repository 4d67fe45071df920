/** An answer that is a file to be saved: its name, of letters, digits, '.', '-' and '_', and what is in it. */
export class FileAnswer {
  readonly name: string;
  readonly bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    this.name = name;
    this.bytes = bytes;
  }
}
