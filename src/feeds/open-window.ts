import type { Candle } from '#engine/market/candle.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { CandleWindow } from './candle-window.ts';
import type { Series } from './series.ts';
import { windowHistory } from './window-history.ts';

/**
 * Opens a window: subscribes to the series, then loads its history, then adds the candles that closed meanwhile.
 *
 * It may grow out of a `smaller` window of the same series, which it replaces once it is loaded. Until then the watchers
 * of both receive their candles from the smaller one; they miss none and receive none twice. When the history cannot be
 * loaded, `loaded` fails and the smaller window continues as before.
 */
export function openWindow(
  market: MarketData,
  series: Series,
  size: number,
  smaller: CandleWindow | null,
  now: () => number,
): CandleWindow {
  const window = new CandleWindow(series, size, smaller, now);
  const early: Candle[] = []; // closed while the history was being loaded
  const end = market.watch(
    { symbol: series.symbol, timeframes: [series.timeframe], quotes: false },
    {
      onCandle: (_, candle) => {
        window.confirmPrice();
        if (window.isLoaded) window.append(candle);
        else early.push(candle);
      },
      onOpenCandle: (_, candle) => window.setOpen(candle),
      onStale: (isStale) => window.setSilent(isStale),
    },
  );
  window.release = () => {
    end();
    smaller?.release();
  };
  const load = async (): Promise<void> => {
    const length = timeframeLengths[series.timeframe];
    const history = await windowHistory(market, series, size, now());
    window.priceKnownAt(Math.min((history.at(-1)?.openTime ?? -length) + length, now()));
    window.isLoaded = true;
    window.release = end;
    smaller?.release();
    // What the smaller window has not reported yet is reported now, each candle with the window as it was then.
    const reportedUntil = smaller?.closed.at(-1)?.openTime ?? history.at(-1)?.openTime ?? -Infinity;
    const isReported = ({ openTime }: Candle): boolean => openTime <= reportedUntil;
    window.closed = history.filter(isReported);
    for (const candle of [...history, ...early]) window.append(candle, isReported(candle));
  };
  window.loaded = load().catch((error: unknown) => {
    end();
    throw error;
  });
  return window;
}
