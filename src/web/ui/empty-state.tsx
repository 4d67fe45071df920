import type { ReactNode } from 'react';

/** See `EmptyState`. */
export interface EmptyStateProps {
  icon?: ReactNode;
  text: string;
  hint?: string; // the next step
  action?: ReactNode; // a button that takes it
  minHeight?: number; // px, so that nothing jumps when the content comes
}

/** Says that there is nothing to show, and what to do about it. */
export function EmptyState({ icon, text, hint, action, minHeight = 120 }: EmptyStateProps) {
  return (
    <div className="fl-empty" style={{ minHeight }}>
      {icon === undefined ? null : (
        <span className="fl-empty-icon" aria-hidden>
          {icon}
        </span>
      )}
      <p>{text}</p>
      {hint === undefined ? null : <p className="fl-empty-hint">{hint}</p>}
      {action}
    </div>
  );
}
