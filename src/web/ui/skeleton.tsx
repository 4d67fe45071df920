import { Skeleton as MantineSkeleton } from '@mantine/core';

/** Stands where `rows` lines will come, with their height. */
export function RowsSkeleton({ rows, height = 28 }: { rows: number; height?: number }) {
  return (
    <div aria-hidden className="fl-skeleton">
      {Array.from({ length: rows }, (_, row) => (
        <MantineSkeleton key={row} height={height} radius="sm" />
      ))}
    </div>
  );
}

/** See `LoadingRows`. */
export interface LoadingRowsProps {
  label: string; // for screen readers, such as "Loading limits"
  rows: number;
  height?: number; // of a row, px
  className?: string;
}

/** Rows while they are loading, with a label for screen readers. */
export function LoadingRows({ label, rows, height, className }: LoadingRowsProps) {
  return (
    <div role="status" className={className}>
      <RowsSkeleton rows={rows} {...(height === undefined ? {} : { height })} />
      <span className="fl-visually-hidden">{label}</span>
    </div>
  );
}
