import { sizeOf, valueAt } from '#engine/lab/dimension.ts';
import type { Neighbourhood } from '#engine/lab/judgement/judgement.ts';
import { neighbourhoodOf } from '#engine/lab/judgement/judgement.ts';
import { medianOf } from '#engine/lab/judgement/moments.ts';
import type { Epoch, StudyDimension } from './use-studies.ts';

/** An epoch that has a loss. */
export type Tried = Epoch & { loss: number; figures: NonNullable<Epoch['figures']> };

/** The epochs that have a loss. */
export function triedOf(epochs: readonly Epoch[]): Tried[] {
  return epochs.filter((epoch): epoch is Tried => epoch.loss !== null && epoch.figures !== null);
}

/** The best epochs, the best first; of equal ones the earlier. */
export function bestOf(tried: readonly Tried[], most: number): Tried[] {
  return tried.toSorted((a, b) => a.loss - b.loss || a.epoch - b.epoch).slice(0, most);
}

/** The value of a dimension in an epoch. */
export function valueIn(dimension: StudyDimension, at: number, { point }: Pick<Epoch, 'point'>): number {
  return valueAt(dimension, point[at] ?? 0);
}

/** A cell of the map: which part of each range it covers, and the middle of the losses of its epochs. */
export interface MapCell {
  column: number;
  row: number;
  count: number;
  median: number; // loss
}

/** So many cells the map has in each direction at most. */
const mostCells = 14;

/** How a dimension is cut into cells: how many, and in which one the value with a number lies. */
export function cellsOf(dimension: StudyDimension): {
  count: number;
  cellAt: (value: number) => number;
  firstValueOf: (cell: number) => number;
} {
  const size = sizeOf(dimension);
  const count = Math.min(size, mostCells);
  return {
    count,
    cellAt: (value) => Math.min(count - 1, Math.floor((value * count) / size)),
    firstValueOf: (cell) => valueAt(dimension, Math.ceil((cell * size) / count)),
  };
}

/** The medians of the losses over two dimensions, by their places in a point; cells without an epoch are missing. */
export function lossMap(dimensions: readonly StudyDimension[], tried: readonly Tried[], x: number, y: number): MapCell[] {
  const [across, down] = [dimensions[x], dimensions[y]];
  if (across === undefined || down === undefined) return [];
  const [columns, rows] = [cellsOf(across), cellsOf(down)];
  const losses = new Map<number, number[]>();
  for (const { point, loss } of tried) {
    const key = rows.cellAt(point[y] ?? 0) * columns.count + columns.cellAt(point[x] ?? 0);
    const known = losses.get(key);
    if (known === undefined) losses.set(key, [loss]);
    else known.push(loss);
  }
  return [...losses].map(([key, found]) => ({
    column: key % columns.count,
    row: Math.floor(key / columns.count),
    count: found.length,
    median: medianOf(found),
  }));
}

/** So far from a try another one is still near, as a part of each range; one value at least. */
const nearness = 0.1;

/** Fewer tries near one say nothing about it. */
const fewest = 5;

/** What the tries near a try have made: those whose every number lies within a tenth of its range; null with fewer than five. */
export function nearbyOf(dimensions: readonly StudyDimension[], tried: readonly Tried[], of: Tried): Neighbourhood | null {
  const reach = dimensions.map((dimension) => Math.max(1, Math.round(sizeOf(dimension) * nearness)));
  const near = tried.filter(
    ({ epoch, point }) => epoch !== of.epoch && reach.every((most, i) => Math.abs((point[i] ?? 0) - (of.point[i] ?? 0)) <= most),
  );
  if (near.length < fewest) return null;
  return neighbourhoodOf(
    of.figures.profit_ratio,
    near.map(({ figures }) => figures.profit_ratio),
  );
}

/** The best of the listed tries that makes a profit and whose nearby tries keep at least half of it; null without one. */
export function onPlateau(
  best: readonly Tried[],
  nearby: ReadonlyMap<number, Neighbourhood | null>,
): { epoch: number; nearby: Neighbourhood } | null {
  for (const { epoch, figures } of best) {
    const around = nearby.get(epoch);
    if (figures.profit > 0 && around?.isPlateau === true) return { epoch, nearby: around };
  }
  return null;
}
