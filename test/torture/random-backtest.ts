import type { FundingEvents } from '#engine/account/funding.ts';
import type { BacktestInput, BacktestPair } from '#engine/backtest/input.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns, toColumns } from '#engine/market/candle.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import { switchableQuirks } from '#engine/risk/quirks.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { buildTimeframe } from '#cli/candles/build-timeframe.ts';
import { sandboxCandles } from '#cli/testing/sandbox-candles.ts';
import type { Draws } from './draws.ts';
import { drawsOf } from './draws.ts';
import { randomCallbacks } from './random-callbacks.ts';
import { randomSettings } from './random-settings.ts';

const minute = 60_000;
const from = Date.UTC(2025, 0, 29);
const candleCount = 2880; // ten days of 5m, across the end of a month
const bases = ['BTC', 'ETH', 'XRP'] as const;

/** A backtest of anything, over candles of the sandbox; the same seed gives the same one. */
export function randomBacktest(seed: number): BacktestInput {
  const draws = drawsOf(seed);
  const marketType = draws.oneOf(['spot', 'futures'] as const);
  const timeframeMs = draws.oneOf([5, 15, 60]) * minute;
  const hasDetail = timeframeMs > 5 * minute && draws.happens(0.4);
  const settings = requireSettings(randomSettings(draws, marketType));
  const first = 12 * draws.whole(0, 60);
  const pairs = bases.slice(0, draws.whole(1, 3)).map((base): BacktestPair => {
    const small = sliceColumns(marketCandles(base, marketType), first, first + draws.whole(100, 170) * 12);
    const candles = timeframeMs === 5 * minute ? small : buildTimeframe(small, 5 * minute, timeframeMs);
    const instrument = randomInstrument(draws, base, marketType);
    const funding = marketType === 'futures' ? randomFunding(draws, candles) : null;
    return { instrument, candles, signals: randomSignals(draws, candles.openTime.length), detail: hasDetail ? small : null, funding };
  });
  return {
    settings,
    timeframeMs,
    detailTimeframeMs: hasDetail ? 5 * minute : null,
    pairs,
    startupCandles: draws.oneOf([0, 0, 20]),
    callbacks: randomCallbacks(draws, seed),
    quirksOff: draws.happens(0.5) ? [] : switchableQuirks.filter(() => draws.happens(0.3)),
  };
}

const known = new Map<string, CandleColumns>();

function marketCandles(base: string, marketType: 'spot' | 'futures'): CandleColumns {
  const name = `${marketType} ${base}`;
  const candles = known.get(name) ?? toColumns(sandboxCandles(base, marketType, from, candleCount, 5 * minute));
  known.set(name, candles);
  return candles;
}

function randomSignals(draws: Draws, count: number): BacktestPair['signals'] {
  const column = (chance: number) => Uint8Array.from({ length: count }, () => (draws.happens(chance) ? 1 : 0));
  const often = draws.oneOf([0.02, 0.1, 0.3]);
  return {
    ...noSignals(count),
    enterLong: column(often),
    exitLong: column(0.05),
    enterShort: column(often / 2),
    exitShort: column(0.05),
    tags: ['one', 'two'],
    enterTag: Uint8Array.from({ length: count }, () => draws.whole(0, 2)),
  };
}

function randomInstrument(draws: Draws, base: string, marketType: 'spot' | 'futures'): Instrument {
  const isFutures = marketType === 'futures';
  const tier = { maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 };
  return anInstrument({
    symbol: isFutures ? `${base}/USDT:USDT` : `${base}/USDT`,
    base,
    marketType,
    amountStep: draws.oneOf([0.00001, 0.001]),
    contractSize: isFutures ? draws.oneOf([1, 0.1, 0.01]) : 1,
    minCost: draws.oneOf([0, 5]),
    maxCost: draws.oneOf([Infinity, 400]),
    maxLeverage: isFutures ? 20 : 1,
    leverageTiers: isFutures
      ? [
          { ...tier, minNotional: 0, maxNotional: 2000 },
          { minNotional: 2000, maxNotional: 1e6, maxLeverage: 5, maintenanceRate: 0.02, maintenanceAmount: 20 },
        ]
      : [],
  });
}

/** Funding of each hour or of each eighth, several times what is usual. */
function randomFunding(draws: Draws, { openTime, open }: CandleColumns): FundingEvents {
  const every = draws.oneOf([1, 8]) * 60 * minute;
  const at = [...openTime.keys()].filter((i) => openTime[i] % every === 0);
  return {
    time: Float64Array.from(at, (i) => openTime[i]),
    rate: Float64Array.from(at, () => (draws.fraction() - 0.5) * 0.004),
    mark: Float64Array.from(at, (i) => open[i]),
  };
}
