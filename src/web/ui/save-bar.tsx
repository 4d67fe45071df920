import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** A change that waits: what is changed, and its value before and after as they are shown. */
export interface WaitingChange {
  key: string;
  name: string;
  from: string;
  to: string;
}

/** See `SaveBar`. */
export interface SaveBarProps {
  changes: readonly WaitingChange[];
  note?: string; // whom saving reaches, or what it does
  saveText?: string; // 'Save Changes' when absent
  isBusy: boolean; // they are being saved
  isInFlow?: boolean; // something around it keeps it in sight; else it sticks to the bottom of the window
  onDiscard: () => void;
  onSave: () => void;
  children?: ReactNode; // why it was not saved
}

/** How many changes the bar names; the rest is counted. */
const namedMax = 4;

/** The changes that wait, and the way to save or drop them all. */
export function SaveBar(props: SaveBarProps) {
  const { changes, note, saveText = 'Save Changes', isBusy, isInFlow = false, onDiscard, onSave, children } = props;
  return (
    <section className={`fl-save${isInFlow ? '' : ' fl-save-sticky'}`} aria-label="Pending changes">
      <b>
        {changes.length} pending {changes.length === 1 ? 'change' : 'changes'}
      </b>
      <ul>
        {changes.slice(0, namedMax).map((change) => (
          <li key={change.key}>
            <ChangeText change={change} />
          </li>
        ))}
      </ul>
      {changes.length > namedMax ? <span className="fl-save-note">and {changes.length - namedMax} more</span> : null}
      {note === undefined ? null : <span className="fl-save-note">{note}</span>}
      <div className="fl-save-buttons">
        <Button variant="ghost" disabled={isBusy} onClick={onDiscard}>
          Discard
        </Button>
        <Button loading={isBusy} onClick={onSave}>
          {isBusy ? 'Saving...' : saveText}
        </Button>
      </div>
      {children}
    </section>
  );
}

/** 'Night Trend active → paused'. */
export function ChangeText({ change: { name, from, to } }: { change: Pick<WaitingChange, 'name' | 'from' | 'to'> }) {
  return (
    <>
      <span className="fl-change-name" title={name}>
        {name}
      </span>{' '}
      <s>{from}</s> <span aria-label="becomes">→</span> <span className="fl-change-to">{to}</span>
    </>
  );
}
