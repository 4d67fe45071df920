import { Button } from '../ui/button.tsx';
import type { NamedChange } from './settings-draft.ts';

/** See `PendingBar`. */
export interface PendingBarProps {
  changes: readonly NamedChange[];
  isBusy: boolean;
  onDiscard: () => void;
  onSave: () => void;
}

/** The changes that wait, what they are, and the way to save or drop them all. */
export function PendingBar({ changes, isBusy, onDiscard, onSave }: PendingBarProps) {
  return (
    <section className="inst-pending" aria-label="Pending changes">
      <b>
        {changes.length} pending {changes.length === 1 ? 'change' : 'changes'}
      </b>
      <ul>
        {changes.map(({ field, name, from, to }) => (
          <li key={field}>
            {name} <s>{from}</s> <span aria-label="becomes">→</span> <span className="inst-break">{to}</span>
          </li>
        ))}
      </ul>
      <div className="inst-pending-buttons">
        <Button variant="ghost" disabled={isBusy} onClick={onDiscard}>
          Discard
        </Button>
        <Button loading={isBusy} onClick={onSave}>
          {isBusy ? 'Saving...' : 'Save Changes'}
        </Button>
      </div>
    </section>
  );
}
