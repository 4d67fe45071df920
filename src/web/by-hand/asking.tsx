import type { ReactNode } from 'react';
import { messageOf } from '../api/api-error.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Fact } from '../ui/fact.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import type { Submission } from '../ui/use-submission.ts';

/** See `Asking`. */
export interface AskingProps {
  title: string;
  confirmLabel: string;
  mode: 'paper' | 'live';
  exchangeId: string;
  facts: readonly (readonly [name: string, value: ReactNode])[]; // what it comes to, in money
  note: string;
  isReady: boolean; // what was typed can be asked for
  submission: Submission<'ask'>;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode; // the fields
}

/** A question before something is done by hand: the fields, and what they come to in money. Enter in a field sends nothing. */
export function Asking(props: AskingProps) {
  const { title, confirmLabel, mode, exchangeId, facts, note, isReady, submission, onConfirm, onCancel, children } = props;
  const { busy, failed } = submission;
  return (
    <ConfirmDialog
      opened
      title={title}
      message={note}
      confirmLabel={confirmLabel}
      loading={busy !== null}
      confirmDisabled={!isReady}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <ModeBand mode={mode} exchangeId={exchangeId} />
      <div className="hand-fields">{children}</div>
      <dl className="hand-facts fl-number">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      <MessageLine tone="error" text={failed === null ? null : messageOf(failed.error)} />
    </ConfirmDialog>
  );
}
