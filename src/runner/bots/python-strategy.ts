import { failedRow } from '#engine/bot/signal-row.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { Series } from '#feeds/series.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { KeptPythonDescription } from '#strategy-process/python/python-facts.ts';
import { readByClass } from '#strategy-process/python/read-by-class.ts';
import { marketOfKind, nameOfSeries } from '#strategy-process/python/series-name.ts';
import type { Asker } from '#strategy-process/asker.ts';
import type { AccountNow, StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { ReadSeries, RunnableStrategy } from './runnable-strategy.ts';
import { outsideCallbacks, seriesName } from './runnable-strategy.ts';

/** Most files say nothing of their warm-up: on fewer candles they say another thing than in a backtest. */
export const leastPythonCandles = 1_000;

/** A strategy in Python, which runs in a process of its own; `onError` receives each callback that fails. */
export function pythonStrategy(
  processes: StrategyProcesses,
  strategy: StrategyOfVersion,
  kept: KeptPythonDescription,
  asker: Asker,
  onError: (error: unknown) => void,
  account: () => Promise<AccountNow>,
): RunnableStrategy {
  const { canShort, parameters, startupCandles, fixed } = kept;
  return {
    canShort,
    parameters,
    fixed,
    signals: {
      key: JSON.stringify([strategy.version.id, strategy.exportName, strategy.version.python]),
      startupCandles,
      leastCandles: leastPythonCandles,
      async reads(series) {
        return (await readByClass(processes, strategy, kept, series.symbol)).flatMap((name): ReadSeries[] => {
          const read = seriesOfName(name, series.exchangeId);
          return read === null || seriesName(read) === seriesName(series) ? [] : [{ name: nameOfSeries(name), series: read }];
        });
      },
      async rowOf(candles, values, series, read, askers) {
        const { symbol, timeframe } = series;
        const own = { candles, series: seriesName(series) };
        const others = Object.fromEntries(
          Object.entries(read).map(([name, each]) => [name, { candles: each, series: `beside ${symbol}: ${name}` }]),
        );
        try {
          return await processes.row(strategy, values, { symbol, own, others, timeframeMs: timeframeLengths[timeframe] }, askers);
        } catch (error) {
          return failedRow(errorText(error));
        }
      },
    },
    ...outsideCallbacks(processes, strategy, kept, asker, onError, kept.python.readsAccount ? account : null),
  };
}

/** A series by its name in Python; null for what no exchange gives as candles. */
export function seriesOfName({ symbol, timeframe, kind }: SeriesName, exchangeId: string): Series | null {
  const marketType = marketOfKind(kind);
  return !isTimeframe(timeframe) || marketType === null ? null : { exchangeId, marketType, symbol, timeframe };
}
