import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useLayoutEffect, useState } from 'react';
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

/** See `RowsInSight`. */
export function MeasuredRows(props: RowsInSightProps) {
  const { scroll, count, columns, rowHeight, headHeight = 0, assumedHeight, keyOf, chosen = -1, chosenKey = null, draw } = props;
  // What the rows scroll in stands around them, and is known only when both are there.
  const [, setThere] = useState(false);
  useLayoutEffect(() => setThere(true), []);
  // oxlint-disable-next-line react/incompatible-library -- its answers are used here only
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    // A height that is not known yet, because the page has not been laid out, is not none: the rows that would fit are drawn.
    observeElementRect: (instance, notify) =>
      observeElementRect(instance, (rect) => notify(rect.height === 0 ? { ...rect, height: assumedHeight } : rect)),
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 12,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  });
  useEffect(() => {
    if (chosen !== -1) virtual.scrollToIndex(chosen, { align: 'auto' });
    // only another choice brings a row into sight, not another order
    // oxlint-disable-next-line react/exhaustive-deps
  }, [chosenKey]);
  const inSight = virtual.getVirtualItems();
  const above = (inSight[0]?.start ?? headHeight) - headHeight;
  const below = Math.max(0, virtual.getTotalSize() - ((inSight.at(-1)?.end ?? headHeight) - headHeight));
  return (
    <>
      {above > 0 ? <RowsOutOfSight height={above} columns={columns} /> : null}
      {draw(
        inSight.map(({ index }) => index),
        virtual.measureElement,
      )}
      {below > 0 ? <RowsOutOfSight height={below} columns={columns} /> : null}
    </>
  );
}
