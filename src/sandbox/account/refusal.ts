/** An order or request that an account refuses, with the code and the words of the exchange. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
