import type { CandleColumns } from '#engine/market/candle.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { candleAt, handMarket, series } from '#feeds/testing/hand-market.ts';
import { localSignals } from '#runner/bots/runnable-strategy.ts';
import { SignalFeed } from '#runner/bots/signal-feed.ts';
import { findBot } from '#storage/bots/bots.ts';
import { emaCross } from '#strategies/ema-cross.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { classText } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { givePython } from '../../../test/support/test-code.ts';
import { strategyIndicators } from './strategy-indicators.ts';
import { aRowListener } from '#runner/bots/testing/row-listener.ts';

const { db } = await freshDatabase();
const processes = new StrategyProcesses(
  { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces },
  productTimes,
  () => undefined,
);
afterAll(() => processes.end());

const size = emaCross.startupCandles + 50; // of the window of a bot, and of a chart of fifty candles
const parameters = { fastPeriod: 12, slowPeriod: 26, filterPeriod: 100 };

/** A market in which candles of these minutes were traded until now; a first window is answered with them. */
function aMarket(count: number) {
  const market = handMarket();
  const candles = Array.from({ length: count }, (_, i) => candleAt(market.now() - (count - i) * minuteMs, 100 + (i % 37)));
  /** Nothing is traded for so long, then candles of ten minutes. */
  const comeBack = (afterMs: number): void => {
    market.pass(afterMs);
    const back = market.now();
    market.pass(10 * minuteMs);
    for (let i = 0; i < 10; i++) market.report(series.symbol, candleAt(back + i * minuteMs, 300 + i));
  };
  return { market, candles, comeBack };
}

test('API-17 after a gap a chart draws what the bot has decided with', async () => {
  const { market, candles, comeBack } = aMarket(size);
  const given: CandleColumns[] = [];
  const compute: typeof emaCross.compute = (columns, ...more) => {
    given.push(columns);
    return emaCross.compute(columns, ...more);
  };
  const bot = await findBot(db, await addTestBot(db, { strategy: 'EmaCross' }));
  const listening = new SignalFeed(market.windows, (error) => expect.fail(String(error))).listen(
    aRowListener(),
    localSignals({ ...emaCross, compute }),
    parameters,
    series,
    () => {},
  );
  await market.answer('candles', candles);
  await listening;
  comeBack(200 * minuteMs);
  const drawn = await strategyIndicators({ windows: market.windows, db, processes }, series, bot!, parameters, 50, true);
  const decided = given.at(-1)!;
  const { indicators } = emaCross.compute(decided, parameters);
  expect(drawn.map(({ name, points }) => [name, points.length, points.at(-1)])).toEqual(
    Object.entries(indicators).map(([name, column]) => [
      name,
      50,
      { timestamp: decided.openTime.at(-1), value: Number(column.at(-1)!.toPrecision(10)) },
    ]),
  );
});

describe.skipIf(testPythonPlaces.given === null)(needsPython('of a class in Python'), () => {
  test('API-17 the candles of another pair that was away for a month are as many as ever', async () => {
    const { market, candles, comeBack } = aMarket(1_000);
    const populate = `other = self.dp.get_pair_dataframe("ETH/USDT", "1m")
dataframe["own"] = len(dataframe)
dataframe["other"] = len(other)
dataframe["before"] = other["close"].iloc[0]`;
    const text = classText('Mine', {
      fields: 'startup_candle_count = 100\ndef informative_pairs(self):\n    return [("ETH/USDT", "1m")]',
      populate,
    }).replace('"5m"', '"1m"');
    const id = await addTestBot(db, { strategy: 'EmaCross' });
    await givePython(db, id, text);
    const bot = await findBot(db, id);
    for (const symbol of ['BTC/USDT', 'ETH/USDT']) {
      const reading = market.windows.newest({ ...series, symbol }, 1_000, false);
      await market.answer('candles', candles);
      await reading;
    }
    comeBack(30 * dayMs);
    market.report('ETH/USDT', candleAt(market.now() - minuteMs, 7));
    const drawn = await strategyIndicators({ windows: market.windows, db, processes }, series, bot!, {}, 50, true);
    expect(Object.fromEntries(drawn.map(({ name, points }) => [name, points.at(-1)?.value]))).toMatchObject({
      own: 150,
      other: 1_000,
      before: candles.at(-1)!.close,
    });
  });
});
