import type { ReactNode } from 'react';
import type { CancellableCall } from '../live/use-cancellable-call.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Fact } from '../ui/fact.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import type { ManualAction } from './by-hand-words.ts';
import { actionText } from './by-hand-words.ts';
import { Outcome } from './outcome.tsx';

/** See `Asking`. */
export interface AskingProps {
  title: string;
  confirmLabel: string;
  mode: 'paper' | 'live';
  exchangeId: string;
  facts: readonly (readonly [name: string, value: ReactNode])[]; // what it comes to, in money
  note: string;
  isReady: boolean; // what was typed can be asked for
  asked: CancellableCall;
  arrived?: ManualAction | null; // no answer came, but this has been asked for since
  priceTick?: number | null; // of the pair
  children: ReactNode; // the fields
}

/** A question before something is done by hand: the fields, and what they come to in money. Enter in a field sends nothing. */
export function Asking(props: AskingProps) {
  const { title, confirmLabel, mode, exchangeId, facts, note, isReady, asked, arrived = null, priceTick = null, children } = props;
  return (
    <ConfirmDialog
      opened
      title={title}
      message={note}
      confirmLabel={confirmLabel}
      cancelLabel={asked.isUnsure ? 'Close' : 'Cancel'}
      loading={asked.isBusy}
      confirmDisabled={!isReady || arrived !== null}
      onConfirm={asked.send}
      onCancel={asked.cancel}
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
      {arrived === null ? (
        <MessageLine tone="error" text={asked.failure?.text ?? null} detail={asked.failure?.detail ?? null} />
      ) : (
        <>
          <MessageLine tone="error" text={`It was sent: ${actionText(arrived, priceTick)}`} />
          <Outcome action={arrived} />
        </>
      )}
    </ConfirmDialog>
  );
}
