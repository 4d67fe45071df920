import type { Trade } from '#engine/account/trade.ts';
import type { PaidOutside } from '#engine/bot/event.ts';
import { isOrderOf, isOwnOrderId } from '#engine/bot/state.ts';
import type { Decimal } from '#engine/market/decimal.ts';
import { dividedBy, plus, times, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import { exitSide } from '#engine/market/direction.ts';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueFill } from '#engine/ports/trading.ts';
import type { OutsideFill, PartOfFill } from '#storage/differences/outside-sales.ts';
import type { FeeValues } from './fee-values.ts';
import { LiquidationCosts } from './liquidation-costs.ts';

/** An exchange that does not answer is asked for so long, in ms: a person waits for the trade to be corrected. */
const patienceMs = minuteMs;

/** What was sold after a person has decided was not decided about. The clock of an exchange may differ by so much from that of the decision, in ms. */
const clocksDifferMs = 10 * secondMs;

/** From one try to the next, in ms. */
const pauseMs = 5 * secondMs;

/** Where it is looked for. */
export interface OutsideSources {
  botId: string;
  trading: Pick<Trading, 'fillsSince' | 'clearances'>;
  feeValues: Pick<FeeValues, 'valued'>;
  /** Which of these orders of the bot are on record. */
  recorded: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Takes the sales among these that the amount is missing by, which no other trade has taken; null where they do not make it up. */
  take: (fills: readonly OutsideFill[]) => Promise<readonly PartOfFill[] | null>;
}

/** What an account was paid, as far as it is known. */
export interface PaidSoFar extends PaidOutside {
  isClearanceAwaited?: boolean; // what a liquidation was cleared with is not listed yet, and not in the fee
  failure?: unknown; // why the exchange did not say
}

/**
 * What an account was paid where something of what a trade holds was sold, or bought back, by no order on record: by the fills since the trade's
 * first and until the decision that are of no bot, the liquidations of the exchange among them, or of an order of this bot that was lost. Each counts once; which of them
 * it was is said by `takeOutsideSales`. What a liquidation was cleared with beside its fills counts as a fee of them, for each by its share of the amount: a bot's trade, another's, and what belongs to none.
 *
 * Null where nobody can say: they do not make up the amount, as the exchange lists them no more or it was taken out without a fill.
 *
 * Fails: ExchangeError
 */
export async function paidOutside(
  { botId, trading, feeValues, recorded, take }: OutsideSources,
  { symbol, direction, orders }: Pick<Trade, 'symbol' | 'direction' | 'orders'>,
  decidedAt: number,
): Promise<PaidSoFar | null> {
  const ids = orders.flatMap(({ fills }) => fills.map(({ id }) => id)).filter((id) => /^\d+$/u.test(id)); // others are of no exchange
  const first = ids.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
  if (first === undefined) return null;
  const fills = await trading.fillsSince(symbol, first);
  const onRecord = await recorded(fills.flatMap(({ clientOrderId: id }) => (isOrderOf(botId, id) ? [id] : [])));
  // One whose order the exchange has forgotten has no client id, and may be a bot's.
  const isOutside = (id: string): boolean => (isOrderOf(botId, id) ? !onRecord.has(id) : id !== '' && !isOwnOrderId(id));
  const outside = fills.filter(({ clientOrderId, time }) => isOutside(clientOrderId) && time <= decidedAt + clocksDifferMs);
  const parts = await take(outside.map(({ id, amount, side }) => ({ id, amount, isBack: side !== exitSide(direction) })));
  if (parts === null) return null;
  const sold = parts.flatMap((part) => {
    const fill = outside.find(({ id }) => id === part.id);
    return fill === undefined ? [] : [{ fill, taken: part.amount }];
  });
  if (sold.length < parts.length) return null; // it was taken before, and is not listed any more
  const ofSold = sold.map(({ fill }) => fill);
  const costs = await LiquidationCosts.ask({ trading, feeValues }, symbol, fills, ofSold);
  let [value, amount] = [zero, zero];
  let fee: Decimal | null = zero;
  for (const each of sold) {
    const taken = toDecimal(each.taken);
    const cost = sumOf(await feeOf(each.fill, taken, symbol, feeValues), costs.of(each.fill, taken));
    fee = sumOf(fee, cost);
    value = plus(value, times(toDecimal(each.fill.price), taken));
    amount = plus(amount, taken);
  }
  const sales = sold.map(({ fill: { time }, taken }) => ({ amount: taken, time }));
  const paid = { price: toNumber(dividedBy(value, amount)), fee: fee === null ? null : toNumber(fee), sales };
  return { ...paid, isClearanceAwaited: ofSold.some((each) => costs.isAwaited(each)), failure: costs.failure };
}

/** The fee of an amount of a fill in quote currency; null while its value is not known. */
async function feeOf(fill: VenueFill, taken: Decimal, symbol: string, feeValues: OutsideSources['feeValues']): Promise<Decimal | null> {
  const { feeInQuote } = await feeValues.valued(fill, symbol);
  return feeInQuote === null ? null : dividedBy(times(toDecimal(feeInQuote), taken), toDecimal(fill.amount));
}

function sumOf(a: Decimal | null, b: Decimal | null): Decimal | null {
  return a === null || b === null ? null : plus(a, b);
}

interface Asked {
  since: number; // of `performance.now()`
  nextAt: number;
  soFar?: PaidOutside; // the newest answer that lacks but the value of a fee, or what a liquidation was cleared with
  answer?: PaidOutside | null;
}

/**
 * Asks once for each wish of a person what the account was paid, and again while the exchange does not answer, does not list yet what a liquidation was cleared with, or
 * the value of a fee is not known: for a minute.
 */
export class OutsideAnswers {
  readonly #asked = new Map<string, Asked>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** The answer for the wish of this id; null where nobody can say, undefined as long as it is waited for: call it again. */
  of(wish: string, ask: () => Promise<PaidSoFar | null>): PaidOutside | null | undefined {
    const asked: Asked = this.#asked.get(wish) ?? { since: performance.now(), nextAt: -Infinity };
    this.#asked.set(wish, asked);
    if (asked.answer === undefined && performance.now() - asked.since >= patienceMs) asked.answer = asked.soFar ?? null;
    if (asked.answer === undefined && performance.now() >= asked.nextAt) void this.#ask(asked, ask);
    return asked.answer;
  }

  async #ask(asked: Asked, ask: () => Promise<PaidSoFar | null>): Promise<void> {
    asked.nextAt = Infinity;
    let answer: Asked['answer'];
    try {
      const found = await ask();
      if (found === null) answer = null;
      else {
        const { isClearanceAwaited = false, failure, ...paid } = found;
        if (failure !== undefined) this.#onError(failure);
        if (paid.fee === null || isClearanceAwaited) asked.soFar = paid;
        else answer = paid;
      }
    } catch (error) {
      this.#onError(error);
      if (error instanceof ExchangeError && error.kind !== 'temporary') answer = null;
    }
    asked.nextAt = performance.now() + pauseMs;
    if (asked.answer === undefined && answer !== undefined) asked.answer = answer; // one that comes too late may have been booked without
  }
}
