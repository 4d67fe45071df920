import { useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';

/** See `EndSessions`. */
export interface EndSessionsProps {
  email: string;
  isOwn: boolean; // the signed-in admin's own account
  isBusy: boolean;
  onEnd: (signal: AbortSignal) => Promise<unknown>;
}

/** Signs a person out everywhere, once that is confirmed. */
export function EndSessions({ email, isOwn, isBusy, onEnd }: EndSessionsProps) {
  const [isAsking, setAsking] = useState(false);
  const ending = useRef<AbortController | null>(null);
  const end = async () => {
    const abort = new AbortController();
    ending.current = abort;
    await onEnd(abort.signal);
    if (!abort.signal.aborted) setAsking(false);
  };
  return (
    <>
      <Button variant="secondary" disabled={isBusy} aria-label={`End all sessions of ${email}`} onClick={() => setAsking(true)}>
        End All Sessions
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title="End All Sessions"
        message={
          isOwn
            ? 'You will be signed out everywhere but here.'
            : `${email} will be signed out everywhere and gets a mail about it. The bots continue as they are.`
        }
        confirmLabel="End All Sessions"
        destructive
        loading={isBusy}
        onConfirm={() => void end()}
        onCancel={() => {
          ending.current?.abort();
          setAsking(false);
        }}
      />
    </>
  );
}
