import type { Bot } from '#contract/bots.ts';
import { Checkbox } from '@mantine/core';

/** See `ChooseBot`. */
export interface ChooseBotProps {
  bot: Bot;
  isChosen: boolean;
  onChoose: (bot: Bot, isChosen: boolean) => void;
}

/** Chooses a bot among several. */
export function ChooseBot({ bot, isChosen, onChoose }: ChooseBotProps) {
  return (
    <Checkbox
      size="xs"
      className="bot-choose"
      aria-label={`Choose ${bot.nickname}`}
      checked={isChosen}
      onChange={(event) => onChoose(bot, event.currentTarget.checked)}
    />
  );
}
