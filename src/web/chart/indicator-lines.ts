import type { Candle } from './chart-data.ts';

/** A line of a strategy that can be drawn. */
export interface IndicatorLine {
  name: string;
  color: string;
  points: readonly { timestamp: number; value: number }[];
}

const colors = ['#e0a92e', '#d46bb5', '#58b6a0', '#8f8bf0', '#c98b62', '#7f93a8'];

/** The colour of the indicator at this place in its strategy's list; none of them means money or a direction. */
export function indicatorColor(place: number): string {
  return colors[place % colors.length] ?? '#7f93a8';
}

/** Whether an indicator has the size of the price and is drawn over the candles; others, such as an RSI, have a scale of their own. */
export function isOnPrice(points: IndicatorLine['points'], candles: readonly Candle[]): boolean {
  const low = Math.min(...candles.map((candle) => candle.low));
  const high = Math.max(...candles.map((candle) => candle.high));
  const inReach = points.filter(({ value }) => value > low / 2 && value < high * 2);
  return inReach.length * 2 > points.length;
}
