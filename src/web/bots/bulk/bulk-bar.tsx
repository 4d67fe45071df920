import type { Bot } from '#contract/bots.ts';
import type { BulkAction } from '#contract/bulk.ts';
import { useState } from 'react';
import type { FleetBot } from '../../live/joined-fleet.ts';
import { Button } from '../../ui/button.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { ChosenBots } from './use-chosen-bots.ts';

/** See `BulkBar`. */
export interface BulkBarProps extends Pick<ChosenBots, 'bots' | 'choosable' | 'chooseOnly'> {
  live: ReadonlyMap<string, FleetBot>;
  onChanged: () => Promise<void>; // loads the bots again
}

/** What can be done with the chosen bots; it stays at the bottom of the screen while bots are being chosen. */
export function BulkBar({ bots, choosable, live, chooseOnly, onChanged }: BulkBarProps) {
  const [asked, setAsked] = useState<{ action: BulkAction; bots: readonly Bot[] } | null>(null);
  const isAll = bots.length === choosable.length;
  const button = (action: BulkAction, label: string, canDo: boolean) => (
    <Button variant={action === 'stop' ? 'outlined-destructive' : 'secondary'} disabled={!canDo} onClick={() => setAsked({ action, bots })}>
      {label}
    </Button>
  );
  return (
    <section className="fl-panel bot-bulk" aria-label="Chosen bots">
      <p className="fl-number" aria-live="polite">
        <b>{bots.length}</b> of {choosable.length} {choosable.length === 1 ? 'bot' : 'bots'} chosen
      </p>
      <Button variant="ghost" size="small" onClick={() => chooseOnly(isAll ? [] : choosable.map(({ id }) => id))}>
        {isAll ? 'Choose None' : `Choose All ${choosable.length}`}
      </Button>
      <div className="bot-bulk-actions">
        {button(
          'pause',
          'Pause',
          bots.some(({ status }) => status === 'active'),
        )}
        {button(
          'activate',
          'Activate',
          bots.some(({ status }) => status !== 'active'),
        )}
        {button('tag', 'Add Tags', bots.length > 0)}
        {button(
          'untag',
          'Remove Tags',
          bots.some(({ tags }) => tags.length > 0),
        )}
        {button(
          'stop',
          'Stop',
          bots.some(({ status }) => status !== 'stopped'),
        )}
      </div>
      {asked === null ? null : (
        <BulkDialog
          action={asked.action}
          bots={asked.bots}
          live={live}
          onChanged={onChanged}
          // One that is over closes no other, which was asked for meanwhile.
          onDone={() => setAsked((now) => (now === asked ? null : now))}
        />
      )}
    </section>
  );
}
