import type { CallReply } from '#contract/client.ts';

type ChartAnswer = CallReply<'chartCandles'>;
type LinePoint = { timestamp: number; value: number };

/** What the answers about a chart have brought together: all its candles, and the newest points of the line over them. */
export type ChartState = Omit<ChartAnswer, 'is_partial'> & { avwap: LinePoint[] };

/**
 * What is known after an answer. One with only what has changed takes the place of what was known from its first candle on. A
 * full one that reaches back into what was known keeps what is older, so that nobody's view loses its ground. One that was overtaken on its way
 * changes nothing, so that no price goes back.
 */
export function afterAnswer(known: ChartState | undefined, { is_partial: isPartial = false, ...answer }: ChartAnswer): ChartState {
  if (isPartial && known?.price_time !== undefined && (answer.price_time ?? Infinity) < known.price_time) return known;
  const first = answer.candles[0]?.timestamp ?? Infinity;
  const isSame = known !== undefined && known.timeframe === answer.timeframe && (known.candles.at(-1)?.timestamp ?? -Infinity) >= first;
  const older = isSame ? known.candles.filter(({ timestamp }) => timestamp < first) : [];
  const candles = [...older, ...answer.candles];
  if (!isPartial) return { ...answer, candles, avwap: [] };
  const avwap = [...(known?.avwap ?? []).filter(({ timestamp }) => timestamp < first), ...(answer.avwap ?? [])];
  return { ...answer, candles, avwap, cursor: answer.cursor ?? known?.cursor, price_tick: answer.price_tick ?? known?.price_tick };
}

/** A line with its newest points replaced and continued by those that came with the candles since. */
export function lineAfter(line: readonly LinePoint[], newest: readonly LinePoint[]): LinePoint[] {
  const last = line.at(-1)?.timestamp;
  if (last === undefined) return [];
  const from = newest.find(({ timestamp }) => timestamp >= last)?.timestamp ?? Infinity;
  return [...line.filter(({ timestamp }) => timestamp < from), ...newest.filter(({ timestamp }) => timestamp >= from)];
}
