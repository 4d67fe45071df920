import type { AutoscaleInfo, IPriceLine } from 'lightweight-charts';
import { LineStyle } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import type { CandleChartParts } from './chart-parts.ts';
import type { PriceLevel } from './trade-lines.ts';
import { toLevels } from './trade-lines.ts';
import type { ChartTrade } from './trade-marks.ts';

/** How far beyond the candles in sight a level still widens the scale, as a part of their height. */
const reach = 0.6;

/** Draws entry, stop and target of the open trade. Levels near the candles are brought into sight; far ones do not press them flat. */
export function useLevels(parts: CandleChartParts, trades: readonly ChartTrade[], stopPrice: number | null, price: number | null): void {
  const lines = useRef(new Map<PriceLevel['name'], IPriceLine>());
  const levels = useRef<readonly PriceLevel[]>([]);

  useEffect(() => {
    const drawn = lines.current;
    parts.candles.applyOptions({ autoscaleInfoProvider: (base: () => AutoscaleInfo | null) => widened(base(), levels.current) });
    return () => drawn.clear();
  }, [parts]);

  useEffect(() => {
    levels.current = price === null ? [] : toLevels(trades, stopPrice, price);
    const wanted = new Map(levels.current.map((level) => [level.name, level]));
    for (const [name, line] of lines.current) {
      if (wanted.has(name)) continue;
      parts.candles.removePriceLine(line);
      lines.current.delete(name);
    }
    for (const [name, { price: at, color, title }] of wanted) {
      const known = lines.current.get(name);
      if (known !== undefined) known.applyOptions({ price: at, color, title });
      else {
        const style = {
          lineWidth: 1,
          lineStyle: name === 'entry' ? LineStyle.SparseDotted : LineStyle.Dashed,
          axisLabelVisible: true,
        } as const;
        lines.current.set(name, parts.candles.createPriceLine({ price: at, color, title, ...style }));
      }
    }
  }, [parts, trades, stopPrice, price]);
}

/** The range of the candles in sight, widened to the levels within reach. */
export function widened(info: AutoscaleInfo | null, levels: readonly PriceLevel[]): AutoscaleInfo | null {
  if (info === null || info.priceRange === null) return info;
  const { minValue, maxValue } = info.priceRange;
  const room = (maxValue - minValue) * reach;
  const near = levels.map(({ price }) => price).filter((price) => price > minValue - room && price < maxValue + room);
  return { ...info, priceRange: { minValue: Math.min(minValue, ...near), maxValue: Math.max(maxValue, ...near) } };
}
