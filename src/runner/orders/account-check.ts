import type { MarketType } from '#engine/market/instrument.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { minus, plus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import type { ExpectedHolding } from '#storage/differences/differences.ts';
import { endDifference, expectedHoldings, noteDifference, openDifferences } from '#storage/differences/differences.ts';

/**
 * Compares what an account holds with what the trades of its bots say. A difference counts when it has lasted two checks: what is
 * held changes while one looks. Nothing is ever put right by trading: a person decides.
 *
 * On perpetuals a position must be what the trades say, on spot at least as much: coins that a person keeps there are no matter. What
 * orders without a record have bought is.
 */
export class AccountCheck {
  readonly #db: Database;
  readonly #trading: Trading;
  readonly #marketType: MarketType;
  readonly #seen = new Set<string>(); // symbols that differed at the check before

  constructor(db: Database, trading: Trading, marketType: MarketType) {
    this.#db = db;
    this.#trading = trading;
    this.#marketType = marketType;
  }

  /** Checks all symbols of the account's bots; gives those that differ and have not been noted yet. Fails: ExchangeError */
  async run(): Promise<string[]> {
    const { accountId } = this.#trading;
    const before = await expectedHoldings(this.#db, accountId, this.#marketType);
    if (before.length === 0) return [];
    const actual = await this.#actual(before);
    // What has begun to move while the exchange was asked is left for the next time.
    const after = new Map((await expectedHoldings(this.#db, accountId, this.#marketType)).map((each) => [each.symbol, each]));
    const open = new Set((await openDifferences(this.#db, accountId)).map(({ botId, symbol }) => `${botId} ${symbol}`));
    const doubtful: string[] = [];
    for (const holding of before) {
      const { botId, symbol, expected, ignored } = holding;
      const now = after.get(symbol);
      if (holding.isMoving || now === undefined || now.isMoving || now.expected !== expected) continue;
      const held = this.#counted(holding, toNumber(minus(toDecimal(actual.get(symbol) ?? 0), toDecimal(ignored))));
      if (!this.#differs(holding, held)) {
        this.#seen.delete(symbol);
        if (open.has(`${botId} ${symbol}`)) await endDifference(this.#db, botId, symbol);
      } else if (this.#seen.has(symbol)) await noteDifference(this.#db, { botId, symbol, expected, actual: held });
      else {
        this.#seen.add(symbol);
        doubtful.push(symbol);
      }
    }
    await noteAccountCheck(this.#db, accountId, this.#marketType);
    return doubtful;
  }

  /**
   * What of a holding counts. On spot what is beyond the trades is its owner's, but for what orders without a record have bought; and
   * what they have sold is missing, whatever else lies there.
   */
  #counted({ expected, unrecorded }: ExpectedHolding, held: number): number {
    if (this.#marketType === 'futures') return held;
    return Math.min(held, Math.max(0, toNumber(plus(toDecimal(expected), toDecimal(unrecorded)))));
  }

  #differs({ expected, step }: ExpectedHolding, held: number): boolean {
    const more = toNumber(minus(toDecimal(held), toDecimal(expected)));
    return Math.abs(more) > step;
  }

  /** What the exchange holds of each symbol. */
  async #actual(wanted: readonly ExpectedHolding[]): Promise<Map<string, number>> {
    if (this.#marketType === 'futures') {
      const positions = await this.#trading.positions();
      return new Map(positions.map(({ symbol, direction, amount }) => [symbol, direction === 'long' ? amount : -amount]));
    }
    const balances = new Map(
      (await this.#trading.balances()).map(({ currency, free, locked }) => [currency, toNumber(plus(toDecimal(free), toDecimal(locked)))]),
    );
    return new Map(wanted.map(({ symbol }) => [symbol, balances.get(currenciesOf(symbol).base) ?? 0]));
  }
}
