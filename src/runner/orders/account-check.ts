import type { MarketType } from '#engine/market/instrument.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { minus, plus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import type { ExpectedHolding } from '#storage/differences/differences.ts';
import { differingBot, endDifference, expectedHoldings, noteDifference, openDifferences } from '#storage/differences/differences.ts';

/** The orders that stand at the exchange, as the order room of the account knows them. */
export interface StandingOrders {
  /** Has the exchange asked about all that stand in a symbol. */
  doubt(symbol: string): void;
  /** Whether the exchange was asked about each of these since. */
  isCertainOf(clientOrderIds: readonly string[]): boolean;
}

/** A difference that was seen so often counts also when orders are not known: nobody follows them. */
const seenOften = 5;

/**
 * Compares what an account holds with what the trades of its bots say. A difference counts when it has lasted two checks, and the exchange
 * was asked in between about the orders that stand there: what is held changes while one looks, and a process or a database that stood
 * still has missed what was filled meanwhile. Nothing is ever put right by trading: a person decides.
 *
 * On perpetuals a position must be what the trades say, on spot at least as much: coins that a person keeps there are no matter. What
 * orders without a record have bought is.
 */
export class AccountCheck {
  readonly #db: Database;
  readonly #trading: Trading;
  readonly #marketType: MarketType;
  readonly #orders: StandingOrders;
  readonly #seen = new Map<string, number>(); // symbols that differed at the check before, and at how many

  constructor(db: Database, trading: Trading, marketType: MarketType, orders: StandingOrders) {
    this.#db = db;
    this.#trading = trading;
    this.#marketType = marketType;
    this.#orders = orders;
  }

  /** Checks all symbols of the account's bots; gives those that differ and have not been noted yet. Fails: ExchangeError */
  async run(): Promise<string[]> {
    const { accountId } = this.#trading;
    const before = await expectedHoldings(this.#db, accountId, this.#marketType);
    if (before.length === 0) return [];
    const actual = await this.#actual(before);
    // What has begun to move while the exchange was asked is left for the next time.
    const after = new Map((await expectedHoldings(this.#db, accountId, this.#marketType)).map((each) => [each.symbol, each]));
    const open = await openDifferences(this.#db, accountId);
    const doubtful: string[] = [];
    for (const holding of before) {
      const { symbol, expected, ignored } = holding;
      const now = after.get(symbol);
      if (holding.isMoving || now === undefined || now.isMoving || now.expected !== expected) continue;
      const held = this.#counted(holding, toNumber(minus(toDecimal(actual.get(symbol) ?? 0), toDecimal(ignored))));
      if (!this.#differs(holding, held)) {
        this.#seen.delete(symbol);
        for (const known of open) if (known.symbol === symbol) await endDifference(this.#db, known.botId, symbol);
      } else if (this.#counts(now)) await this.#note(holding, held, open);
      else doubtful.push(symbol);
    }
    await noteAccountCheck(this.#db, accountId, this.#marketType);
    return doubtful;
  }

  /** Whether a difference was seen before, and what stands there is known. One that is new has its orders asked about. */
  #counts({ symbol, standing }: ExpectedHolding): boolean {
    const times = this.#seen.get(symbol) ?? 0;
    this.#seen.set(symbol, times + 1);
    if (times === 0) this.#orders.doubt(symbol);
    return times > 0 && (times >= seenOften || this.#orders.isCertainOf(standing));
  }

  /** Notes a difference with the bot whose trade lacks something; one that is open stays with its bot, unless that holds nothing there any more. */
  async #note(holding: ExpectedHolding, actual: number, open: readonly { botId: string; symbol: string }[]): Promise<void> {
    const { symbol, expected, holders } = holding;
    const [known] = open.filter((each) => each.symbol === symbol);
    const isLess = expected > 0 ? actual < expected : actual > expected;
    const isStuck = known !== undefined && isLess && holders.length > 0 && !holders.includes(known.botId);
    if (isStuck) await endDifference(this.#db, known.botId, symbol);
    const botId = (isStuck ? undefined : known?.botId) ?? differingBot(holding, actual);
    await noteDifference(this.#db, { botId, symbol, expected, actual });
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
