import type { botStatuses } from '#contract/fields.ts';

/** Whether a bot trades, manages open trades only, or does nothing: a word with a mark of its own shape. */
export function StatusBadge({ status }: { status: (typeof botStatuses)[number] }) {
  return (
    <span className={`fl-status fl-status-${status}`}>
      <span className="fl-status-mark" aria-hidden />
      {status}
    </span>
  );
}
