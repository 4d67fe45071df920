import type { CallReply } from '#contract/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { countOf } from './bulk-words.ts';

/** See `BulkResults`. */
export interface BulkResultsProps {
  title: string;
  done: string; // what the others are now: 'paused'
  results: CallReply<'changeBots'>['results'];
  onDone: () => void;
}

/** Says what became of several bots where some failed: those by name, with the reason. */
export function BulkResults({ title, done, results, onDone }: BulkResultsProps) {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const succeeded = results.filter(({ outcome }) => outcome === 'done').length;
  return (
    <Dialog opened onClose={onDone} title={title} size="sm" classNames={{ content: 'fl-dialog' }}>
      <p className="fl-dialog-message" role="alert">
        {countOf(succeeded, 'bot')} {done}; {countOf(failed.length, 'bot')} could not be.
      </p>
      <ul className="bot-bulk-failed">
        {failed.map(({ bot_id: id, nickname, reason }) => (
          <li key={id}>
            <b>{nickname ?? 'A bot that is not there any more'}</b>: {reason}
          </li>
        ))}
      </ul>
      <div className="fl-dialog-actions">
        <Button onClick={onDone} data-autofocus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
