import type { PaidOutside } from '#engine/bot/event.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { Clearance, VenueFill } from '#engine/ports/trading.ts';
import type { OutsideFill } from '#storage/differences/outside-sales.ts';
import { takeOutsideSales } from '#storage/differences/outside-sales.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
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

const { db } = await freshDatabase();
const bot = async (key?: string) => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'live', marketType: 'futures', symbols: [symbol] });
  const apiKeyId = key ?? (await goLive(db, id));
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${id}`.execute(db);
  return { id, key: apiKeyId };
};
const mine = await bot();
const second = await bot(mine.key);
const stranger = await bot();

beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
});

/** One of a liquidation. */
const liquidated = (id: string, amount: number, given: Partial<VenueFill> = {}): VenueFill =>
  fill(id, amount, 50, { clientOrderId: 'autoclose-9', isLiquidation: true, ...given });
const clearance = (amount: number, time: number, currency = 'USDT'): Clearance => ({ amount, currency, time });

/** A trade in the database. */
async function held(of = mine, direction: 'long' | 'short' = 'long'): Promise<string> {
  const trade = aTradeRow(of.id, { symbol, mode: 'testnet', direction });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return trade.id;
}

/** What was paid for an amount of a trade that was opened with the fill 10, by these fills of its account. */
async function paidFor(
  tradeId: string,
  amount: number,
  fills: readonly VenueFill[],
  given: {
    direction?: 'long' | 'short';
    opened?: string;
    wish?: string;
    decidedAt?: number;
    clearances?: readonly Clearance[] | ExchangeError;
  } = {},
) {
  const { direction = 'long', opened = '10', wish = 'outside-1', decidedAt = 1_000, clearances = [] } = given;
  const entry = { ...anOrder({ amount }), fills: [fillOf(fill(opened, amount, 100))] };
  const trade = aTrade({ symbol, marketType: 'futures', direction, amount, orders: [entry] });
  const after: (string | null)[] = [];
  const clearedSince: number[] = [];
  const trading = {
    fillsSince: async (_symbol: string, afterId: string | null) => {
      after.push(afterId);
      return fills.filter(({ id }) => Number(id) > Number(afterId));
    },
    clearances: async (_symbol: string, since: number) => {
      clearedSince.push(since);
      if (clearances instanceof ExchangeError) throw clearances;
      return clearances.filter(({ time }) => time >= since);
    },
  };
  const feeValues = {
    valued: async <T extends Pick<VenueFill, 'fee' | 'feeCurrency' | 'feeInQuote'>>(of: T): Promise<T> =>
      of.feeCurrency === 'BNB' ? { ...of, feeInQuote: of.fee * 600 } : of,
  };
  const recorded = async (ids: readonly string[]) => new Set(ids.filter((id) => id === clientOrderId(botId, 7)));
  const take = async (offered: readonly OutsideFill[]) => await takeOutsideSales(db, { tradeId, wish, amount }, offered);
  const answer = await paidOutside({ botId, trading, feeValues, recorded, take }, trade, decidedAt);
  const found = answer === null ? null : { price: answer.price, fee: answer.fee };
  const isAwaited = answer?.isClearanceAwaited === true;
  return { found, sales: answer?.sales ?? null, after, clearedSince, isAwaited, failure: answer?.failure };
}

/** The same for a trade that nobody has decided about before. */
async function paid(amount: number, fills: readonly VenueFill[], given: Parameters<typeof paidFor>[3] = {}) {
  await sql`truncate trades cascade`.execute(db);
  return await paidFor(await held(mine, given.direction), amount, fills, given);
}

let asked: Promise<Awaited<ReturnType<typeof paidFor>>[]> = Promise.resolve([]);

describe('what an account was paid by no order on record', () => {
  test('is the average price of the newest fills that make up the amount, with their fees and times, the oldest of them in part', async () => {
    const liquidation = fill('13', 1, 50, { clientOrderId: 'autoclose-9', fee: 0.25, time: 7 });
    const { found, sales, after } = await paid(3, [fill('11', 2, 1, { side: 'buy' }), fill('12', 4, 80, { fee: 2 }), liquidation]);
    expect(found).toEqual({ price: (50 + 2 * 80) / 3, fee: 0.25 + 1 });
    expect(sales).toEqual([
      { amount: 2, time: 5 },
      { amount: 1, time: 7 },
    ]);
    expect(after).toEqual(['10']);
  });

  test('is by the sales that the account misses: not by one that was made good, nor by one that opened a position of its own', async () => {
    const back = (id: string, amount: number) => fill(id, amount, 1, { side: 'buy' });
    const priceOf = async (amount: number, ...fills: VenueFill[]) => (await paid(amount, fills)).found?.price ?? null;
    expect(await priceOf(1, fill('11', 1, 60), fill('12', 1, 80))).toBe(60);
    expect(await priceOf(2, fill('11', 1, 60), fill('12', 1, 50), fill('13', 5, 80))).toBe(55);
    expect(await priceOf(1, fill('11', 1, 100), back('12', 1), fill('13', 1, 60))).toBe(60);
    expect(await priceOf(2, fill('11', 1, 100), fill('12', 2, 80), back('13', 1), fill('14', 1, 60))).toBe(90);
    expect(await priceOf(1, back('11', 2), fill('12', 2, 100), fill('13', 1, 60))).toBe(60);
    expect(await priceOf(1, back('11', 2), fill('12', 3, 100))).toBe(100);
    // Decided while it was missing, and bought back before it was booked.
    expect(await priceOf(2, fill('11', 2, 70), back('12', 2), fill('13', 1, 60))).toBe(70);
    const short = [fill('11', 1, 70, { side: 'buy' }), fill('12', 1, 1), fill('13', 1, 90, { side: 'buy' })];
    expect((await paid(1, short, { direction: 'short' })).found?.price).toBe(90);
  });

  test.each([
    ['long', 1, 'sell'],
    ['short', -1, 'buy'],
  ] as const)('is not by what was sold beside a %s trade, which nobody missed', async (direction, ignored, side) => {
    const sales = [fill('11', 1, 100, { side }), fill('12', 1, 60, { side })];
    const priceWith = async (amount: number) => {
      await sql`delete from ignored_holdings`.execute(db);
      await sql`insert into ignored_holdings (api_key_id, market_type, symbol, amount) values (${mine.key}, 'futures', ${symbol}, ${amount})`.execute(
        db,
      );
      return (await paid(1, sales, { direction })).found?.price;
    };
    expect(await priceWith(ignored)).toBe(60);
    expect(await priceWith(-ignored)).toBe(100); // of the other side
    await sql`delete from ignored_holdings`.execute(db);
  });

  test('is not by what was sold after the decision; the clock of the exchange may be ahead of it by some seconds', async () => {
    const [before, after] = [fill('11', 1, 100, { time: 30_000 }), fill('13', 1, 60, { time: 70_000 })];
    const made = fill('12', 1, 1, { side: 'buy', time: 50_000 });
    expect((await paid(1, [before, made, after], { decidedAt: 40_000 })).found?.price).toBe(100);
    expect((await paid(1, [before, made, after], { decidedAt: 61_000 })).found?.price).toBe(60);
  });

  test('is by fills since the trade was opened, which leave its direction', async () => {
    expect((await paid(2, [fill('9', 2, 1), fill('11', 2, 70)])).found).toEqual({ price: 70, fee: 1 });
    expect((await paid(2, [fill('11', 2, 70, { side: 'buy' })], { direction: 'short' })).found).toEqual({ price: 70, fee: 1 });
  });

  test('is by fills since the first of the trade, of which the lower number is the first', async () => {
    const trade = aTrade({
      symbol,
      marketType: 'futures',
      direction: 'long',
      amount: 2,
      orders: ['1002', '999'].map((id) => ({ ...anOrder({ id, amount: 1 }), fills: [fillOf(fill(id, 1, 100))] })),
    });
    const liquidation = fill('1001', 2, 50, { clientOrderId: 'autoclose-9' });
    const answer = await paidOutside(
      {
        botId,
        trading: {
          fillsSince: async (_symbol, afterId) => [liquidation].filter(({ id }) => Number(id) > Number(afterId)),
          clearances: async () => [],
        },
        feeValues: { valued: async (of) => of },
        recorded: async () => new Set(),
        take: async (offered) => offered.map(({ id, amount }) => ({ id, amount })),
      },
      trade,
      1_000,
    );
    expect(answer).toMatchObject({ price: 50, sales: [{ amount: 2 }] });
  });

  test('counts a fill whose number was taken in another pair, where it is of something else', async () => {
    const perpetuals = [symbol, 'ETH/USDT:USDT'].map((each) => aTradeRow(mine.id, { symbol: each, mode: 'testnet' }));
    await sql`truncate trades cascade`.execute(db);
    await writeTrades(
      db,
      perpetuals.map((trade) => ({ trade, orders: [], fills: [] })),
    );
    for (const { id } of perpetuals) expect(await paidFor(id, 1, [fill('12', 1, 80)])).toMatchObject({ found: { price: 80 } });
  });

  test('is not known where somebody has bought before it was sold, and does not change with what is bought afterwards', async () => {
    const bought = (id: string) => fill(id, 2, 1, { side: 'buy' });
    expect((await paid(2, [bought('11'), fill('12', 2, 70)])).found).toBeNull();
    expect((await paid(2, [fill('11', 1, 60), bought('12'), fill('13', 2, 70)])).found).toBeNull();
    expect((await paid(2, [fill('11', 2, 70), bought('12')])).found).toEqual({ price: 70, fee: 1 });
    expect((await paid(2, [fill('11', 2, 70), bought('12'), fill('13', 2, 90)])).found).toEqual({ price: 90, fee: 1 });
    const ofBot = { ...bought('11'), clientOrderId: clientOrderId(other, 3) };
    expect((await paid(2, [ofBot, fill('12', 2, 70)])).found).toEqual({ price: 70, fee: 1 });
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
    const none = { found: null, sales: null, after: [], clearedSince: [], isAwaited: false };
    expect(await paid(2, [fill('11', 2, 70)], { opened: 'outside-1' })).toEqual(none);
  });

  test('counts each fill once, for whichever trade of the account is decided about, in whatever order they are asked about', async () => {
    const sales = [fill('11', 2, 70), fill('12', 1, 60), fill('13', 4, 50)];
    const [first, other] = [await held(), await held(second)];
    expect((await paidFor(other, 2.5, sales)).found).toEqual({ price: (2 * 70 + 0.5 * 60) / 2.5, fee: 1.5 });
    expect((await paidFor(first, 1, sales)).found).toEqual({ price: 55, fee: 0.5 + 0.125 });
    expect((await paidFor(first, 1, sales)).found).toEqual({ price: 55, fee: 0.5 + 0.125 }); // the same wish
    expect((await paidFor(first, 1, sales, { wish: 'outside-2' })).found).toEqual({ price: 50, fee: 0.25 });
    expect((await paidFor(first, 3, sales, { wish: 'outside-3' })).found).toBeNull(); // it was taken out without a sale, and takes none
    expect((await paidFor(first, 2.5, sales, { wish: 'outside-4' })).found).toEqual({ price: 50, fee: 0.625 });
    expect((await paidFor(await held(stranger), 2, sales)).found).toEqual({ price: 70, fee: 1 }); // of another account
  });

  test('counts for a trade that began later nothing that was sold before, and for its sale nothing that was decided about before', async () => {
    const [first, later] = [await held(), await held(second)];
    const sales = [fill('11', 1, 80), fill('30', 1, 50), fill('31', 1, 90)];
    expect((await paidFor(first, 1, sales.slice(0, 1))).found).toEqual({ price: 80, fee: 1 });
    expect((await paidFor(later, 1, sales.slice(0, 2), { opened: '20' })).found).toEqual({ price: 50, fee: 1 });
    expect((await paidFor(later, 1, sales, { opened: '20', wish: 'outside-2' })).found).toEqual({ price: 90, fee: 1 });
    expect((await paidFor(later, 1, sales, { opened: '20', wish: 'outside-3' })).found).toBeNull();
  });

  test('keeps what it has taken while the value of a fee is not known', async () => {
    const [first, other] = [await held(), await held(second)];
    const sales = [fill('11', 1, 70, { feeCurrency: 'XYZ', feeInQuote: null }), fill('12', 1, 60)];
    expect((await paidFor(first, 1, sales)).found).toEqual({ price: 70, fee: null });
    expect((await paidFor(other, 1, sales)).found).toEqual({ price: 60, fee: 1 });
    const valued = [fill('11', 1, 70), ...sales.slice(1)];
    expect((await paidFor(first, 1, valued)).found).toEqual({ price: 70, fee: 1 });
    expect((await paidFor(first, 1, sales.slice(1))).found).toBeNull(); // the exchange lists it no more
  });

  test('goes to one of two that ask at once', async () => {
    const [first, other] = [await held(), await held(second)];
    await db.transaction().execute(async (trx) => {
      await sql`lock table outside_sales in exclusive mode`.execute(trx);
      const both = Promise.all([paidFor(first, 1, [fill('11', 1, 70)]), paidFor(other, 1, [fill('11', 1, 70)])]);
      await untilWaiting(db, 2);
      asked = both;
    });
    const prices = (await asked).map(({ found }) => found?.price ?? null);
    expect(new Set(prices)).toEqual(new Set([70, null]));
  });

  test('has fees in a third currency at their value, and none while that of one of them is not known', async () => {
    expect((await paid(1, [fill('11', 1, 70, { fee: 0.001, feeCurrency: 'BNB', feeInQuote: null })])).found).toEqual({
      price: 70,
      fee: 0.6,
    });
    const unvalued = (id: string) => fill(id, 1, 70, { feeCurrency: 'XYZ', feeInQuote: null });
    expect((await paid(2, [unvalued('11'), fill('12', 1, 90)])).found).toEqual({ price: 80, fee: null });
    expect((await paid(2, [fill('11', 1, 90), unvalued('12')])).found).toEqual({ price: 80, fee: null });
  });
});

describe('what a liquidation was cleared with', () => {
  test.each([
    ['cost', -12, 14],
    ['brought back, beyond the margin', 12, -10],
  ] as const)('%s is in the fee', async (_name, amount, fee) => {
    const fills = [liquidated('11', 1, { time: 5_200 }), liquidated('12', 3, { time: 7_900 })];
    const cleared = [clearance(-100, 4_000), clearance(amount, 7_000)];
    const { found, clearedSince, isAwaited } = await paid(4, fills, { clearances: cleared, decidedAt: 9_000 });
    expect([found, clearedSince, isAwaited]).toEqual([{ price: 50, fee }, [5_000], false]);
  });

  test('counts that the exchange notes at the whole second in which it has begun', async () => {
    const short = [liquidated('11', 1, { side: 'buy', time: 5_900 })];
    expect((await paid(1, short, { direction: 'short', clearances: [clearance(-3, 5_000)] })).found).toEqual({ price: 50, fee: 4 });
  });

  test('is shared by what was taken of it, of one trade in two parts, of another bot and of nobody', async () => {
    const [first, other] = [await held(), await held(second)];
    const fills = [liquidated('11', 4), liquidated('12', 4)];
    const given = { clearances: [clearance(-6, 5), clearance(-10, 5)] };
    const fees: (number | null | undefined)[] = [];
    for (const [trade, amount, wish] of [
      [first, 2, 'outside-1'],
      [other, 4, 'outside-1'],
      [first, 1, 'outside-2'],
    ] as const)
      fees.push((await paidFor(trade, amount, fills, { ...given, wish })).found?.fee);
    // A quarter of a fill's own fee for each, and two of what it was cleared with.
    expect(fees).toEqual([2 * 0.25 + 2 * 2, 4 * 0.25 + 4 * 2, 0.25 + 2]);
    expect((await paidFor(first, 2, fills, given)).found?.fee).toBe(4.5); // the same wish
  });

  test('is that of its own liquidation, and not of the next one, which may come after the decision', async () => {
    const next = { clientOrderId: 'autoclose-10', time: 90_000 };
    const fills = [liquidated('11', 1, { time: 5_000 }), liquidated('12', 1, { time: 8_000 }), liquidated('13', 1, next)];
    const given = { clearances: [clearance(-3, 8_500), clearance(-50, 90_000)], decidedAt: 20_000 };
    expect((await paid(2, fills, given)).found).toEqual({ price: 50, fee: 2 + 3 });
  });

  test('is waited for while the exchange does not list any, of one of two as well', async () => {
    const fills = [liquidated('11', 1, { time: 5_000 }), liquidated('12', 1, { clientOrderId: 'autoclose-10', time: 90_000 })];
    const given = { decidedAt: 100_000 };
    expect(await paid(2, fills, given)).toMatchObject({ found: { fee: 2 }, isAwaited: true });
    expect(await paid(2, fills, { ...given, clearances: [clearance(-3, 90_000)] })).toMatchObject({ found: { fee: 5 }, isAwaited: true });
    const both = [clearance(-4, 5_000), clearance(-3, 90_000)];
    expect(await paid(2, fills, { ...given, clearances: both })).toMatchObject({ found: { fee: 9 }, isAwaited: false });
  });

  test('is waited for while the exchange does not say, whatever its reason; what the fills say is known', async () => {
    for (const kind of ['temporary', 'unauthorised'] as const) {
      const clearances = new ExchangeError(kind, 'no');
      expect(await paid(1, [liquidated('11', 1)], { clearances })).toMatchObject({
        found: { price: 50, fee: 1 },
        isAwaited: true,
        failure: clearances,
      });
    }
  });

  test('is at its value in another currency, and not known while that is not', async () => {
    const feeWith = async (currency: string) =>
      (await paid(1, [liquidated('11', 1)], { clearances: [clearance(-0.01, 5, currency)] })).found;
    expect(await feeWith('BNB')).toEqual({ price: 50, fee: 7 });
    expect(await feeWith('XYZ')).toEqual({ price: 50, fee: null });
  });

  test('is asked for only where a liquidation was taken', async () => {
    const bystander = liquidated('13', 1, { time: 90_000 });
    const reduced = fill('11', 1, 50, { clientOrderId: 'adl_autoclose' });
    expect(await paid(1, [reduced, bystander], { clearances: [clearance(-3, 5)] })).toMatchObject({
      found: { price: 50, fee: 1 },
      clearedSince: [],
      isAwaited: false,
    });
  });
});

describe('the answer for a wish', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const some: PaidOutside = { price: 70, fee: 1, sales: [{ amount: 1, time: 5 }] };
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
    expect(ask.mock.calls).toHaveLength(12); // every five seconds, however often somebody looks
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

  test('is without a fee whose value is not known after a minute, and with it as soon as it is', async () => {
    const ask = vi.fn(async (): Promise<PaidOutside> => ({ ...some, fee: null }));
    const [never, later] = [answers(), answers()];
    for (let second = 0; second < 60; second++) {
      expect(never.of('a', ask), String(second)).toBeUndefined();
      if (second < 30) expect(later.of('a', ask)).toBeUndefined();
      else later.of('a', async () => some);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(never.of('a', ask)).toEqual({ ...some, fee: null });
    expect(later.of('a', ask)).toEqual(some);
  });

  test('is without what a liquidation was cleared with where none is listed for a minute, and with it as soon as it is', async () => {
    const failure = new ExchangeError('temporary', 'busy');
    const ask = vi.fn(async () => ({ ...some, isClearanceAwaited: true, failure }));
    const [never, later] = [answers(), answers()];
    for (let second = 0; second < 60; second++) {
      expect(never.of('a', ask), String(second)).toBeUndefined();
      if (second < 30) expect(later.of('a', ask)).toBeUndefined();
      else later.of('a', async () => ({ ...some, fee: 9 }));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(never.of('a', ask)).toEqual(some);
    expect(later.of('a', ask)).toEqual({ ...some, fee: 9 });
    expect(errors.at(-1)).toBe(failure);
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
