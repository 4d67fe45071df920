import type { PaidOutside } from '#engine/bot/event.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { soldOnExchange } from '#engine/bot/held-elsewhere.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { VenueFill } from '#engine/ports/trading.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fillOf } from './live-order.ts';
import { OutsideAnswers, paidOutside } from './paid-outside.ts';

const botId = 'b0000000-0000-4000-8000-000000000001';
const other = 'b0000000-0000-4000-8000-000000000002';
const symbol = 'BTC/USDT:USDT';
const fill = (id: string, amount: number, price: number, given: Partial<VenueFill> = {}): VenueFill => {
  const fee = given.fee ?? 1;
  const rest = { clientOrderId: `web_${id}`, side: 'sell', feeCurrency: 'USDT', feeInQuote: fee, liquidity: 'taker', time: 5 } as const;
  return { id, symbol, amount, price, ...rest, ...given, fee };
};

/** What was paid for an amount of a trade that was opened with the fill 10, by these fills of its account. */
async function paid(
  amount: number,
  fills: readonly VenueFill[],
  given: { direction?: 'long' | 'short'; opened?: string; booked?: number } = {},
) {
  const { direction = 'long', opened = '10', booked = 0 } = given;
  const entry = { ...anOrder({ amount }), fills: [fillOf(fill(opened, amount, 100))] };
  const before = { ...anOrder({ amount: booked, tag: soldOnExchange }), fills: [fillOf(fill('outside-1', booked, 90))] };
  const trade = aTrade({ symbol, marketType: 'futures', direction, amount, orders: [entry, ...(booked > 0 ? [before] : [])] });
  const after: (string | null)[] = [];
  const trading = {
    fillsSince: async (_symbol: string, afterId: string | null) => {
      after.push(afterId);
      return fills.filter(({ id }) => Number(id) > Number(afterId));
    },
  };
  const feeValues = {
    valued: async <T extends Pick<VenueFill, 'fee' | 'feeCurrency' | 'feeInQuote'>>(of: T): Promise<T> =>
      of.feeCurrency === 'BNB' ? { ...of, feeInQuote: of.fee * 600 } : of,
  };
  const recorded = async (ids: readonly string[]) => new Set(ids.filter((id) => id === clientOrderId(botId, 7)));
  return { found: await paidOutside({ botId, trading, feeValues, recorded }, trade, amount), after };
}

describe('what an account was paid by no order on record', () => {
  test('is the average price of the newest fills that make up the amount, with their fees, the oldest of them in part', async () => {
    const { found, after } = await paid(3, [
      fill('11', 9, 1),
      fill('12', 4, 80, { fee: 2 }),
      fill('13', 1, 50, { clientOrderId: 'autoclose-9', fee: 0.25 }),
    ]);
    expect(found).toEqual({ price: (50 + 2 * 80) / 3, fee: 0.25 + 1 });
    expect(after).toEqual(['10']);
  });

  test('is by fills that leave the direction, since the trade was opened', async () => {
    const fills = [fill('9', 2, 1), fill('11', 2, 70), fill('12', 2, 1, { side: 'buy' })];
    expect((await paid(2, fills)).found).toEqual({ price: 70, fee: 1 });
    expect((await paid(2, fills, { direction: 'short' })).found).toEqual({ price: 1, fee: 1 });
  });

  test('is by no order of a bot, but for one of its own that was lost', async () => {
    const of = (id: string) => ({ clientOrderId: id });
    const fills = [
      fill('11', 2, 70, of(clientOrderId(botId, 8))),
      fill('12', 2, 1, of(clientOrderId(botId, 7))), // on record
      fill('13', 2, 2, of(clientOrderId(other, 8))),
      fill('14', 2, 3, of('')), // the exchange has forgotten whose
    ];
    expect((await paid(2, fills)).found).toEqual({ price: 70, fee: 1 });
  });

  test('is not known where the fills do not make it up, or the trade has none of the exchange', async () => {
    expect((await paid(2, [fill('11', 1.9, 70)])).found).toBeNull();
    expect((await paid(2, [fill('11', 2 - 1e-12, 70)])).found?.price).toBe(70); // a sum of doubles
    expect(await paid(2, [fill('11', 2, 70)], { opened: 'outside-1' })).toEqual({ found: null, after: [] });
  });

  test('is not what was booked already: of a second wish only what was sold since', async () => {
    const sales = [fill('11', 2, 70), fill('12', 1, 60)];
    expect((await paid(1, sales, { booked: 2 })).found).toEqual({ price: 60, fee: 1 });
    expect((await paid(1, sales.slice(0, 1), { booked: 2 })).found).toBeNull(); // it was taken out without a sale
  });

  test('has fees in a third currency at their value, and waits for it', async () => {
    expect((await paid(1, [fill('11', 1, 70, { fee: 0.001, feeCurrency: 'BNB', feeInQuote: null })])).found).toEqual({
      price: 70,
      fee: 0.6,
    });
    await expect(paid(1, [fill('11', 1, 70, { feeCurrency: 'XYZ', feeInQuote: null })])).rejects.toMatchObject({ kind: 'temporary' });
  });
});

describe('the answer for a wish', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const some: PaidOutside = { price: 70, fee: 1 };
  const errors: unknown[] = [];
  const answers = () => new OutsideAnswers((error) => void errors.push(error));

  test('is asked for once, and undefined until it is there', async () => {
    const [each, ask] = [answers(), vi.fn(async () => some)];
    expect([each.of('a', ask), each.of('a', ask)]).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(0);
    expect([each.of('a', ask), each.of('a', ask), ask.mock.calls.length]).toEqual([some, some, 1]);
    each.of('b', ask);
    expect(ask.mock.calls).toHaveLength(2);
  });

  test('is asked for again while the exchange does not answer, for a minute', async () => {
    const each = answers();
    const ask = vi.fn(async () => await Promise.reject(new ExchangeError('temporary', 'busy')));
    for (let second = 0; second < 60; second++) {
      expect(each.of('a', ask), String(second)).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(ask.mock.calls).toHaveLength(60);
    expect(each.of('a', ask)).toBeNull();
    const late = answers();
    const answer = Promise.withResolvers<PaidOutside>();
    late.of('a', () => answer.promise);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(late.of('a', ask)).toBeNull(); // one that never answers
    answer.resolve(some);
    await vi.advanceTimersByTimeAsync(0);
    expect(late.of('a', ask)).toBeNull(); // it is booked by now
  });

  test('is that nobody can say, where the exchange refuses it or does not have the instrument', async () => {
    for (const error of [new ExchangeError('unauthorised', 'no'), new NotListed('none')]) {
      const each = answers();
      each.of('a', async () => await Promise.reject(error));
      await vi.advanceTimersByTimeAsync(0);
      expect(each.of('a', async () => some)).toBeNull();
      expect(errors.at(-1)).toBe(error);
    }
  });
});
