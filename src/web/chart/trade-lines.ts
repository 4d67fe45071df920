import { chartColors } from './chart-style.ts';
import type { ChartTrade } from './trade-marks.ts';

/** A level across the chart with its badge on the axis. */
export interface PriceLevel {
  name: 'entry' | 'stop' | 'target';
  price: number;
  color: string;
  title: string; // beside the badge
}

/** Stop and target of the open trade, each with its distance from the price of now; the entry with what the price has gained for the trade since. */
export function toLevels(trades: readonly ChartTrade[], stopPrice: number | null, price: number): PriceLevel[] {
  const open = trades.find((trade) => trade.status === 'open');
  if (open === undefined) return [];
  const levels: [PriceLevel['name'], number | null | undefined, string][] = [
    ['entry', open.entry_price, chartColors[open.direction]],
    ['stop', stopPrice ?? open.stop_price, chartColors.stop],
    ['target', open.target_price, chartColors.up],
  ];
  return levels.flatMap(([name, level, color]) =>
    level === null || level === undefined
      ? []
      : [{ name, price: level, color, title: `${name} ${name === 'entry' ? gain(open.direction, level, price) : distance(level, price)}` }],
  );
}

/** What the price has moved in favour of a trade since its entry, as per cent of the entry with its sign. */
function gain(direction: ChartTrade['direction'], entry: number, price: number): string {
  return distance(direction === 'long' ? price : 2 * entry - price, entry);
}

/** How far a level lies from the price, as per cent of the price with its sign. */
function distance(level: number, price: number): string {
  const percent = (level / price - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(2)}%`;
}
