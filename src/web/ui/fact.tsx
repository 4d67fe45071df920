import type { ReactNode } from 'react';

/** An entry of a description list: what it is called, and what it is; `isLive`: it changes while it is shown, and is read out then. */
export function Fact({ name, isLive = false, children }: { name: string; isLive?: boolean; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd aria-live={isLive ? 'polite' : undefined}>{children}</dd>
    </div>
  );
}
