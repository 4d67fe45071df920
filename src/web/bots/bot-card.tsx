import type { Bot } from '#contract/bots.ts';
import { memo } from 'react';
import { Button } from '../ui/button.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPnl, formatStake, toneOf } from '../ui/money.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import type { BotChange } from './use-bots.ts';
import { modeAction, statusAction } from './bot-list.ts';

/** See `BotCard`. */
export interface BotCardProps {
  bot: Bot;
  exchangeName: string;
  isSelected: boolean;
  isInert: boolean; // another person's bot: shown, but nothing can be done with it
  onSelect: (botId: string | null) => void;
  onChange: (change: BotChange) => void;
}

/** How many pairs a card names; the rest is counted. */
const pairsShown = 4;

/** One bot of the list. What a button leads to is decided above. */
export const BotCard = memo(function BotCard({ bot, exchangeName, isSelected, isInert, onSelect, onChange }: BotCardProps) {
  const status = statusAction(bot.status);
  const mode = modeAction(bot.mode);
  const reason = isInert ? { title: 'Only the owner and admins can control this bot' } : {};
  return (
    <article className={`bot-card${isSelected ? ' bot-selected' : ''}${isInert ? ' bot-inert' : ''}`} aria-label={bot.nickname}>
      <ModeBand mode={bot.mode} exchangeId={bot.exchange_id} />
      <div className="bot-head">
        <h3>
          {isInert ? (
            <span className="bot-name">{bot.nickname}</span>
          ) : (
            <button
              type="button"
              className="bot-name bot-pick"
              aria-pressed={isSelected}
              onClick={() => onSelect(isSelected ? null : bot.id)}
            >
              {bot.nickname}
            </button>
          )}
        </h3>
        <StatusBadge status={bot.status} />
      </div>
      <p className="bot-email">{bot.email}</p>
      <dl className="bot-facts fl-number">
        <div>
          <dt>Exchange</dt>
          <dd>{exchangeName}</dd>
        </div>
        <div>
          <dt>Stake</dt>
          <dd>{formatStake(bot.stake_amount, bot.stake_currency)}</dd>
        </div>
        <div>
          <dt>Total PnL</dt>
          <dd className={`bot-pnl fl-${toneOf(bot.total_pnl, bot.stake_currency)}`}>{formatPnl(bot.total_pnl, bot.stake_currency)}</dd>
        </div>
        <div className="bot-pairs">
          <dt>Pairs</dt>
          <dd title={bot.trading_pairs.join(', ')}>
            {bot.trading_pairs.slice(0, pairsShown).join(', ')}
            {bot.trading_pairs.length > pairsShown ? ` +${bot.trading_pairs.length - pairsShown}` : ''}
          </dd>
        </div>
      </dl>
      <div className="bot-actions">
        <Button
          variant={status.label === 'Activate' ? 'primary' : 'secondary'}
          disabled={isInert}
          {...reason}
          onClick={() => onChange({ bot, change: { status: status.next } })}
        >
          {status.label}
        </Button>
        <Button variant="secondary" disabled={isInert} {...reason} onClick={() => onChange({ bot, change: { mode: mode.next } })}>
          {mode.label}
        </Button>
      </div>
    </article>
  );
});
