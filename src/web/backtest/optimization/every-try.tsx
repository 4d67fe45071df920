import { useMemo } from 'react';
import { CardPanel } from '../../ui/card-panel.tsx';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import type { Tried } from './study-figures.ts';
import { niceTicks } from './nice-ticks.ts';
import type { StudyFacts } from './use-studies.ts';

const size = { width: 420, height: 322, left: 8, right: 54, top: 12, bottom: 36 };

/** So many of the newest are in blue. */
const newest = 200;

/**
 * Each try by its drawdown and profit. All points of a colour are one line of dots, so that thousands of them are drawn as fast as a few.
 */
export function EveryTry({
  tried,
  best,
  configured,
}: {
  tried: readonly Tried[];
  best: Tried | null;
  configured: StudyFacts['configured'] | null;
}) {
  const drawn = useMemo(() => draw(tried, configured), [tried, configured]);
  const { x, y, xs, ys, older, newer } = drawn;
  return (
    <CardPanel title="Every Try" aside={<span className="st-key st-key-new">last {newest}</span>} flush>
      <svg
        className="st-chart"
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={`Profit and drawdown of ${tried.length} tries${best === null ? '' : `; the best so far made ${formatSignedRatio(best.figures.profit_ratio)} with a drawdown of ${formatRatio(best.figures.max_drawdown_ratio)}`}`}
      >
        {ys.map((tick) => (
          <g key={tick}>
            <line className={tick === 0 ? 'st-zero' : 'st-grid'} x1={size.left} x2={size.width - size.right} y1={y(tick)} y2={y(tick)} />
            <text x={size.width - size.right + 6} y={y(tick) + 3.5}>
              {formatSignedRatio(tick, decimalsFor(ys))}
            </text>
          </g>
        ))}
        {xs.map((tick) => (
          <g key={tick}>
            <line className="st-grid" x1={x(tick)} x2={x(tick)} y1={size.top} y2={size.height - size.bottom} />
            <text x={x(tick)} y={size.height - size.bottom + 14} textAnchor="middle">
              {formatRatio(tick, decimalsFor(xs))}
            </text>
          </g>
        ))}
        <text x={(size.left + size.width - size.right) / 2} y={size.height - 6} textAnchor="middle">
          max drawdown
        </text>
        <path className="st-dots" d={older} />
        <path className="st-dots st-dots-new" d={newer} />
        {configured === null ? null : (
          <Marked x={x(configured.max_drawdown_ratio)} y={y(configured.profit_ratio)} label="settings as they are" kind="configured" />
        )}
        {best === null ? null : (
          <Marked
            x={x(best.figures.max_drawdown_ratio)}
            y={y(best.figures.profit_ratio)}
            label={`best so far, try ${best.epoch}`}
            kind="best"
          />
        )}
      </svg>
    </CardPanel>
  );
}

function Marked({ x, y, label, kind }: { x: number; y: number; label: string; kind: 'best' | 'configured' }) {
  const isRight = x > (size.width - size.right) * 0.6;
  return (
    <g className={`st-mark st-mark-${kind}`}>
      {kind === 'best' ? (
        <circle cx={x} cy={y} r={4.5} />
      ) : (
        <rect x={x - 3.5} y={y - 3.5} width={7} height={7} transform={`rotate(45 ${x} ${y})`} />
      )}
      <text x={isRight ? x - 9 : x + 9} y={y + (kind === 'best' ? -4 : 12)} textAnchor={isRight ? 'end' : 'start'}>
        {label}
      </text>
    </g>
  );
}

function draw(tried: readonly Tried[], configured: StudyFacts['configured'] | null) {
  const profits = [0, ...(configured === null ? [] : [configured.profit_ratio])];
  const falls = [0.01, ...(configured === null ? [] : [configured.max_drawdown_ratio])];
  let [least, most, deepest] = [Math.min(...profits), Math.max(...profits), Math.max(...falls)];
  for (const { figures } of tried) {
    least = Math.min(least, figures.profit_ratio);
    most = Math.max(most, figures.profit_ratio);
    deepest = Math.max(deepest, figures.max_drawdown_ratio);
  }
  if (most === least) most = least + 0.01;
  const room = (most - least) * 0.08;
  const [bottom, top] = [least - room, most + room];
  const [width, height] = [size.width - size.left - size.right, size.height - size.top - size.bottom];
  const x = (value: number) => round(size.left + 6 + (value / (deepest * 1.05)) * (width - 6));
  const y = (value: number) => round(size.top + ((top - value) / (top - bottom)) * height);
  const dots = (of: readonly Tried[]) => of.map(({ figures }) => `M${x(figures.max_drawdown_ratio)} ${y(figures.profit_ratio)}h0`).join('');
  const from = Math.max(0, tried.length - newest);
  return {
    x,
    y,
    xs: niceTicks(0, deepest * 1.05, 5),
    ys: niceTicks(bottom, top, 6),
    older: dots(tried.slice(0, from)),
    newer: dots(tried.slice(from)),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Decimals with which no two ticks read alike. */
function decimalsFor(ticks: readonly number[]): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return step * 100 >= 1 ? 0 : step * 100 >= 0.1 ? 1 : 2;
}
