import { Button } from '../ui/button.tsx';
import type { PendingChange } from './user-edits.ts';

/** See `SaveBar`. */
export interface SaveBarProps {
  changes: readonly PendingChange[];
  isBusy: boolean;
  onDiscard: () => void;
  onSave: () => void;
}

/** How many changes the bar names; the rest is counted. */
const namedMax = 4;

/** The changes that wait, what they are, and the way to save or drop them all. */
export function SaveBar({ changes, isBusy, onDiscard, onSave }: SaveBarProps) {
  return (
    <section className="users-save" aria-label="Pending changes">
      <b>
        {changes.length} pending {changes.length === 1 ? 'change' : 'changes'}
      </b>
      <ul>
        {changes.slice(0, namedMax).map((change) => (
          <li key={`${change.kind} ${change.id}`}>
            <Change change={change} />
          </li>
        ))}
      </ul>
      {changes.length > namedMax ? <span className="users-save-note">and {changes.length - namedMax} more</span> : null}
      <span className="users-save-note">nothing is sent before you save</span>
      <div className="users-save-buttons">
        <Button variant="ghost" disabled={isBusy} onClick={onDiscard}>
          Discard
        </Button>
        <Button disabled={isBusy} onClick={onSave}>
          Save All Changes
        </Button>
      </div>
    </section>
  );
}

/** 'Night Trend: active → paused'. */
export function Change({ change }: { change: PendingChange }) {
  return (
    <>
      <span className="users-change-name" title={change.name}>
        {change.name}
      </span>{' '}
      <s>{change.from}</s> <span aria-label="becomes">→</span> {change.to}
    </>
  );
}
