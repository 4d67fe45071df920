import type { Trade } from '#engine/account/trade.ts';
import type { PaidOutside } from '#engine/bot/event.ts';
import { soldOnExchange } from '#engine/bot/held-elsewhere.ts';
import { isOrderOf, isOwnOrderId } from '#engine/bot/state.ts';
import type { Decimal } from '#engine/market/decimal.ts';
import { compare, dividedBy, minus, plus, times, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import { exitSide } from '#engine/market/direction.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueFill } from '#engine/ports/trading.ts';
import type { FeeValues } from './fee-values.ts';

/** An exchange that does not answer is asked for so long, in ms: a person waits for the trade to be corrected. */
const patienceMs = minuteMs;

/** Where it is looked for. */
export interface OutsideSources {
  botId: string;
  trading: Pick<Trading, 'fillsSince'>;
  feeValues: Pick<FeeValues, 'valued'>;
  /** Which of these orders of the bot are on record. */
  recorded: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * What an account was paid where an amount of what a trade holds was sold, or bought back, by no order on record: by the newest fills since the
 * trade's first that leave its direction and are of no bot, the liquidations of the exchange among them, or of an order of this bot that was lost.
 * Null where those do not make up the amount: the exchange lists them no more, or it was taken out without a fill.
 *
 * Fails: ExchangeError; `temporary` while the value of a fee is not known
 */
export async function paidOutside(
  { botId, trading, feeValues, recorded }: OutsideSources,
  { symbol, direction, orders }: Pick<Trade, 'symbol' | 'direction' | 'orders'>,
  amount: number,
): Promise<PaidOutside | null> {
  const ids = orders.flatMap(({ fills }) => fills.map(({ id }) => id)).filter((id) => /^\d+$/u.test(id)); // others are of no exchange
  const first = ids.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
  if (first === undefined) return null;
  const leaving = (await trading.fillsSince(symbol, first)).filter(({ side }) => side === exitSide(direction));
  const onRecord = await recorded(leaving.flatMap(({ clientOrderId: id }) => (isOrderOf(botId, id) ? [id] : [])));
  // One whose order the exchange has forgotten has no client id, and may be a bot's.
  const isOutside = (id: string): boolean => (isOrderOf(botId, id) ? !onRecord.has(id) : id !== '' && !isOwnOrderId(id));
  const fills = leaving.filter(({ clientOrderId }) => isOutside(clientOrderId));
  // What was booked before was sold by some of them, too.
  const booked = sumOf(orders.flatMap(({ tag, fills: each }) => (tag === soldOnExchange ? each : [])));
  const all = sumOf(fills);
  if (toNumber(minus(plus(toDecimal(amount), booked), all)) > amount * 1e-9) return null;
  let [left, value, fee] = [toDecimal(amount), zero, zero];
  for (const fill of fills.toReversed()) {
    const of = toDecimal(fill.amount);
    const taken = compare(of, left) < 0 ? of : left;
    if (compare(taken, zero) <= 0) break;
    const { feeInQuote } = await feeValues.valued(fill, symbol);
    if (feeInQuote === null) throw new ExchangeError('temporary', `What the fee of the fill ${fill.id} is worth is not known yet.`);
    value = plus(value, times(toDecimal(fill.price), taken));
    fee = plus(fee, dividedBy(times(toDecimal(feeInQuote), taken), of));
    left = minus(left, taken);
  }
  const covered = minus(toDecimal(amount), left); // all of it, but for what a sum of doubles lacks
  return { price: toNumber(dividedBy(value, covered)), fee: toNumber(fee) };
}

function sumOf(fills: readonly Pick<VenueFill, 'amount'>[]): Decimal {
  return fills.reduce((sum, { amount }) => plus(sum, toDecimal(amount)), zero);
}

interface Asked {
  since: number; // of `performance.now()`
  isBusy: boolean;
  answer?: PaidOutside | null;
}

/** Asks once for each wish of a person what the account was paid, and again while the exchange does not answer. */
export class OutsideAnswers {
  readonly #asked = new Map<string, Asked>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** The answer for the wish of this id; null where nobody can say, undefined as long as it is waited for: call it again. */
  of(wish: string, ask: () => Promise<PaidOutside | null>): PaidOutside | null | undefined {
    const asked: Asked = this.#asked.get(wish) ?? { since: performance.now(), isBusy: false };
    this.#asked.set(wish, asked);
    if (asked.answer === undefined && performance.now() - asked.since >= patienceMs) asked.answer = null;
    if (asked.answer === undefined && !asked.isBusy) void this.#ask(asked, ask);
    return asked.answer;
  }

  async #ask(asked: Asked, ask: () => Promise<PaidOutside | null>): Promise<void> {
    asked.isBusy = true;
    let answer: Asked['answer'];
    try {
      answer = await ask();
    } catch (error) {
      this.#onError(error);
      if (error instanceof ExchangeError && error.kind !== 'temporary') answer = null;
    }
    asked.isBusy = false;
    if (asked.answer === undefined && answer !== undefined) asked.answer = answer; // one that comes too late may have been booked without
  }
}
