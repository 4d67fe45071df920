import type { Bot } from '#contract/bots.ts';
import { IconAlertTriangle, IconClock, IconHistory, IconKey } from '@tabler/icons-react';
import { memo, useId } from 'react';
import { changeAddress } from '../address/address.ts';
import { Fact } from '../ui/fact.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import type { FleetBot } from '../live/joined-fleet.ts';
import { countsText } from '../live/count-words.ts';
import { useTradingOf } from '../live/use-trading-of.ts';
import { useUnprotected } from '../live/use-unprotected.ts';
import { Button } from '../ui/button.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPnl, formatStake, toneOf } from '../ui/money.ts';
import { NoStopMark } from '../ui/no-stop-mark.tsx';
import { formatRatio, formatSignedRatio } from '../ui/ratio.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { modeAction, statusAction } from './bot-list.ts';
import { ChooseBot } from './bulk/choose-bot.tsx';
import { ArchivedNote } from './archived-note.tsx';
import { BacktestIcon } from './backtest-of-bot.tsx';
import { BotMenu } from './bot-menu.tsx';
import { addKeyText, importedText, modeObstacle, noKeyText, versionText } from './bot-notes.ts';
import { ownCount, ownEntriesOf, ownText } from './configure/own/own-entries.ts';
import { BotKey } from './keys/bot-key.tsx';
import type { BotChange } from './use-bots.ts';

/** See `BotCard`. */
export interface BotCardProps {
  bot: Bot;
  live: FleetBot | undefined; // undefined while not known, or not visible to this person
  notes: string; // what needs attention, one per line
  exchangeName: string;
  isSelected: boolean;
  isInert: boolean; // another person's bot: shown, but nothing can be done with it
  isChosen: boolean | null; // for what is done to several at once; null while nobody is choosing
  onChoose: (bot: Bot, isChosen: boolean) => void;
  onSelect: (botId: string) => void;
  onChange: (change: BotChange) => void;
}

/** How many pairs a card names; the rest is counted. */
const pairsShown = 4;

