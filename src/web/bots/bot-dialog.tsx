import type { ReactNode } from 'react';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { formatStake } from '../ui/money.ts';
import { venueNote } from '../ui/venue.ts';
import { statusDialog } from './bot-list.ts';
import type { BotChange } from './use-bots.ts';

/** See `BotDialog`. */
export interface BotDialogProps {
  change: BotChange | null; // what was asked for; null while nothing was
  exchangeName: (exchangeId: string) => string;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before a bot's status or mode changes, and says which bot it is and what it trades with. */
export function BotDialog({ change: asked, exchangeName, isBusy, onConfirm, onCancel }: BotDialogProps) {
  if (asked === null) return null;
  const { bot, change } = asked;
  const isStatus = 'status' in change;
  const { title, message } = isStatus ? statusDialog(change.status) : modeDialog(change.mode);
  const isLoud = isStatus ? change.status === 'stopped' : change.mode === 'live';
  return (
    <ConfirmDialog opened title={title} message={message} destructive={isLoud} loading={isBusy} onConfirm={onConfirm} onCancel={onCancel}>
      <dl className="bot-dialog-facts fl-number">
        <Fact name="Bot">{bot.nickname}</Fact>
        <Fact name="Mode">{isStatus ? words(bot.mode) : `${words(bot.mode)} → ${words(change.mode)}`}</Fact>
        <Fact name="Exchange">
          {exchangeName(bot.exchange_id)}
          {venueNote(bot.exchange_id) === null ? '' : `, ${venueNote(bot.exchange_id)}`}
        </Fact>
        <Fact name="Stake">
          {formatStake(bot.stake_amount, bot.stake_currency)} per trade, at most {bot.max_open_trades} open
        </Fact>
      </dl>
      {!isStatus && change.mode === 'live' ? (
        <p className="bot-dialog-warning" role="note">
          Ensure API key is valid
        </p>
      ) : null}
      <p className="bot-dialog-note">{consequence(asked)}</p>
    </ConfirmDialog>
  );
}

function modeDialog(mode: string): { title: string; message: string } {
  return { title: 'Change Bot Mode', message: `Are you sure you want to change the bot mode to ${mode}?` };
}

function words(mode: 'paper' | 'live'): string {
  return mode === 'live' ? 'Live' : 'Paper';
}

/** What will happen, in a sentence. */
function consequence({ bot, change }: BotChange): string {
  if ('mode' in change) {
    return change.mode === 'live'
      ? 'The bot will send real orders once you activate it; until then it stays paused.'
      : 'The bot will simulate its orders from then on.';
  }
  if (change.status === 'active') return bot.mode === 'live' ? 'It will send real orders.' : 'Its orders are simulated.';
  if (change.status === 'paused') return 'No new trades are opened; open trades are managed to their exit.';
  return 'Open orders are cancelled and open trades are closed at market.';
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
