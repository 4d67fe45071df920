import type { Bot } from '#contract/bots.ts';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { Button } from '../../ui/button.tsx';
import { resetDraft } from './draft-store.ts';
import type { BotForm } from './use-bot-form.ts';

/** See `FormFoot`. */
export interface FormFootProps {
  form: BotForm;
  bot: Bot | null;
  isBusy: boolean;
  onActivate: () => void;
  onStop: () => void;
  onDiscard: () => void;
}

/** Stopping the bot, what will be saved, saving it, and letting a bot that waits trade once nothing is left to save. */
export function FormFoot({ form, bot, isBusy, onActivate, onStop, onDiscard }: FormFootProps) {
  const changes = form.changeCount;
  const offersActivation = bot !== null && bot.status !== 'active' && changes === 0;
  const discard = () => {
    resetDraft();
    onDiscard();
  };
  return (
    <div className="bot-foot">
      {bot === null || bot.status === 'stopped' ? null : (
        <Button variant="outlined-destructive" icon={<IconPlayerStop size={13} aria-hidden />} disabled={isBusy} onClick={onStop}>
          Stop Bot
        </Button>
      )}
      <p className="bot-foot-note" role="status">
        {bot === null ? 'The bot is created paused.' : noteOf(changes)}
      </p>
      {changes === 0 ? null : (
        <Button variant="ghost" disabled={isBusy} onClick={discard}>
          Discard
        </Button>
      )}
      {offersActivation ? (
        <Button icon={<IconPlayerPlay size={13} aria-hidden />} disabled={isBusy} onClick={onActivate}>
          Activate
        </Button>
      ) : null}
      <Button type="submit" variant={offersActivation ? 'secondary' : 'primary'} loading={isBusy}>
        {bot === null ? 'Create Bot' : 'Update Bot'}
      </Button>
    </div>
  );
}

function noteOf(changes: number): string {
  if (changes === 0) return 'No changes';
  return `${changes} ${changes === 1 ? 'change' : 'changes'}, applies from the next candle`;
}
