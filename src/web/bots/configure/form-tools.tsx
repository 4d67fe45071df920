import type { Bot } from '#contract/bots.ts';
import type { SessionUser } from '#contract/auth.ts';
import { IconCopy, IconFlask, IconPlus } from '@tabler/icons-react';
import { changeAddress } from '../../address/address.ts';
import { canCreateBots } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { BacktestButton } from '../backtest-of-bot.tsx';
import { copyOf } from './bot-entries.ts';
import { resetDraft, typeInto } from './draft-store.ts';

/** A backtest of the bot; for those who may create bots the ways from it to a new one: an empty form, or a copy. */
export function FormTools({ bot, user }: { bot: Bot; user: SessionUser | null }) {
  const backtest =
    bot.archived_at === null ? (
      <>
        <BacktestButton bot={bot} />
        <Button
          variant="secondary"
          icon={<IconFlask size={13} aria-hidden />}
          title="Replays the last days of this bot with other settings; the bot is left as it is"
          onClick={() => changeAddress({ tab: 'backtest', view: 'what-if', bot: bot.id, pair: null, run: null, trade: null })}
        >
          What If
        </Button>
      </>
    ) : null;
  if (!canCreateBots(user)) return backtest;
  const copy = () => {
    resetDraft();
    typeInto(null, null, copyOf(bot, bot.user_id === user?.userId));
    changeAddress({ bot: null, pair: null });
  };
  return (
    <>
      {backtest}
      <Button variant="secondary" icon={<IconCopy size={13} aria-hidden />} onClick={copy}>
        Copy Bot
      </Button>
      <Button variant="secondary" icon={<IconPlus size={13} aria-hidden />} onClick={() => changeAddress({ bot: null, pair: null })}>
        New Bot
      </Button>
    </>
  );
}
