import type { MouseEventParams } from 'lightweight-charts';
import { useEffect, useState } from 'react';
import { priceDecimals } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import type { Candle } from './chart-data.ts';
import { placeOf } from './chart-data.ts';
import type { LiveLayerProps } from './live-chart.ts';

/** The candle under the crosshair in figures, the newest one without a crosshair; with the lines over it. */
export function Readout({ parts, candles, overlays, indicators, priceTick }: LiveLayerProps) {
  const [pointed, setPointed] = useState<number | null>(null); // ms
  useEffect(() => {
    const follow = ({ time }: MouseEventParams) => setPointed(typeof time === 'number' ? time * 1000 : null);
    parts.chart.subscribeCrosshairMove(follow);
    return () => parts.chart.unsubscribeCrosshairMove(follow);
  }, [parts]);

  const place = pointed === null ? candles.length - 1 : placeOf(candles, pointed);
  const candle = candles[place];
  if (candle === undefined) return null;
  const write = (value: number) => value.toFixed(priceDecimals(candle.close, priceTick));
  const lines = [['AVWAP', overlays.avwap] as const, ...indicators.map(({ name, points }) => [name, points] as const)].flatMap(
    ([name, points]) => {
      const point = points.findLast(({ timestamp }) => timestamp <= candle.timestamp);
      return point === undefined || point.timestamp !== candle.timestamp ? [] : [{ name, value: point.value }];
    },
  );
  return (
    <p className="chart-readout fl-number" data-testid="readout">
      <span>{formatMoment(candle.timestamp).slice(0, 16)}</span>
      {(['open', 'high', 'low', 'close'] as const).map((price) => (
        <span key={price}>
          {price.charAt(0).toUpperCase()} <b>{write(candle[price])}</b>
        </span>
      ))}
      <span className={`fl-${tone(candle)}`}>{change(candle)}</span>
      {lines.map(({ name, value }) => (
        <span key={name}>
          {name} <b>{write(value)}</b>
        </span>
      ))}
    </p>
  );
}

function tone({ open, close }: Candle): 'up' | 'down' | 'flat' {
  if (close === open) return 'flat';
  return close > open ? 'up' : 'down';
}

/** From open to close, in per cent. */
function change({ open, close }: Candle): string {
  const percent = (close / open - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(2)}%`;
}
