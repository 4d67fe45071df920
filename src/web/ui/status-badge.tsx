import type { botStatuses } from '#contract/fields.ts';
import type { tradingStates } from '#contract/trading-states.ts';

type Status = (typeof botStatuses)[number];

/** See `StatusBadge`. */
export interface StatusBadgeProps {
  status: Status;
  trading?: (typeof tradingStates)[number]; // what the kill switch leaves of its trading, where that is known
}

/**
 * Whether a bot trades, manages open trades only, or does nothing: a word with a mark of its own shape. A kill switch that leaves less than
 * the status says is named instead.
 */
export function StatusBadge({ status, trading = 'active' }: StatusBadgeProps) {
  const held = heldWord(status, trading);
  return (
    <span className={`fl-status fl-status-${held === null ? status : held === 'halted' ? 'stopped' : 'paused'}`}>
      <span className="fl-status-mark" aria-hidden />
      {held ?? status}
    </span>
  );
}

/** 'halted' or 'reducing' where the kill switch leaves less than the status; else null. */
export function heldWord(status: Status, trading: 'active' | 'reducing' | 'halted'): 'halted' | 'reducing' | null {
  if (status === 'stopped' || trading === 'active') return null;
  return trading === 'reducing' && status === 'paused' ? null : trading;
}
