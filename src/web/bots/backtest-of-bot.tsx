import { tradingModes } from '#contract/backtests.ts';
import type { Bot } from '#contract/bots.ts';
import { ActionIcon } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { Button } from '../ui/button.tsx';

/** Opens Backtest with what a bot trades and how; the shell provides it, because Backtest is another feature. */
export const BacktestOfBot = createContext<((bot: Bot) => void) | null>(null);

/** What the press does, or why it does nothing. */
function pressOf({ margin_mode: market }: Bot): { disabled: boolean; title: string } {
  return tradingModes.some((mode) => mode === market)
    ? { disabled: false, title: 'Opens Backtest with the pairs and the saved settings of this bot' }
    : { disabled: true, title: `A backtest runs ${tradingModes.join(' or ')}, this bot trades ${market}` };
}

/** One press from the form of a bot to a backtest of it. */
export function BacktestButton({ bot }: { bot: Bot }) {
  const open = useContext(BacktestOfBot);
  if (open === null) return null;
  return (
    <Button variant="secondary" icon={<IconHistory size={13} aria-hidden />} {...pressOf(bot)} onClick={() => open(bot)}>
      Backtest This Bot
    </Button>
  );
}

/** The same on a card and in a row. */
export function BacktestIcon({ bot }: { bot: Bot }) {
  const open = useContext(BacktestOfBot);
  if (open === null) return null;
  return (
    <ActionIcon
      variant="default"
      className="bot-more-button"
      aria-label={`Backtest ${bot.nickname}`}
      {...pressOf(bot)}
      onClick={() => open(bot)}
    >
      <IconHistory size={14} aria-hidden />
    </ActionIcon>
  );
}
