import type { WantedThing } from '../wire/python-load.ts';

/** Something that a strategy has asked for and that was not handed over. Whoever has it begins again with it. */
export class Wanted extends Error {
  override readonly name = 'Wanted';
  readonly what: WantedThing;

  constructor(what: WantedThing) {
    super(
      what === 'account'
        ? 'The strategy asks for the account.'
        : `The strategy asks for ${what.symbol} on ${what.timeframe} (${what.kind}).`,
    );
    this.what = what;
  }
}
