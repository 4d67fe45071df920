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
