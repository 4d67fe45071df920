import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { replayedCount, replayRemarks } from './replay-words.ts';
import type { Replay, ReplayOfEntries } from './use-replay.ts';

/** What the entries that the chosen check has refused would have made: asked for by a press, answered in a sentence. */
export function RefusedReplay({ replay, more }: { replay: Replay; more?: ReactNode }) {
  const { isBusy, reply, failure, ask } = replay;
  return (
    <section className="fl-panel why-replay" aria-label="Replay of refused entries">
      <div role="status" aria-busy={isBusy}>
        {reply?.replay && failure === null && !isBusy ? <Answer replay={reply.replay} /> : <p>{stateText(replay)}</p>}
      </div>
      <Button variant="secondary" icon={<IconPlayerPlay size={16} aria-hidden />} loading={isBusy} onClick={ask}>
        {reply === null && failure === null ? 'Replay Without This Check' : 'Replay Again'}
      </Button>
      {more}
    </section>
  );
}

function stateText({ isBusy, reply, failure }: Replay): string {
  if (isBusy) return reply?.state === 'downloading' ? `Downloading candles. ${reply.why ?? ''}` : 'Replaying the refused entries ...';
  if (failure !== null) return `The replay has failed: ${failure}`;
  if (reply?.state === 'unavailable') return `They cannot be replayed. ${reply.why ?? ''}`;
  return 'What would these entries have made? Each is replayed as a single trade with the settings of now, on stored candles.';
}

function Answer({ replay }: { replay: ReplayOfEntries }) {
  const { entries, sums } = replay;
  const remarks = replayRemarks(replay);
  if (entries.length === 0) return <p>This check has refused no entry in this time: there is nothing to replay.</p>;
  return (
    <>
      <p>
        {sums.length === 0 ? <b>None of these entries could be replayed.</b> : <b>Without this check, each as a single trade: </b>}
        {sums.map(({ currency, profit }, i) => (
          <b key={currency} className={`fl-number fl-${toneOf(profit, currency)}`}>
            {i === 0 ? '' : ', '}
            {formatPnl(profit, currency)}
          </b>
        ))}
        {sums.length === 0 ? '' : `. ${replayedCount(replay)}`}
      </p>
      {remarks.length === 0 ? null : <p className="why-replay-more">{remarks.join(' ')}</p>}
    </>
  );
}
