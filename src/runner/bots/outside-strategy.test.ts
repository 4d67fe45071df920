import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { giveCode } from '../../../test/support/test-code.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { keepStandingAlarms } from '#storage/alarms/standing-alarms.ts';
import { writeVitals } from '#storage/bots/running-bots.ts';
import type { ProcessTimes } from '#strategy-process/strategy-processes.ts';
import type { StrategyParts } from '#strategy-process/testing/strategy-text.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { outsideBot } from './testing/outside-bot.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';

/** A bot of a file's strategy, whose answers are waited for however slow the machine is, unless `times` say otherwise. */
const aBot = (parts: StrategyParts, times: Partial<ProcessTimes> = {}) =>
  outsideBot(db, (id) => giveCode(db, id, strategyText(parts)), { rowMs: patienceMs, callbackMs: patienceMs, ...times });

describe('a bot whose strategy runs in a process of its own', () => {
  test('enters, is asked about its trade, and leaves as the strategy wants; the process is asked each thing once', async () => {
    const { bot, exchange, trades, candle, decided, logs } = await aBot({
      before: 'const asked = [];',
      callbacks: `
        stake: ({ proposedStake }) => proposedStake / 2,
        customStop: ({ price, trade }) => { asked.push(price); return asked.length === 1 ? -0.2 : null; },
        customExit: ({ price, trade }) => (price > 130 ? 'rich after ' + new Set(asked).size + ' of ' + asked.length : null),`,
    });
    await bot.start();
    await candle(100);
    await candle(110); // above its average: it enters
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    expect(Number((await trades())[0]?.stake)).toBeCloseTo(50, 0);
    exchange.quote(symbol, 120);
    await expect
      .poll(async () => {
        await bot.save();
        return Number((await trades())[0]?.stopPrice);
      })
      .toBeGreaterThan(80);
    exchange.quote(symbol, 131);
    await expect.poll(async () => (await trades())[0]?.status).toBe('closed');
    expect((await trades())[0]?.exitReason).toMatch(/^rich after (\d+) of \1$/u);
    expect((await decided()).some(({ action }) => action === 'enter')).toBe(true);
    expect(logs).toEqual([]);
  });

  test('reads another pair and a longer timeframe, each as it had closed by then', async () => {
    const { bot, exchange, candle, decided, trades } = await aBot({
      before: `import { aligned } from '#engine/strategy/series.ts'; import { onOwnRows } from '#engine/market/longer-candles.ts';`,
      fields: `series: [{ symbol: 'ETH/{quote}' }, { timeframe: '15m', startupCandles: 2 }],
        compute(candles, _, others) {
          const count = candles.close.length;
          const [ether, quarters] = [aligned(candles, others, { symbol: 'ETH/{quote}' }), aligned(candles, others, { timeframe: '15m' })];
          const line = onOwnRows(ether.candles.close, ether.rows);
          const quarter = onOwnRows(quarters.candles.close, quarters.rows);
          const opened = onOwnRows(quarters.candles.openTime, quarters.rows);
          const age = opened.map((time, i) => (candles.openTime[i] - time) / 60000);
          const signals = noSignals(count, { line, quarter, age });
          for (let i = 0; i < count; i++) signals.enterLong[i] = line[i] > 150 ? 1 : 0;
          return signals;
        },`,
    });
    await bot.start();
    for (const price of [100, 101, 102]) await candle(price);
    exchange.quote('ETH/USDT', 140);
    await candle(103);
    expect((await decided()).at(-1)).toMatchObject({ action: 'none', values: { line: 140 } });
    exchange.quote('ETH/USDT', 160);
    await candle(104);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    const seen = (await decided()).map(({ values }) => values as { line: number; quarter: number; age: number });
    expect(seen.map(({ line }) => line)).toEqual([100, 100, 100, 100, 140, 160].slice(-seen.length));
    // The quarter of an hour that counts is one that has closed: its last minute is at least fourteen after its first.
    for (const { age, quarter } of seen) {
      expect(age).toBeGreaterThanOrEqual(14);
      expect(age).toBeLessThan(29);
      expect(quarter).toBe(100);
    }
  });

  test('a candle it fails on is a decision that says so, an open trade keeps its stop, and the next candle is asked again', async () => {
    const { bot, exchange, candle, decided, trades } = await aBot({
      compute: `if (close[count - 1] === 111) throw new Error('not eleven');`,
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    await candle(111);
    expect((await decided()).at(-1)).toMatchObject({
      action: 'hold',
      gate: 'strategy-failed',
      failure: expect.stringMatching(/not eleven \(mine\.ts, line \d+\)\.$/u),
    });
    exchange.quote(symbol, 40); // below its stop
    await expect.poll(async () => (await trades())[0]?.exitReason).toBe('stop_loss');
    await candle(111);
    expect((await decided()).at(-1)).toMatchObject({ action: 'none', gate: 'strategy-failed' });
    await candle(112);
    expect((await decided()).at(-1)).toMatchObject({ values: expect.anything() });
  });

  test('a callback that hangs has the answer of the reference, is reported, and holds up no other bot', async () => {
    const hangs = { callbacks: 'customExit: () => { for (;;); },' };
    const { bot, exchange, candle, trades, logs } = await aBot(hangs, { callbackMs: 300, mostFailures: 100 });
    const other = await aBot({});
    await Promise.all([bot.start(), other.bot.start()]);
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    exchange.quote(symbol, 111);
    await other.candle(100);
    await other.candle(110);
    await expect.poll(async () => (await other.trades())[0]?.status).toBe('open');
    exchange.quote(symbol, 40);
    await expect.poll(async () => (await trades())[0]?.exitReason).toBe('stop_loss');
    expect(logs).toContain('The strategy gave no answer for 0.3 s; its process was ended.');
    expect(other.logs).toEqual([]);
  });

  test('a callback that fails has the answer of the reference, and is reported', async () => {
    const fails = { callbacks: `confirmEntry: () => { throw new Error('no idea'); },` };
    const { bot, candle, trades, logs } = await aBot(fails);
    await bot.start();
    await candle(100);
    await candle(110); // entered although it did not confirm
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    expect(logs).toEqual([expect.stringContaining('no idea')]);
  });

  test('sets its stop again after each fill where it asks for that, as in a backtest', async () => {
    const { bot, exchange, trades, candle } = await aBot({
      callbacks: `
        stopAfterFill: true,
        customStop: ({ afterFill }) => (afterFill ? -0.3 : null),
        stake: () => 50,
        adjustPosition: ({ trade }) => (trade.orders.length === 1 ? { stake: 20, tag: 'more' } : null),`,
    });
    await bot.start();
    await candle(100);
    await candle(110);
    const stop = async () => {
      await bot.save();
      const [trade] = await trades();
      return [Number(trade?.stake ?? 0) > 60 ? 'larger' : 'first', Number(trade?.stopPrice).toFixed(0)];
    };
    await expect.poll(stop).toEqual(['first', '77']);
    exchange.pass(5_000);
    exchange.quote(symbol, 120);
    await expect.poll(stop).toEqual(['larger', '84']); // 30 % below what it was filled at
  });

  test('makes its trade larger and leaves a part of it, as often as it wants and the settings let it', async () => {
    const { bot, exchange, trades, candle, id } = await aBot({
      callbacks: `
        stake: () => 50,
        adjustPosition: ({ trade, price }) =>
          trade.orders.length === 1 ? { stake: 20, tag: 'more' } : trade.orders.length === 2 && price > 115 ? { stake: -30, tag: 'some' } : null,`,
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => Number((await trades())[0]?.stake)).toBeCloseTo(50, 0);
    exchange.pass(5_000);
    exchange.quote(symbol, 111);
    await expect.poll(async () => Number((await trades())[0]?.stake)).toBeCloseTo(70, 0);
    exchange.pass(5_000);
    exchange.quote(symbol, 116);
    const orders = () =>
      db
        .selectFrom('orders')
        .select(['purpose', 'reason', 'status'])
        .where('botId', '=', id)
        .orderBy('plannedAt')
        .orderBy('clientOrderId')
        .execute();
    await expect.poll(orders).toEqual([
      { purpose: 'entry', reason: 'above', status: 'filled' },
      { purpose: 'entry', reason: 'more', status: 'filled' },
      { purpose: 'exit', reason: 'some', status: 'filled' },
    ]);
    expect((await trades())[0]?.status).toBe('open');
  });

  test('after five failures in a row it is asked nothing, makes no entry, and manages what it holds; tried again it continues', async () => {
    const { bot, startAgain, exchange, candle, decided, trades, rests } = await aBot({
      compute: `if (close[count - 1] > 110 && close[count - 1] < 120) throw new Error('out of order');`,
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    for (let i = 1; i <= 5; i++) await candle(110 + i);
    expect(rests).toHaveLength(1);
    const rest = expect.stringMatching(/^The strategy rests after 5 failures in a row\. The last: Above fails/u);
    expect(bot.vital()).toMatchObject({ strategyRest: rest });
    await writeVitals(db, [bot.vital()!]);
    const open = async () => (await listAlarms(db, null)).filter(({ kind }) => kind === 'strategy-rests');
    await keepStandingAlarms(db);
    expect(await open()).toMatchObject([{ level: 'user', facts: { bots: 1, names: 'BuyAndHold', fault: rest } }]);
    await candle(125); // it would answer
    expect((await decided()).at(-1)).toMatchObject({
      gate: 'strategy-failed',
      failure: expect.stringMatching(/^The strategy rests after 5 failures in a row\. The last: Above fails/u),
    });
    exchange.quote(symbol, 40);
    await expect.poll(async () => (await trades())[0]?.exitReason).toBe('stop_loss');
    await candle(125);
    expect(await trades()).toHaveLength(1);
    const again = await startAgain();
    await candle(130);
    await expect.poll(async () => (await trades()).length).toBe(2);
    await writeVitals(db, [again.vital()!]);
    await keepStandingAlarms(db);
    expect(await open()).toEqual([]);
  });
});
