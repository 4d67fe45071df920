import type { ReactNode, RefObject } from 'react';
import { useEffect } from 'react';
import { late } from './late.ts';
import { RowsOutOfSight } from './rows-out-of-sight.tsx';

/** See `RowsInSight`. */
export interface RowsInSightProps {
  scroll: RefObject<HTMLElement | null>; // what the rows scroll in
  count: number;
  columns: number;
  rowHeight: number; // px, before a row is measured
  headHeight?: number; // px, of a header that stays over the rows
  assumedHeight: number; // px in sight, while the page has not been laid out
  keyOf: (place: number) => string | number;
  chosen?: number; // the place of the chosen row, brought into sight when another is chosen; -1 for none
  chosenKey?: string | null;
  /** Draws the rows at these places; `measure` takes the height of each where they differ. */
  draw: (places: readonly number[], measure: (row: HTMLElement | null) => void) => ReactNode;
}

const measuredRows = late<RowsInSightProps>(async () => (await import('./measured-rows.tsx')).MeasuredRows);

/** Fetches the code of long tables before they have rows. */
export const loadRowsInSight = (): void => void measuredRows.load();

/** The rows of a list of thousands that are in sight, with room for the others above and below. Until its code is there, all is room. */
export function RowsInSight(props: RowsInSightProps) {
  const Rows = measuredRows.use();
  useEffect(loadRowsInSight, []);
  return Rows === null ? <RowsOutOfSight height={props.count * props.rowHeight} columns={props.columns} /> : <Rows {...props} />;
}
