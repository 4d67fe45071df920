/**
 * How fast the backtest's loop is: candles per second for one pair with a year of 1m candles, next to the plainest
 * possible loop over the same arrays in the same run; then 50 pairs with a year of 5m candles, and the ticks of a bot.
 *
 * Usage: node bench/engine-loop.ts
 */
import { backtest } from '../src/engine/backtest/backtest.ts';
import type { BacktestPair } from '../src/engine/backtest/input.ts';
import { checkCandlesOf, checkSignalsOf } from '../src/engine/backtest/input.ts';
import { requireSettings } from '../src/engine/settings/normalise-settings.ts';
import type { BotContext } from '../src/engine/bot/state.ts';
import { botState } from '../src/engine/bot/state.ts';
import { step } from '../src/engine/bot/step.ts';
import type { CandleColumns } from '../src/engine/market/candle.ts';
import { candleColumns } from '../src/engine/market/candle.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { noSignals } from '../src/engine/strategy/strategy.ts';

const minute = 60_000;
const startTime = Date.UTC(2025, 0, 1);

function randomWalk(count: number, stepMs: number, seed: number): CandleColumns {
  const random = seededRandom(seed);
  const candles = candleColumns(count);
  let price = 100;
  const cut = (value: number): number => Math.round(value * 100) / 100;
  for (let i = 0; i < count; i++) {
    const close = Math.max(10, cut(price * (1 + (random() - 0.5) * 0.002)));
    candles.openTime[i] = startTime + i * stepMs;
    candles.open[i] = price;
    candles.close[i] = close;
    candles.high[i] = cut(Math.max(price, close) + random() * 0.05);
    candles.low[i] = cut(Math.min(price, close) - random() * 0.05);
    candles.volume[i] = 1;
    price = close;
  }
  return candles;
}

function pairOf(symbol: string, candles: CandleColumns, every: number): BacktestPair {
  const instrument = anInstrument({
    symbol,
    base: symbol,
    amountStep: 0.0001,
  });
  const signals = noSignals(candles.openTime.length);
  for (let i = 500; i < candles.openTime.length; i += every) signals.enterLong[i] = 1;
  return { instrument, candles, signals };
}

const settings = requireSettings({
  stakeAmount: 100,
  maxOpenTrades: 10,
  startingBalance: 10_000,
  stoploss: -0.02,
  minimalRoi: { 0: 0.02, 240: 0.01, 720: 0.005 },
  trailingStop: true,
  trailingStopPositive: 0.005,
  trailingStopPositiveOffset: 0.01,
  trailingOnlyOffsetIsReached: true,
});

function best(times: number, run: () => void): number {
  let shortest = Infinity;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

const year = randomWalk(525_600, minute, 7);
const one = { settings, timeframeMs: minute, startupCandles: 200, pairs: [pairOf('AAA/USDT', year, 1500)] };
let trades = 0;
const whole = best(15, () => (trades = backtest(one).trades.length));
const checks = best(15, () => {
  checkCandlesOf(one);
  checkSignalsOf(one.pairs);
});
let touched = 0;
const plain = best(15, () => {
  for (let i = 0; i < year.openTime.length; i++) if (year.high[i] > 150 && year.low[i] < 50) touched += 1;
});
const rate = (count: number, ms: number): string => `${(count / ms / 1000).toFixed(1)} M candles/s (${ms.toFixed(2)} ms)`;
process.stdout.write(`one pair, 525,600 candles of 1m, ${trades} trades\n`);
process.stdout.write(`  whole backtest, checks included  ${rate(525_600, whole)}\n`);
process.stdout.write(`  of which checking the input      ${checks.toFixed(2)} ms\n`);
process.stdout.write(`  without the checks               ${rate(525_600, whole - checks)}\n`);
process.stdout.write(`  plainest loop, same arrays       ${rate(525_600, plain)}${touched < 0 ? '!' : ''}\n`);

const fifty = {
  settings: { ...settings, maxOpenTrades: 10 },
  timeframeMs: 5 * minute,
  startupCandles: 200,
  pairs: Array.from({ length: 50 }, (_, i) => pairOf(`P${i}/USDT`, randomWalk(105_120, 5 * minute, i + 1), 400 + i)),
};
const many = best(3, () => (trades = backtest(fifty).trades.length));
process.stdout.write(`50 pairs, 105,120 candles of 5m each, ${trades} trades: ${rate(50 * 105_120, many)}\n`);
/** Ticks of a bot that holds a trade in each of three pairs, with trailing and ROI, per second. */
function botTicks(count: number): number {
  const symbols = ['A/USDT', 'B/USDT', 'C/USDT'];
  const none = noSignals(0);
  const instruments = new Map(symbols.map((symbol) => [symbol, pairOf(symbol, { ...candleColumns(0) }, 1).instrument] as const));
  const context: BotContext = { instruments, callbacks: {}, execution: 'simulated' };
  const state = botState({
    botId: 'bench',
    timeframe: '5m',
    status: 'active',
    settings: { ...settings, stakeAmount: 100, maxOpenTrades: 3 },
  });
  const row = {
    enterLong: true,
    exitLong: false,
    enterShort: false,
    exitShort: false,
    enterTag: none.tags[0] ?? null,
    exitTag: null,
    confidence: 1,
  };
  const random = seededRandom(11);
  const viewOf = (symbol: string, time: number) => {
    const price = 100 + Math.round(random() * 50) / 100;
    return { symbol, time, bid: price, ask: price, last: price };
  };
  for (const symbol of symbols) {
    step(
      state,
      {
        kind: 'candle-closed',
        time: startTime + 5 * minute,
        symbol,
        candleTime: startTime,
        row,
        view: viewOf(symbol, startTime + 5 * minute),
      },
      context,
    );
  }
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    step(state, { kind: 'market', view: viewOf(symbols[i % 3] ?? 'A/USDT', startTime + 5 * minute + i) }, context);
  }
  return (count / (performance.now() - start)) * 1000;
}
botTicks(50_000);
process.stdout.write(`bot, three open trades: ${Math.round(botTicks(200_000)).toLocaleString('en')} ticks/s\n`);
process.stdout.write(`memory: ${Math.round(process.memoryUsage().rss / 1e6)} MB resident\n`);
