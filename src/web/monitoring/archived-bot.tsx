import type { Bot } from '#contract/bots.ts';
import { IconArchive } from '@tabler/icons-react';
import { changeAddress } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';

/** Says that the bot which the address names is archived, and leads to the archived bots. */
export function ArchivedBot({ bot }: { bot: Pick<Bot, 'nickname' | 'archived_at'> }) {
  return (
    <div className="mon-archived" role="note">
      <IconArchive size={16} aria-hidden />
      <p>
        <b>{bot.nickname}</b> is archived{bot.archived_at === null ? '' : ` since ${formatMoment(bot.archived_at)}`}. Status shows bots that
        are not.
      </p>
      <Button
        variant="secondary"
        size="small"
        onClick={() => changeAddress({ tab: 'bot_control', view: 'archived', pair: null, trade: null })}
      >
        Archived Bots
      </Button>
    </div>
  );
}