/** One bot of the list. What a button leads to is decided above. */
export const BotCard = memo(function BotCard(props: BotCardProps) {
  const { bot, live, notes, exchangeName, isSelected, isInert, isChosen, onChoose, onSelect, onChange } = props;
  const obstacleId = useId();
  const trading = useTradingOf({ id: bot.id, ownerId: bot.user_id });
  const status = statusAction(bot.status);
  const mode = modeAction(bot.mode);
  const isArchived = bot.archived_at !== null;
  const obstacle = isInert || isArchived ? null : modeObstacle(bot, live);
  const reason = isInert ? { title: 'Only the owner and admins can control this bot' } : {};
  const currency = bot.stake_currency;
  const imported = importedText(bot);
  const own = ownCount(ownEntriesOf(bot.own_settings));
  return (
    <article
      className={`bot-card${isSelected ? ' bot-selected' : ''}${isInert ? ' bot-inert' : ''}`}
      aria-label={bot.nickname}
      data-bot={bot.id}
    >
      <ModeBand mode={bot.mode} exchangeId={bot.exchange_id} />
      <div className="bot-head">
        {isChosen === null || isInert || isArchived ? null : <ChooseBot bot={bot} isChosen={isChosen} onChoose={onChoose} />}
        <h2>
          {isInert ? (
            <span className="bot-name">{bot.nickname}</span>
          ) : (
            <button type="button" className="bot-name bot-pick" aria-pressed={isSelected} onClick={() => onSelect(bot.id)}>
              {bot.nickname}
            </button>
          )}
        </h2>
        <StatusBadge status={bot.status} trading={trading} />
      </div>
      <p className="bot-email">{bot.email}</p>
      <div className="bot-money fl-number">
        <div>
          <p className="bot-label">Total PnL</p>
          <p className={`fl-${toneOf(bot.total_pnl, currency)}`}>
            <b>{formatPnl(bot.total_pnl, currency)}</b> <span>{formatSignedRatio(bot.total_pnl_pct / 100)}</span>
          </p>
        </div>
        {live === undefined ? null : (
          <div className="bot-week">
            <p className="bot-label">7 days</p>
            <Sparkline values={live.history} currency={currency} width={120} height={28} />
          </div>
        )}
      </div>
      <dl className="bot-facts fl-number">
        <Fact name="Strategy">
          <span>{bot.strategy_name}</span>
          {bot.code_version === null ? null : <span className="bot-market">{`, ${versionText(bot)}`}</span>}
          {own === 0 ? null : <span className="bot-market">{`, ${ownText(own)}`}</span>}
        </Fact>
        <Fact name="Stake">{formatStake(bot.stake_amount, currency)}</Fact>
        <Fact name="Exchange">
          <span>{exchangeName}</span>
          <span className="bot-market">
            {`, ${bot.margin_mode}`}
            {bot.leverage === 1 ? '' : ` ${bot.leverage}x`}
          </span>
        </Fact>
        <Fact name="Open Trades">
          {live === undefined ? '—' : live.open_trades} of {bot.max_open_trades} <WithoutStop botId={bot.id} />
        </Fact>
        <div className="bot-wide">
          <dt>Pairs</dt>
          <dd title={bot.trading_pairs.join(', ')}>
            {bot.trading_pairs.slice(0, pairsShown).join(', ')}
            {bot.trading_pairs.length > pairsShown ? ` +${bot.trading_pairs.length - pairsShown}` : ''}
          </dd>
        </div>
      </dl>
      {bot.tags.length === 0 ? null : (
        <ul className="bot-tags" aria-label="Tags">
          {bot.tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      <ArchivedNote bot={bot} mayChange={!isInert} />
      {notes === ''
        ? null
        : notes.split('\n').map((note) => (
            <p key={note} className="bot-note bot-attention">
              <IconAlertTriangle size={14} aria-hidden />
              {note}
            </p>
          ))}
      {obstacle === null ? null : (
        <p className="bot-note" id={obstacleId}>
          <IconKey size={14} aria-hidden />
          <Obstacle text={obstacle} botId={bot.id} />
        </p>
      )}
      {isInert || isArchived ? null : <BotKey bot={bot} isMissing={obstacle === noKeyText} openTrades={live?.open_trades ?? 0} />}
      {imported === null ? null : (
        <p className="bot-note fl-number">
          <IconHistory size={14} aria-hidden />
          {imported}
        </p>
      )}
      {live?.last_hour ? (
        <p className="bot-note">
          <IconClock size={14} aria-hidden />
          {countsText(live, bot.trading_pairs.length === 1)}
        </p>
      ) : null}
      <div className="bot-end">
        {live?.fees ? (
          <p className="bot-fees fl-number">
            Fees: maker {formatRatio(live.fees.maker, 2)}, taker {formatRatio(live.fees.taker, 2)}
          </p>
        ) : null}
        <div className="bot-actions">
          {isArchived ? null : (
            <>
              <Button
                variant={status.label === 'Activate' ? 'primary' : 'secondary'}
                disabled={isInert}
                data-action="status"
                {...reason}
                onClick={() => onChange({ bot, change: { status: status.next } })}
              >
                {status.label}
              </Button>
              <Button
                variant="secondary"
                disabled={isInert || obstacle !== null}
                data-action="mode"
                {...(obstacle === null ? reason : { title: obstacle, 'aria-describedby': obstacleId })}
                onClick={() => onChange({ bot, change: { mode: mode.next } })}
              >
                {mode.label}
              </Button>
            </>
          )}
          {isInert || isArchived ? null : <BacktestIcon bot={bot} />}
          <BotMenu bot={bot} disabled={isInert} onStop={() => onChange({ bot, change: { status: 'stopped' } })} />
        </div>
      </div>
    </article>
  );
});

/** Why the mode cannot change, with the way to where a missing key is given. */
function Obstacle({ text, botId }: { text: string; botId: string }) {
  if (text !== noKeyText) return text;
  const [before, after] = text.split(addKeyText);
  return (
    <span>
      {before}
      <button type="button" className="bot-link" onClick={() => changeAddress({ view: 'configure', bot: botId, pair: null })}>
        {addKeyText}
      </button>
      {after}
    </span>
  );
}

function WithoutStop({ botId }: { botId: string }) {
  const { length } = useUnprotected(botId);
  return length === 0 ? null : <NoStopMark text={`${length} without stop`} />;
}
