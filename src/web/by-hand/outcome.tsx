import { Loader } from '@mantine/core';
import type { ManualAction } from './by-hand-words.ts';
import { outcomeText } from './by-hand-words.ts';

/** What has come of what a person asked for; while it waits, that it does. */
export function Outcome({ action }: { action: ManualAction }) {
  const text = outcomeText(action);
  return (
    <p role="status" className={action.state === 'refused' ? 'hand-refused' : ''}>
      {text ?? (
        <span className="hand-waiting">
          <Loader size={12} color="currentColor" aria-hidden />
          Waiting for the bot
        </span>
      )}
    </p>
  );
}
