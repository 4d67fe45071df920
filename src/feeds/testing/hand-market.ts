import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, MarketListener } from '#engine/ports/market-data.ts';
import { expect } from 'vitest';
import type { Series } from '../series.ts';
import { CandleWindows } from '../candle-windows.ts';
import { Markets } from '../markets.ts';

/** The series of the market moved by hand. */
export const series: Series = { exchangeId: 'by hand', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1m' };

/** A candle of the market moved by hand. */
export function candleAt(openTime: number, close = 1): Candle {
  return { openTime, open: 1, high: 9, low: 1, close, volume: 1 };
}

/** A request for history that waits for its answer. */
interface Request {
  from: number;
  to: number;
  answer(result: 'candles' | 'error', candles?: readonly Candle[]): void;
}

/** A market moved by hand: time passes when the test says so, and history is answered, late or not at all, as the test says. */
export function handMarket(openCandle: MarketData['openCandle'] = async () => null) {
  let time = 1_000 * hourMs;
  const listeners = new Set<MarketListener>();
  const symbols = new Map<MarketListener, string>(); // what each of them listens to
  const waiting: Request[] = [];
  const closedSince = (from: number, to: number): Candle[] =>
    Array.from({ length: (to - from) / minuteMs }, (_, i) => candleAt(from + i * minuteMs));
  const market: MarketData = {
    exchangeId: series.exchangeId,
    marketType: series.marketType,
    timeframes: [series.timeframe],
    instruments: async () => [],
    instrument: async () => null,
    funding: async () => [],
    markCandles: async () => [],
    openCandle,
    candles: async (_symbol, _timeframe, from, to) =>
      new Promise((resolve, reject) =>
        waiting.push({
          from,
          to,
          answer: (result, candles) =>
            result === 'candles' ? resolve([...(candles ?? closedSince(from, time))]) : reject(new Error('no answer')),
        }),
      ),
    orderBook: async () => Promise.reject(new Error('not asked')),
    quote: async () => Promise.reject(new Error('not asked')),
    watch({ symbol }, listener) {
      listeners.add(listener);
      symbols.set(listener, symbol);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
  const windows = new CandleWindows(new Markets([], async () => market), { now: () => time });
  return {
    windows,
    listeners,
    now: () => time,
    pass: (ms: number) => void (time += ms),
    /** A minute passes, and the stream reports the candle that it closes; gives its open time. */
    passMinute(isReported = true): number {
      const candle = candleAt(time);
      time += minuteMs;
      if (isReported) for (const listener of listeners) listener.onCandle?.('1m', candle);
      return candle.openTime;
    },
    /** The stream reports a closed candle of one symbol. */
    report(symbol: string, candle: Candle, timeframe: Timeframe = '1m'): void {
      for (const listener of listeners) if (symbols.get(listener) === symbol) listener.onCandle?.(timeframe, candle);
    },
    /** The oldest request for history that waits, once there is one. */
    async request(): Promise<Request> {
      await expect.poll(() => waiting.length, { interval: 1 }).toBeGreaterThan(0);
      return waiting.shift()!;
    },
    /** Answers the oldest request for history. */
    async answer(result: 'candles' | 'error', candles?: readonly Candle[]): Promise<void> {
      (await this.request()).answer(result, candles);
    },
    waiting: () => waiting.length,
  };
}
