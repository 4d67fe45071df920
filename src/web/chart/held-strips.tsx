import type { ITimeScaleApi, Logical, Time } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import type { CandleChartParts } from './chart-parts.ts';
import { runsOf } from './held-runs.ts';

/** A row under the candles: in which of them something held. */
export interface Strip {
  key: string;
  label: string; // short, e.g. '2 RSI'
  title: string; // in full
  flags: Uint8Array; // by place of the candle
  kind: 'condition' | 'inner' | 'signal';
}

/** The height of a row, in px. */
export const stripHeight = 14;

const colors = { condition: '#5c87ff', inner: '#41578f', signal: '#8aaaff' } as const;

/** Under the candles, and aligned with them: a row for each condition, filled where it held. `cursor` is the place of the candle that is looked at. */
export function HeldStrips({ parts, strips, cursor }: { parts: CandleChartParts; strips: readonly Strip[]; cursor: number | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const scale = parts.chart.timeScale();
    const draw = () => {
      if (canvas.current === null || labels.current === null) return;
      labels.current.style.width = `${parts.chart.priceScale('right').width()}px`;
      drawStrips(canvas.current, scale, strips, cursor);
    };
    draw();
    scale.subscribeVisibleLogicalRangeChange(draw);
    scale.subscribeSizeChange(draw);
    return () => {
      scale.unsubscribeVisibleLogicalRangeChange(draw);
      scale.unsubscribeSizeChange(draw);
    };
  }, [parts, strips, cursor]);
  return (
    <div className="chart-strips" role="group" aria-label="Where each condition held, under the candles">
      <canvas ref={canvas} aria-hidden />
      <ul ref={labels}>
        {strips.map(({ key, label, title, kind }) => (
          <li key={key} className={`chart-strip-${kind}`} style={{ height: stripHeight }} title={title}>
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}

function drawStrips(canvas: HTMLCanvasElement, scale: ITimeScaleApi<Time>, strips: readonly Strip[], cursor: number | null): void {
  const ratio = window.devicePixelRatio;
  const [width, height] = [scale.width(), strips.length * stripHeight];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  // Setting a size empties it.
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  const range = scale.getVisibleLogicalRange();
  if (context === null || range === null) return;
  context.scale(ratio, ratio);
  const half = Math.max(0.5, scale.options().barSpacing / 2);
  const at = (place: number): number => scale.logicalToCoordinate(place as Logical) ?? 0;
  for (const [row, { flags, kind }] of strips.entries()) {
    context.fillStyle = colors[kind];
    const [top, thick] = kind === 'inner' ? [row * stripHeight + 5, 4] : [row * stripHeight + 3, 8];
    for (const [from, to] of runsOf(flags, Math.floor(range.from), Math.ceil(range.to)))
      context.fillRect(at(from) - half, top, at(to) - at(from) + 2 * half, thick);
  }
  if (cursor === null) return;
  context.strokeStyle = '#a3a9ba';
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(at(cursor), 0);
  context.lineTo(at(cursor), height);
  context.stroke();
}
