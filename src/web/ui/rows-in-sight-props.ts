import type { ReactNode, RefObject } from 'react';

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
