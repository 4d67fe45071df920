import { secondMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { minus, plus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { Position, Trading } from '#engine/ports/trading.ts';
import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import type { ExpectedHolding, OpenDifference } from '#storage/differences/differences.ts';
import {
  differingBot,
  endAgreed,
  endDifference,
  expectedHoldings,
  isStill,
  noteDifference,
  openDifferences,
  staysIn,
  whileStill,
} from '#storage/differences/differences.ts';
import { notePositionMargins } from '#storage/trades/position-margins.ts';
import { sharesOfCoin } from './shares-of-coin.ts';

/** The orders that stand at the exchange, as the order room of the account knows them. */
export interface StandingOrders {
  /** Has the exchange asked about all that stand in a symbol. */
  doubt(symbol: string): void;
  /** Whether the exchange was asked about each of these since. */
  isCertainOf(clientOrderIds: readonly string[]): boolean;
}

/** What was seen so often before counts also when orders are not known: nobody follows them. */
const seenOften = 5;

/** Looks that begin within so many ms are one: each bot of an account that starts looks at it. */
const oneLookMs = secondMs;

/**
 * What is less than so many amount steps of each trade is not a difference. Positions are whole steps. Of coins a fee may have left a part of one;
 * a whole one can be sold, and a trade may be no larger.
 */
const smallestDifference = (marketType: MarketType): number => (marketType === 'futures' ? 0.5 : 1);

/** After so many looks a difference is gone or noted. */
export const looksUntilNoted: number = seenOften + 1;

/**
 * Compares what an account holds with what the trades of its bots say. A difference counts when it has lasted two checks, and the exchange
 * was asked in between about the orders that stand there: what is held changes while one looks, and a process or a database that stood
 * still has missed what was filled meanwhile. For the same reason one is gone, where orders stand, when two checks agree. Nothing is ever
 * put right by trading: a person decides.
 *
 * On perpetuals a position must be what the trades say, on spot at least as much: coins that a person keeps there are no matter. What
 * orders without a record have bought is. On spot the trades of all symbols of a coin share its balance. While one of them moves, what the
 * balance lacks of another alone is noted, and nothing is ended: coins of the one that moves count there too.
 *
 * Of positions it also notes leverage and margin mode: somebody may have changed them at the exchange, and with them the liquidation price.
 */
export class AccountCheck {
  readonly #db: Database;
  readonly #trading: Trading;
  readonly #marketType: MarketType;
  readonly #orders: StandingOrders;
  readonly #now: () => number;
  readonly #seen = new Map<string, { isDifferent: boolean; times: number; at: number }>(); // what the last checks saw of symbols in doubt, how many of them, and when the last

  /** `now` gives ms of a clock that nobody sets. */
  constructor(db: Database, trading: Trading, marketType: MarketType, orders: StandingOrders, now = (): number => performance.now()) {
    this.#db = db;
    this.#trading = trading;
    this.#marketType = marketType;
    this.#orders = orders;
    this.#now = now;
  }

  /** Checks all symbols of the account's bots; gives those that differ and have not been noted yet. `now` is another clock for this look. Fails: ExchangeError */
  async run(now = this.#now): Promise<string[]> {
    const { accountId } = this.#trading;
    const before = await expectedHoldings(this.#db, accountId, this.#marketType);
    if (before.length === 0) return [];
    const positions = this.#marketType === 'futures' ? await this.#trading.positions() : [];
    const actual = this.#marketType === 'futures' ? amountsOf(positions) : await this.#balances(before);
    // What has begun to move while the exchange was asked is left for the next time.
    const after = new Map((await expectedHoldings(this.#db, accountId, this.#marketType)).map((each) => [each.symbol, each]));
    const open = await openDifferences(this.#db, accountId);
    const doubtful: string[] = [];
    const lacking = new Set(open.map(({ symbol }) => symbol));
    const resting = new Set<string>();
    for (const group of this.#compared(before)) {
      const current = group.flatMap(({ symbol }) => after.get(symbol) ?? []);
      const still = group.filter((each) => isStill(each, after.get(each.symbol)));
      const isWhole = still.length === group.length;
      // Beside one that moves each other is compared alone: all that lies there counts for it.
      const held = new Map((isWhole ? [group] : still.map((each) => [each])).flatMap((each) => [...this.#held(each, actual, lacking)]));
      const smallest = group.reduce((sum, each) => sum + each.step, 0) * smallestDifference(this.#marketType);
      for (const holding of still) {
        const { symbol } = holding;
        resting.add(symbol);
        // What one bot has bought without a record and another has sold are two questions, whatever the sum of both says.
        if (holding.isMixed) continue;
        const amount = held.get(symbol) ?? 0;
        if (!isWhole && !(differs(holding, amount, smallest) && lacksMore(holding, amount, open))) continue;
        const known = open.filter((each) => each.symbol === symbol);
        const isDifferent = differs(holding, amount, smallest);
        // A fill that is not known yet may agree by chance with what is missing.
        const isDoubtful = isDifferent || (known.length > 0 && current.some(({ standing }) => standing.length > 0));
        if (!isDoubtful) this.#seen.delete(symbol);
        else if (!this.#counts(symbol, isDifferent, current, now())) {
          doubtful.push(symbol);
          continue;
        }
        if (!isDifferent && known.length === 0) continue;
        const account = { apiKeyId: accountId, marketType: this.#marketType };
        await whileStill(this.#db, account, holding, async (trx) => {
          if (isDifferent) return await note(trx, account, holding, amount, known);
          for (const { botId } of known) await endAgreed(trx, botId, symbol);
        });
      }
    }
    if (this.#marketType === 'futures')
      await notePositionMargins(
        this.#db,
        accountId,
        [...resting],
        positions.filter(({ symbol }) => resting.has(symbol)),
      );
    // What is still in doubt is not known to agree: the look that decides it comes soon.
    if (doubtful.length === 0) await noteAccountCheck(this.#db, accountId, this.#marketType);
    return doubtful;
  }

  /** The holdings that are compared together: on spot those of one coin, which lie in one balance. */
  #compared(holdings: readonly ExpectedHolding[]): ExpectedHolding[][] {
    const of = ({ symbol }: ExpectedHolding): string => (this.#marketType === 'futures' ? symbol : currenciesOf(symbol).base);
    return [...Map.groupBy(holdings, of).values()];
  }

  /** What counts as held of each of these symbols. */
  #held(group: readonly ExpectedHolding[], actual: ReadonlyMap<string, number>, lacking: ReadonlySet<string>): ReadonlyMap<string, number> {
    const [first] = group;
    if (first === undefined) return new Map();
    const there = actual.get(first.symbol) ?? 0;
    if (this.#marketType === 'spot') return sharesOfCoin(group, there, lacking);
    return new Map([[first.symbol, toNumber(minus(toDecimal(there), toDecimal(first.ignored)))]]);
  }

  /** Whether the same was seen before, and what stands there is known. Of what is new the orders are asked about. */
  #counts(symbol: string, isDifferent: boolean, compared: readonly ExpectedHolding[], at: number): boolean {
    const seen = this.#seen.get(symbol);
    const { times, at: before } = seen?.isDifferent === isDifferent ? seen : { times: 0, at: -Infinity };
    if (at - before < oneLookMs) return false;
    this.#seen.set(symbol, { isDifferent, times: times + 1, at });
    if (times === 0) for (const each of compared) this.#orders.doubt(each.symbol);
    return times > 0 && (times >= seenOften || this.#orders.isCertainOf(compared.flatMap(({ standing }) => standing)));
  }

  /** What the balances hold of the coin of each symbol. */
  async #balances(wanted: readonly ExpectedHolding[]): Promise<Map<string, number>> {
    const balances = new Map(
      (await this.#trading.balances()).map(({ currency, free, locked }) => [currency, toNumber(plus(toDecimal(free), toDecimal(locked)))]),
    );
    return new Map(wanted.map(({ symbol }) => [symbol, balances.get(currenciesOf(symbol).base) ?? 0]));
  }
}

/** Notes a difference with the bot whose trade lacks something; one that is known stays with its bot, unless that holds nothing there any more. */
async function note(
  trx: Database,
  account: { apiKeyId: string; marketType: string },
  holding: ExpectedHolding,
  actual: number,
  [known]: readonly OpenDifference[],
): Promise<void> {
  const { symbol, expected, holders } = holding;
  const isLess = expected > 0 ? actual < expected : actual > expected;
  const isStuck = known !== undefined && isLess && holders.length > 0 && !holders.includes(known.botId);
  if (isStuck) await endDifference(trx, known.botId, symbol);
  const botId = (isStuck ? undefined : known?.botId) ?? differingBot(holding, actual);
  // It would be taken for one of the account that its bot trades with by then.
  if (await staysIn(trx, botId, account)) await noteDifference(trx, { botId, symbol, expected, actual });
}

function amountsOf(positions: readonly Position[]): Map<string, number> {
  return new Map(positions.map(({ symbol, direction, amount }) => [symbol, direction === 'long' ? amount : -amount]));
}

function differs({ expected }: ExpectedHolding, held: number, smallest: number): boolean {
  const off = Math.abs(toNumber(minus(toDecimal(held), toDecimal(expected))));
  return off > 0 && off >= smallest;
}

/** Whether more is missing of a symbol than is known. */
function lacksMore({ symbol, expected }: ExpectedHolding, held: number, open: readonly OpenDifference[]): boolean {
  const missing = toNumber(minus(toDecimal(expected), toDecimal(held)));
  return missing > 0 && open.every((known) => known.symbol !== symbol || known.missing < missing);
}
