import { currenciesOf } from '#engine/account/fill.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { ParameterValues, Signals } from '#engine/strategy/strategy.ts';
import type { Series } from '#feeds/series.ts';
import { windowColumns } from '#feeds/window-columns.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { KeptPythonDescription } from '#strategy-process/python/python-facts.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import { readByClass } from '#strategy-process/python/read-by-class.ts';
import { marketOfKind, nameOfSeries } from '#strategy-process/python/series-name.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** How many candles of another series are shown to a class. */
const otherCandles = 1_000;

/** The columns of a class in Python on candles, made for these alone: what it draws depends on them and not on a bot's money. Fails: StrategyError */
export async function columnsInPython(
  { windows, processes }: Pick<ServerDependencies, 'windows' | 'processes'>,
  { hash, file, files, exportName }: StrategyCode,
  kept: KeptPythonDescription,
  series: Series,
  candles: CandleColumns,
  parameters: ParameterValues,
): Promise<Pick<Signals, 'indicators'>> {
  if (file === null || files === null || exportName === null) return { indicators: {} };
  const { symbol, timeframe, exchangeId, marketType } = series;
  const config = {
    runmode: 'backtest',
    dry_run: true,
    stake_currency: currenciesOf(symbol).quote,
    stake_amount: 100,
    max_open_trades: 1,
    timeframe,
    trading_mode: marketType,
    exchange: { name: exchangeId, pair_whitelist: [symbol] },
  };
  const strategy = { version: { id: hash, file, files, python: { config, pairs: [symbol], parameters } }, exportName };
  const newest = async (name: SeriesName): Promise<CandleColumns> => {
    const market = marketOfKind(name.kind);
    if (!isTimeframe(name.timeframe) || market === null) return candleColumns(0);
    const other = { exchangeId, marketType: market, symbol: name.symbol, timeframe: name.timeframe };
    return windowColumns(await windows.newest(other, otherCandles, false), otherCandles, timeframeLengths[name.timeframe]);
  };
  const read = await readByClass(processes, strategy, kept, symbol);
  const others = await Promise.all(
    read.map(async (name) => [nameOfSeries(name), { candles: await newest(name).catch(() => candleColumns(0)) }] as const),
  );
  return processes.columns(strategy, parameters, { symbol, own: { candles }, others: Object.fromEntries(others) });
}
