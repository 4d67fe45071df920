import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { givePython } from '../../../test/support/test-code.ts';
import { classText, type ClassParts } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { outsideBot } from './testing/outside-bot.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';

/** A bot of a class in Python, whose answers are waited for however slow the machine is. */
const aBot = (parts: ClassParts = {}) =>
  outsideBot(db, (id) => givePython(db, id, classText('Mine', parts)), { rowMs: patienceMs, callbackMs: patienceMs });

describe.skipIf(testPythonPlaces.given === null)(needsPython('a bot of a class in Python'), () => {
  test('enters where the class says so, with its stake, tag and stop, and leaves as it wants', async () => {
    const { bot, exchange, trades, candle, decided, logs } = await aBot({
      fields: 'use_custom_stoploss = True',
      methods: `def custom_stake_amount(self, proposed_stake, **words):
    return proposed_stake / 2

def custom_stoploss(self, current_rate, **words):
    return -0.2

def custom_exit(self, trade, current_rate, **words):
    return f"rich as {trade.enter_tag}" if current_rate > 130 else None`,
    });
    await bot.start();
    await candle(100);
    await candle(110);
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
    expect((await trades())[0]?.exitReason).toBe('rich as above');
    expect((await decided()).some(({ action }) => action === 'enter')).toBe(true);
    expect(logs).toEqual([]);
  });

  test('is shown a thousand candles, and of what it announces those that had closed by then', async () => {
    const { bot, exchange, candle, trades, logs } = await aBot({
      populate: `quarters = self.dp.get_pair_dataframe("ETH/USDT", "15m")
dataframe["average"] = 1_000_000
if len(dataframe) >= 1000 and len(quarters) > 0:
    age = (dataframe["date"].iloc[-1] - quarters["date"].iloc[-1]).total_seconds() / 60
    if 14 <= age < 29 and quarters["close"].iloc[-1] > 150 and metadata["pair"] == "BTC/USDT":
        dataframe["average"] = 1`,
      methods: 'def informative_pairs(self):\n    return [("ETH/USDT", "15m")]',
    });
    await bot.start();
    for (let i = 0; i < 3; i++) await candle(100);
    exchange.quote('ETH/USDT', 160);
    await candle(100);
    expect(await trades()).toEqual([]); // the quarter that has closed is of before
    for (let i = 0; i < 16; i++) await candle(100);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    expect(logs).toEqual([]);
  });

  test('what it keeps with a trade is stored with the trade, also when a step is taken again', async () => {
    const { id, bot, exchange, candle, trades } = await aBot({
      methods: `def custom_exit(self, trade, current_rate, **words):
    highest = max(trade.get_custom_data("highest", 0), current_rate)
    trade.set_custom_data("highest", highest)
    return None

def adjust_trade_position(self, trade, **words):
    return None`,
      fields: 'position_adjustment_enable = True',
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    const kept = async () => {
      await bot.save();
      const row = await db.selectFrom('trades').select('engineState').where('botId', '=', id).executeTakeFirstOrThrow();
      return (row.engineState as { customData?: object }).customData;
    };
    exchange.quote(symbol, 120);
    await expect.poll(kept).toEqual({ highest: expect.closeTo(120, 0) });
    exchange.quote(symbol, 115);
    await candle(115);
    await candle(116);
    expect(await kept()).toEqual({ highest: expect.closeTo(120, 0) });
  });

  test('settings of the class that nobody sets hold: no exit on a signal, a pause after each trade', async () => {
    const { bot, exchange, candle, trades, decided } = await aBot({
      fields: 'use_exit_signal = False\nprotections = [{"method": "CooldownPeriod", "stop_duration": 600}]',
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    for (const price of [60, 61, 60]) await candle(price); // below its average, above its stop
    expect((await trades())[0]?.status).toBe('open');
    exchange.quote(symbol, 40);
    await expect.poll(async () => (await trades())[0]?.exitReason).toBe('stop_loss');
    for (let i = 0; i < 3; i++) await candle(90 + i);
    expect(await trades()).toHaveLength(1);
    expect((await decided()).at(-1)).toMatchObject({ action: 'none', gate: expect.stringMatching(/lock|cooldown|protect/u) });
  });

  test('a class that dies with a candle is a decision that says so; its trade keeps its stop, and the next candle is asked again', async () => {
    const { bot, exchange, candle, decided, trades } = await aBot({
      populate: 'import os\nif dataframe["close"].iloc[-1] == 111: os._exit(7)',
    });
    await bot.start();
    await candle(100);
    await candle(110);
    await expect.poll(async () => (await trades())[0]?.status).toBe('open');
    await candle(111);
    expect((await decided()).at(-1)).toMatchObject({
      gate: 'strategy-failed',
      failure: 'The strategy’s process has ended by itself (with code 7).',
    });
    exchange.quote(symbol, 40);
    await expect.poll(async () => (await trades())[0]?.exitReason).toBe('stop_loss');
    await candle(112);
    expect((await decided()).at(-1)?.gate).not.toBe('strategy-failed');
  });

  test('one that asks for its trades and its wallet is shown those of its bot, and of no other', async () => {
    const parts = {
      methods: `def custom_stake_amount(self, **words):
    return self.wallets.get_total_stake_amount() / 4

def custom_exit(self, current_rate, **words):
    closed = Trade.get_trades_proxy(is_open=False)
    return f"{len(closed)} closed, {Trade.get_open_trade_count()} open" if current_rate > 130 else None`,
      head: `import sys, types
module = types.ModuleType("freqtrade.persistence")
module.Trade = type("Trade", (), {})
sys.modules["freqtrade.persistence"] = module
from freqtrade.persistence import Trade`,
    };
    const { bot, exchange, candle, trades, logs } = await aBot(parts);
    const other = await aBot(parts);
    await Promise.all([bot.start(), other.bot.start()]);
    for (let i = 0; i < 2; i++) {
      await candle(100);
      await candle(110);
      await expect.poll(async () => (await trades())[i]?.status).toBe('open');
      exchange.quote(symbol, 131);
      await expect.poll(async () => (await trades())[i]?.exitReason).toBe(`${i} closed, 1 open`);
    }
    const [first, second] = (await trades()).map(({ stake }) => Number(stake));
    expect(Math.round((first ?? 0) / 5)).toBe(15); // a quarter of three stakes of 100
    expect(second).toBeGreaterThan((first ?? 0) + 0.5); // it has won in the meantime
    await other.candle(100);
    await other.candle(110);
    await expect.poll(async () => (await other.trades())[0]?.status).toBe('open');
    other.exchange.quote(symbol, 131);
    await expect.poll(async () => (await other.trades())[0]?.exitReason).toBe('0 closed, 1 open');
    expect([...logs, ...other.logs]).toEqual([]);
  });
});
