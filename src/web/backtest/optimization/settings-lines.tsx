import { useMemo } from 'react';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Tried } from './study-figures.ts';
import { bestOf, valueIn } from './study-figures.ts';
import { dimensionTitle, measureOf, measureText, valueText } from './study-words.ts';
import type { StudyDimension } from './use-studies.ts';

/** So many lines are drawn, and so many of them in blue. */
const lines = 60;
const highlighted = 10;

/** More axes than these cannot be distinguished. */
const mostAxes = 7;

const size = { height: 220, top: 34, bottom: 22, left: 44, step: 92 };

/** The settings of the best tries side by side: where their lines run together, the study agrees with itself. */
export function SettingsLines({
  loss,
  dimensions,
  order,
  tried,
}: {
  loss: string;
  dimensions: readonly StudyDimension[];
  order: readonly string[]; // names, the most important first
  tried: readonly Tried[];
}) {
  const best = useMemo(() => bestOf(tried, lines), [tried]);
  const { title, sign } = measureOf(loss);
  const shown = order.slice(0, mostAxes).map((name) => dimensions.findIndex((dimension) => dimension.name === name));
  const width = size.left * 2 + shown.length * size.step;
  const bottom = size.height - size.bottom;
  const y = (part: number) => Math.round((bottom - part * (bottom - size.top)) * 10) / 10;
  const axes = shown.flatMap((at) => {
    const dimension = dimensions[at];
    if (dimension === undefined) return [];
    const { min, max } = dimension;
    return [
      {
        title: dimensionTitle(dimension),
        top: valueText(dimension, max),
        bottom: valueText(dimension, min),
        partOf: (epoch: Tried) => (max === min ? 0.5 : (valueIn(dimension, at, epoch) - min) / (max - min)),
      },
    ];
  });
  const [first, last] = [best[0], best.at(-1)];
  const spread = first === undefined || last === undefined ? 0 : last.loss - first.loss;
  const measured = {
    title,
    top: first === undefined ? '' : measureText(first.loss, sign),
    bottom: last === undefined ? '' : measureText(last.loss, sign),
    partOf: ({ loss: of }: Tried) => (last === undefined || spread === 0 ? 1 : (last.loss - of) / spread),
  };
  const all = [...axes, measured];
  const path = (epoch: Tried) =>
    all.map(({ partOf }, i) => `${i === 0 ? 'M' : 'L'}${size.left + i * size.step} ${y(partOf(epoch))}`).join('');
  return (
    <CardPanel title={`Settings of the Best ${lines}`} aside={<span className="st-key st-key-new">the best {highlighted}</span>} flush>
      {best.length === 0 ? (
        <EmptyState text="No try has a result yet." minHeight={200} />
      ) : (
        <div className="st-scroll" tabIndex={0} role="region" aria-label={`Settings of the Best ${lines}, scrollable`}>
          <svg
            className="st-chart"
            style={{ minWidth: Math.min(width, all.length * 76) }}
            viewBox={`0 0 ${width} ${size.height}`}
            role="img"
            aria-label={`Lines of the best ${best.length} tries over ${all.map((axis) => axis.title).join(', ')}`}
          >
            {all.map((axis, i) => (
              <g key={axis.title}>
                <line className="st-axis" x1={size.left + i * size.step} x2={size.left + i * size.step} y1={size.top} y2={bottom} />
                <text className="st-axis-title" x={size.left + i * size.step} y={12} textAnchor="middle">
                  {axis.title}
                </text>
                <text x={size.left + i * size.step} y={27} textAnchor="middle">
                  {axis.top}
                </text>
                <text x={size.left + i * size.step} y={size.height - 7} textAnchor="middle">
                  {axis.bottom}
                </text>
              </g>
            ))}
            {best
              .map((epoch, i) => <path key={epoch.epoch} className={`st-line${i < highlighted ? ' st-line-best' : ''}`} d={path(epoch)} />)
              .toReversed()}
          </svg>
        </div>
      )}
    </CardPanel>
  );
}
