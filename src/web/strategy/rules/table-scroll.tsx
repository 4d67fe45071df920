import type { ReactNode } from 'react';

/** Room for a table that may be wider than its place; what scrolls is reached by the keyboard. */
export function TableScroll({ label, isLate = false, children }: { label: string; isLate?: boolean; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div
      className={isLate ? 'fl-table-scroll rules-late' : 'fl-table-scroll'}
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
    >
      {children}
    </div>
  );
}
