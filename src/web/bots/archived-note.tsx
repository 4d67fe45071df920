import type { Bot } from '#contract/bots.ts';
import { IconArchive } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import { onDemand } from '../ui/on-demand.tsx';

const PutAwayDialog = onDemand(() => import('./put-away-dialog.tsx').then((module) => module.PutAwayDialog));

/** Says that a bot is archived since when, and brings it back for those who may. */
export function ArchivedNote({ bot, mayChange }: { bot: Bot; mayChange: boolean }) {
  const [isAsking, setAsking] = useState(false);
  if (bot.archived_at === null) return null;
  return (
    <div className="bot-archived" role="note">
      <IconArchive size={16} aria-hidden />
      <p>
        <b>{bot.nickname}</b> is archived since {formatMoment(bot.archived_at)}. Nothing of it can be changed until it is brought back.
      </p>
      {mayChange ? (
        <Button variant="secondary" size="small" onClick={() => setAsking(true)}>
          Bring Back
        </Button>
      ) : null}
      {isAsking ? <PutAwayDialog bot={bot} what="bring-back" onDone={() => setAsking(false)} /> : null}
    </div>
  );
}
