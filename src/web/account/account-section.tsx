import type { ReactNode } from 'react';
import { useId } from 'react';

/**
 * A part of the account settings with its title. A group and no landmark: the settings may lie in a dialog above the tab
 * that shows them too.
 */
export function AccountSection({ title, children }: { title: string; children: ReactNode }) {
  const titleId = useId();
  return (
    <div className="fl-panel" role="group" aria-labelledby={titleId}>
      <div className="fl-panel-head">
        <h2 id={titleId}>{title}</h2>
      </div>
      <div className="fl-panel-body">{children}</div>
    </div>
  );
}
