// oxlint-disable react/static-components -- what `late` gives is one component, the same at each drawing once it is there
import { useEffect } from 'react';
import { late } from './late.ts';
import type { RowsInSightProps } from './measured-rows.tsx';
import { RowsOutOfSight } from './rows-out-of-sight.tsx';

const measuredRows = late<RowsInSightProps>(async () => (await import('./measured-rows.tsx')).MeasuredRows);

/** The rows of a list of thousands that are in sight, with room for the others above and below. Until its code is there, all is room. */
export function RowsInSight(props: RowsInSightProps) {
  const Rows = measuredRows.use();
  useEffect(() => void measuredRows.load(), []);
  return Rows === null ? <RowsOutOfSight height={props.count * props.rowHeight} columns={props.columns} /> : <Rows {...props} />;
}
