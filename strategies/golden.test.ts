import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { findLookAhead } from '#engine/backtest/look-ahead.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sandboxCandles } from '../src/cli/testing/sandbox-candles.ts';
import { builtInStrategies } from './built-in.ts';

const days = 45;
const start = Date.UTC(2025, 2, 3);

function candlesFor(strategy: Strategy): Candle[] {
  const length = timeframeLengths[strategy.defaults.timeframe];
  // Fine timeframes need fewer days to trade often enough.
  const span = strategy.defaults.timeframe === '1m' ? 12 : strategy.defaults.timeframe === '1h' ? days * 3 : days;
  return sandboxCandles('ETH', strategy.canShort ? 'futures' : 'spot', start, (span * 86_400_000) / length, length);
}

function run(strategy: Strategy, candles: Candle[]) {
  const marketType = strategy.canShort ? 'futures' : 'spot';
  const instrument = anInstrument({
    symbol: marketType === 'futures' ? 'ETH/USDT:USDT' : 'ETH/USDT',
    base: 'ETH',
    marketType,
    amountStep: 0.0001,
    maxLeverage: 20,
  });
  const settings = requireSettings({
    marketType,
    canShort: strategy.canShort,
    stakeAmount: 1_000,
    startingBalance: 10_000,
    maxOpenTrades: 1,
    fee: 0.001,
    ...strategy.defaults,
    liquidationFormula: 'binance',
  });
  return backtestStrategy({
    strategy,
    parameters: defaultParameters(strategy),
    settings,
    timeframe: strategy.defaults.timeframe,
    pairs: [{ instrument, candles: toColumns(candles) }],
  });
}

describe.each(builtInStrategies.map((strategy) => [strategy.name, strategy] as const))('%s', (_, strategy) => {
  const candles = candlesFor(strategy);

  test('trades exactly so on these candles of the sandbox; another number needs a line under Money in the changelog', () => {
    const { trades } = run(strategy, candles);
    const profit = trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
    const print = createHash('sha256')
      .update(
        fingerprintLines(trades)
          .map((line) => `${line}\n`)
          .join(''),
      )
      .digest('hex')
      .slice(0, 16);
    expect({ trades: trades.length, profit: profit.toFixed(8), print }).toMatchSnapshot();
  });

  test('never looks ahead', () => {
    expect(findLookAhead(strategy, defaultParameters(strategy), toColumns(candles.slice(0, 3_000)), { maxPrefixes: 60 })).toBeNull();
  });
});
