import type { Logical } from 'lightweight-charts';
import { useEffect, useRef, useState } from 'react';
import type { CandleChartParts } from './chart-parts.ts';

/** A row under the candles: in which of them something held. */
export interface Strip {
  key: string;
  label: string; // short, e.g. '2 RSI'
  title: string; // in full
  flags: Uint8Array; // by place of the candle
  look: 'condition' | 'inner' | 'signal';
}

/** The height of a row, in px. */
export const stripHeight = 14;

const colors = { condition: '#5c87ff', inner: '#41578f', signal: '#8aaaff' } as const;

/** Under the candles, and aligned with them: a row for each condition, filled where it held. `cursor` is the place of the candle that is looked at. */
export function HeldStrips({ parts, strips, cursor }: { parts: CandleChartParts; strips: readonly Strip[]; cursor: number | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scaleWidth, setScaleWidth] = useState(70);
  const moves = useChartMoves(parts);

  useEffect(() => {
    const { current } = canvas;
    const scale = parts.chart.timeScale();
    if (current === null) return;
    const width = scale.width();
    setScaleWidth(parts.chart.priceScale('right').width());
    const ratio = window.devicePixelRatio;
    const height = strips.length * stripHeight;
    current.style.width = `${width}px`;
    current.style.height = `${height}px`;
    if (current.width !== Math.round(width * ratio) || current.height !== Math.round(height * ratio)) {
      current.width = Math.round(width * ratio);
      current.height = Math.round(height * ratio);
    }
    const context = current.getContext('2d');
    const range = scale.getVisibleLogicalRange();
    if (context === null || range === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const half = Math.max(0.5, scale.options().barSpacing / 2);
    const at = (place: number): number => scale.logicalToCoordinate(place as Logical) ?? 0;
    for (const [row, { flags, look }] of strips.entries()) {
      context.fillStyle = colors[look];
      const [top, thick] = look === 'inner' ? [row * stripHeight + 5, 4] : [row * stripHeight + 3, 8];
      for (const [from, to] of runsOf(flags, Math.floor(range.from), Math.ceil(range.to)))
        context.fillRect(at(from) - half, top, at(to) - at(from) + 2 * half, thick);
    }
    if (cursor !== null) {
      context.strokeStyle = '#a3a9ba';
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(at(cursor), 0);
      context.lineTo(at(cursor), height);
      context.stroke();
    }
  }, [parts, strips, cursor, moves]);

  return (
    <div className="chart-strips" role="group" aria-label="Where each condition held, under the candles">
      <canvas ref={canvas} aria-hidden />
      <ul style={{ width: scaleWidth }}>
        {strips.map(({ key, label, title, look }) => (
          <li key={key} className={`chart-strip-${look}`} style={{ height: stripHeight }} title={title}>
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The runs of set flags between two places, each with its first and its last place. */
export function runsOf(flags: Uint8Array, from: number, to: number): [number, number][] {
  const runs: [number, number][] = [];
  const [first, last] = [Math.max(0, from), Math.min(flags.length - 1, to)];
  let start = -1;
  for (let i = first; i <= last; i++) {
    if (flags[i] === 1) {
      if (start === -1) start = i;
    } else if (start !== -1) {
      runs.push([start, i - 1]);
      start = -1;
    }
  }
  if (start !== -1) runs.push([start, last]);
  return runs;
}

/** Counts the movements of a chart, so that what lies beside it is drawn again with each. */
function useChartMoves({ chart }: CandleChartParts): number {
  const [moves, setMoves] = useState(0);
  useEffect(() => {
    const scale = chart.timeScale();
    const follow = () => setMoves((before) => before + 1);
    follow();
    scale.subscribeVisibleLogicalRangeChange(follow);
    scale.subscribeSizeChange(follow);
    return () => {
      scale.unsubscribeVisibleLogicalRangeChange(follow);
      scale.unsubscribeSizeChange(follow);
    };
  }, [chart]);
  return moves;
}
