import { useMemo } from 'react';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import type { Tried } from './study-figures.ts';
import { cellsOf, lossMap } from './study-figures.ts';
import { dimensionTitle, measureOf, measureText, valueText } from './study-words.ts';
import type { StudyDimension } from './use-studies.ts';

const size = { width: 420, height: 250, left: 64, right: 8, top: 8, bottom: 38 };

/** See `GoodOnes`. */
export interface GoodOnesProps {
  loss: string;
  dimensions: readonly StudyDimension[];
  tried: readonly Tried[];
  best: Tried | null;
  isPlateau: boolean | null; // around the best; null: not known yet, or it made no profit
  chosen: readonly [string, string] | null; // names of what is across and down
  onChoose: (chosen: [string, string]) => void;
}

/** The middle of the tries over two of the numbers that are searched: brighter is better. */
export function GoodOnes({ loss, dimensions, tried, best, isPlateau, chosen, onChoose }: GoodOnesProps) {
  const { title, sign } = measureOf(loss);
  const [x, y] = (chosen ?? []).map((name) => dimensions.findIndex((dimension) => dimension.name === name));
  const [across, down] = [dimensions[x ?? -1], dimensions[y ?? -1]];
  const options = dimensions.map((dimension) => ({ value: dimension.name, label: dimensionTitle(dimension) }));
  return (
    <CardPanel title="Where the Good Ones Are" aside={<span>median {title}</span>}>
      {across === undefined || down === undefined || x === undefined || y === undefined ? (
        <EmptyState text="A map needs two numbers to search." minHeight={220} />
      ) : (
        <>
          <div className="st-axes">
            <SelectBox
              label="Across"
              options={options.filter(({ value }) => value !== down.name)}
              value={across.name}
              onChange={(name) => onChoose([name, down.name])}
            />
            <SelectBox
              label="Down"
              options={options.filter(({ value }) => value !== across.name)}
              value={down.name}
              onChange={(name) => onChoose([across.name, name])}
            />
          </div>
          <HeatMap dimensions={dimensions} tried={tried} best={best} x={x} y={y} isPlateau={isPlateau} title={title} sign={sign} />
        </>
      )}
    </CardPanel>
  );
}

interface HeatMapProps {
  dimensions: readonly StudyDimension[];
  tried: readonly Tried[];
  best: Tried | null;
  x: number;
  y: number;
  isPlateau: boolean | null;
  title: string;
  sign: 1 | -1;
}

function HeatMap({ dimensions, tried, best, x, y, isPlateau, title, sign }: HeatMapProps) {
  const cells = useMemo(() => lossMap(dimensions, tried, x, y), [dimensions, tried, x, y]);
  const [across, down] = [dimensions[x], dimensions[y]];
  if (across === undefined || down === undefined) return null;
  const [columns, rows] = [cellsOf(across), cellsOf(down)];
  const [cellWidth, cellHeight] = [
    (size.width - size.left - size.right) / columns.count,
    (size.height - size.top - size.bottom) / rows.count,
  ];
  // By rank: a few bad cells would leave all others alike.
  const order = cells.map(({ median }) => median).toSorted((a, b) => b - a);
  const brightness = (median: number) => (order.length < 2 ? 1 : order.indexOf(median) / (order.length - 1));
  const place = ({ point }: Tried) => ({ column: columns.cellAt(point[x] ?? 0), row: rows.cellAt(point[y] ?? 0) });
  const bestCell = best === null ? null : place(best);
  const [worst, brightest] = [order[0], order.at(-1)];
  const every = (count: number, most: number) => Math.max(1, Math.ceil(count / most));
  const at = (column: number, row: number) => ({
    x: size.left + column * cellWidth + 0.75,
    y: size.top + row * cellHeight + 0.75,
    width: Math.max(1, cellWidth - 1.5),
    height: Math.max(1, cellHeight - 1.5),
    rx: 1.5,
  });
  return (
    <>
      <svg
        className="st-chart"
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={`Median ${title} by ${dimensionTitle(across)} and ${dimensionTitle(down)}${brightest === undefined || worst === undefined ? '' : `, from ${measureText(worst, sign)} to ${measureText(brightest, sign)}`}`}
      >
        {Array.from({ length: columns.count * rows.count }, (_, i) => (
          <rect key={i} className="st-cell-empty" {...at(i % columns.count, Math.floor(i / columns.count))} />
        ))}
        {cells.map(({ column, row, median, count }) => (
          <rect key={`${column} ${row}`} className="st-cell" fillOpacity={0.12 + 0.88 * brightness(median)} {...at(column, row)}>
            <title>{`${measureText(median, sign)}, ${count} tries`}</title>
          </rect>
        ))}
        {bestCell === null ? null : (
          <rect className={`st-cell-best${isPlateau === false ? ' st-cell-spike' : ''}`} {...at(bestCell.column, bestCell.row)} />
        )}
        {Array.from({ length: columns.count }, (_, i) => i)
          .filter((i) => i % every(columns.count, 7) === 0)
          .map((i) => (
            <text key={i} x={size.left + (i + 0.5) * cellWidth} y={size.height - size.bottom + 13} textAnchor="middle">
              {valueText(across, columns.firstValueOf(i))}
            </text>
          ))}
        {Array.from({ length: rows.count }, (_, i) => i)
          .filter((i) => i % every(rows.count, 7) === 0)
          .map((i) => (
            <text key={i} x={size.left - 6} y={size.top + (i + 0.5) * cellHeight + 3.5} textAnchor="end">
              {valueText(down, rows.firstValueOf(i))}
            </text>
          ))}
        <text x={(size.left + size.width - size.right) / 2} y={size.height - 6} textAnchor="middle">
          {dimensionTitle(across)}
        </text>
        <text
          x={10}
          y={(size.top + size.height - size.bottom) / 2}
          textAnchor="middle"
          transform={`rotate(-90 10 ${(size.top + size.height - size.bottom) / 2})`}
        >
          {dimensionTitle(down)}
        </text>
      </svg>
      <p className="st-legend">
        {worst === undefined || brightest === undefined ? null : (
          <span className="fl-number">
            {measureText(worst, sign)} <i className="st-scale" aria-hidden /> {measureText(brightest, sign)}
          </span>
        )}
        <span className={`st-key st-key-best${isPlateau === false ? ' st-key-spike' : ''}`}>
          the best{isPlateau === null ? '' : isPlateau ? ', on a plateau' : ', a spike'}
        </span>
      </p>
    </>
  );
}
