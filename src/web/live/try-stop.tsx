import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { useSubmission } from '../ui/use-submission.ts';

/** See `TryStop`. */
export interface TryStopProps {
  tradeId: string;
  name: string; // of the trade, for those who cannot see where the button stands
  onAsked: () => Promise<unknown>;
}

/** Has the stop of a trade tried now, where one has failed and the next waits; below it why that could not be asked for. */
export function TryStop({ tradeId, name, onAsked }: TryStopProps) {
  const [{ busy, failed }, submit] = useSubmission<'try'>();
  const tryNow = () =>
    void submit('try', null, async () => {
      await api.tryStop({ params: { id: tradeId } });
      await onAsked();
    });
  return (
    <>
      <Button variant="secondary" loading={busy !== null} aria-label={`Try the stop now: ${name}`} onClick={tryNow}>
        Try the stop now
      </Button>
      {failed === null ? null : (
        <p role="alert" className="fl-strip-alert">
          Failed to try the stop: {messageOf(failed.error)}
        </p>
      )}
    </>
  );
}
