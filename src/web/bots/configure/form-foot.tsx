import type { Bot } from '#contract/bots.ts';
import { IconPlayerStop } from '@tabler/icons-react';
import { Button } from '../../ui/button.tsx';
import { resetDraft } from './draft-store.ts';
import type { BotForm } from './use-bot-form.ts';

/** See `FormFoot`. */
export interface FormFootProps {
  form: BotForm;
  bot: Bot | null;
  isBusy: boolean;
  onStop: () => void;
  onDiscard: () => void;
}

/** Stopping the bot, what will be saved, and saving it. */
export function FormFoot({ form, bot, isBusy, onStop, onDiscard }: FormFootProps) {
  const changes = form.changed.length;
  const discard = () => {
    resetDraft();
    onDiscard();
  };
  return (
    <div className="bot-foot">
      {bot === null || bot.status === 'stopped' ? null : (
        <Button variant="destructive" icon={<IconPlayerStop size={13} aria-hidden />} disabled={isBusy} onClick={onStop}>
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
      <Button type="submit" loading={isBusy}>
        {bot === null ? 'Create Bot' : 'Update Bot'}
      </Button>
    </div>
  );
}

function noteOf(changes: number): string {
  if (changes === 0) return 'No changes';
  return `${changes} ${changes === 1 ? 'change' : 'changes'}, applies from the next candle`;
}
