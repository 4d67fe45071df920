import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { knownBy, namesOfPairs, type OtherPairs, pairOf, startupOn } from '#engine/strategy/series.ts';
import type { ParameterValues, Signals, Strategy } from '#engine/strategy/strategy.ts';
import { columnsInPython } from './columns-in-python.ts';
import { rulesOfBot } from './rules-of-bot.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import type { Series } from '#feeds/series.ts';
import { windowColumns } from '#feeds/window-columns.ts';

/** A named column of a strategy as a line; time in ms. */
export interface IndicatorLine {
  name: string;
  points: { timestamp: number; value: number }[];
}

/** Names that are kept at a time; finding them again takes a calculation. */
const mostNames = 2_000;

const names = new Map<string, readonly string[]>(); // by class and parameters: with the same a strategy has the same columns at every call

/**
 * What a strategy sees in the newest `count` closed candles of a series, those of gaps included as its bot has them: the columns it computes, by its own code. `values`
 * false gives their names alone.
 */
export async function strategyIndicators(
  { windows, db, processes }: Pick<ServerDependencies, 'windows' | 'db' | 'processes'>,
  series: Series,
  bot: Pick<BotView, 'strategyClass' | 'strategyKind' | 'codeId' | 'codeDescription'>,
  parameters: ParameterValues,
  count: number,
  values: boolean,
): Promise<IndicatorLine[]> {
  const key = JSON.stringify([bot.strategyClass, bot.codeId, parameters]);
  const known = names.get(key);
  if (!values && known !== undefined) return known.map((name) => ({ name, points: [] }));
  const rules = await rulesOfBot(db, bot, series.timeframe);
  if (rules === 'unrunnable') return []; // its bot says why
  const compiled: Strategy | null = rules;
  const strategy = compiled ?? requireKnownStrategy(bot.strategyClass, bot.codeDescription);
  const startupCandles = startupOn(strategy, series.timeframe);
  const size = values ? count + startupCandles : count;
  const newest = async (of: Series): Promise<CandleColumns> =>
    windowColumns(await windows.newest(of, size, false), size, timeframeLengths[of.timeframe]);
  const columns = await newest(series);
  const others = knownBy(columns.openTime.at(-1) ?? 0, await candlesOf(namesOfPairs(strategy)));
  const { indicators } = await signalsOf();
  if (names.size >= mostNames) names.clear();
  if (columns.openTime.length > 0) names.set(key, Object.keys(indicators));
  const from = Math.max(0, columns.openTime.length - count);
  return Object.entries(indicators).map(([name, column]) => ({
    name,
    points: values ? linePoints(columns.openTime, column, from) : [],
  }));

  /** The candles of other pairs; of one that cannot be had there are none, and what is made of it is not drawn. */
  async function candlesOf(pairs: readonly string[]): Promise<OtherPairs> {
    const found = pairs.map(async (name) => {
      const symbol = pairOf(name, series.symbol);
      return [name, await newest({ ...series, symbol }).catch(() => candleColumns(0))] as const;
    });
    return Object.fromEntries(await Promise.all(found));
  }

  /** The signals of the version that the bot runs; one that fails draws no lines, and its bot says why. */
  async function signalsOf(): Promise<Pick<Signals, 'indicators'>> {
    if (compiled !== null) return compiled.compute(columns, parameters, others);
    if (bot.codeId === null) return strategyOfClass(bot.strategyClass).compute(columns, parameters);
    const code = await findCode(db, bot.codeId);
    if (code === null || code.file === null || code.files === null || code.exportName === null) return { indicators: {} };
    const { hash: id, file, files, exportName } = code;
    try {
      const python = pythonOf(code.description);
      if (python !== null) return await columnsInPython({ windows, processes }, code, python, series, columns, parameters);
      return await processes.columns({ version: { id, file, files }, exportName }, parameters, {
        symbol: series.symbol,
        own: { candles: columns },
        others: Object.fromEntries(Object.entries(others).map(([name, candles]) => [name, { candles }])),
      });
    } catch (error) {
      if (error instanceof StrategyError) return { indicators: {} };
      throw error;
    }
  }
}

function linePoints(times: Float64Array, column: Float64Array, from: number): IndicatorLine['points'] {
  const points: IndicatorLine['points'] = [];
  for (let i = from; i < times.length; i++) {
    const value = column[i] ?? Number.NaN;
    if (Number.isFinite(value)) points.push({ timestamp: times[i] ?? 0, value: Number(value.toPrecision(10)) });
  }
  return points;
}
