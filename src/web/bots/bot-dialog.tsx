import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Fact } from '../ui/fact.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatStake } from '../ui/money.ts';
import { marketNote, venueNote } from '../ui/venue.ts';
import { statusDialog } from './bot-list.ts';
import { LiveSwitch } from './live-switch/live-switch.tsx';
import type { BotChange } from './use-bots.ts';

/** See `BotDialog`. */
export interface BotDialogProps {
  change: BotChange | null; // what was asked for; null while nothing was
  openTrades: number | undefined; // of the bot; undefined while not known
  exchangeName: (exchangeId: string) => string;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before a bot's status or mode changes, and says which bot it is and what it trades with. */
export function BotDialog({ change: asked, openTrades, exchangeName, isBusy, onConfirm, onCancel }: BotDialogProps) {
  if (asked === null) return null;
  const { bot, change } = asked;
  const isStatus = 'status' in change;
  const { title, message } = isStatus ? statusDialog(change.status) : modeDialog(change.mode);
  if (!isStatus && change.mode === 'live') {
    return (
      <LiveSwitch
        bot={bot}
        exchangeName={exchangeName(bot.exchange_id)}
        consequence={consequence(asked, openTrades)}
        savesKey={asked.savesKey === true}
        changesAccount={asked.changesAccount === true}
        changesSettings={asked.changesSettings === true}
        isBusy={isBusy}
        onConfirm={onConfirm}
        onCancel={onCancel}
      />
    );
  }
  const isLoud = isStatus && change.status === 'stopped';
  return (
    <ConfirmDialog opened title={title} message={message} destructive={isLoud} loading={isBusy} onConfirm={onConfirm} onCancel={onCancel}>
      <ModeBand mode={isStatus ? bot.mode : change.mode} exchangeId={bot.exchange_id} />
      <dl className="bot-dialog-facts fl-number">
        <Fact name="Bot">{bot.nickname}</Fact>
        <Fact name="Mode">{isStatus ? words(bot.mode) : `${words(bot.mode)} → ${words(change.mode)}`}</Fact>
        <Fact name="Exchange">
          {exchangeName(bot.exchange_id)}
          {marketNote(bot.exchange_id)}
        </Fact>
        <Fact name="Stake">
          {formatStake(bot.stake_amount, bot.stake_currency)} per trade, max {bot.max_open_trades} open{' '}
          {bot.max_open_trades === 1 ? 'trade' : 'trades'}
        </Fact>
      </dl>
      <p className="bot-dialog-note">{consequence(asked, openTrades)}</p>
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
function consequence({ bot, change }: BotChange, openTrades: number | undefined): string {
  if ('mode' in change) {
    if (change.mode === 'paper') return 'From then on its orders are simulated.';
    const pause =
      bot.status === 'active'
        ? 'The bot is paused by this change.'
        : `The bot ${bot.status === 'paused' ? 'stays paused' : 'is then paused'}.`;
    return `${pause} Once you activate it, ${orders(bot)}`;
  }
  if (change.status === 'active') return bot.mode === 'live' ? `From then on ${orders(bot)}` : 'Its orders are simulated.';
  if (change.status === 'paused') return 'No new entries. Open trades keep their stops and exits.';
  const held = openTrades === undefined || openTrades === 0 ? '' : ` It holds ${openTrades} open ${openTrades === 1 ? 'trade' : 'trades'}.`;
  return `Open orders are cancelled and open trades are closed at market.${held}`;
}

/** Where the orders of a live bot go. */
function orders({ exchange_id }: BotChange['bot']): string {
  const venue = venueNote(exchange_id);
  return venue === null ? 'it sends real orders with real money.' : `it sends its orders to the ${venue}; no real money is used.`;
}
