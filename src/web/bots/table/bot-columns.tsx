import type { Bot } from '#contract/bots.ts';
import { botStatuses } from '#contract/fields.ts';
import type { FleetBot } from '../../live/joined-fleet.ts';
import { useTradingOf } from '../../live/use-trading-of.ts';
import { useUnprotected } from '../../live/use-unprotected.ts';
import type { DataColumn } from '../../ui/data-table.tsx';
import { ModeTag } from '../../ui/mode-tag.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { formatPnl, toneOf } from '../../ui/money.ts';
import { NoStopMark } from '../../ui/no-stop-mark.tsx';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { modeName, modeNames } from '../../ui/venue.ts';
import type { ColumnKey } from './list-view.ts';

/** A row of the table: a bot with all that is known of it. */
export interface BotRow {
  bot: Bot;
  live: FleetBot | undefined; // undefined while not known, or not visible to this person
  exchangeName: string;
  at: { bot: Bot; live: FleetBot | undefined }; // both as they were when the person sorted: no row moves while it is read
  isInert: boolean; // another person's bot
  isChosen: boolean | null; // for what is done to several at once; null while nobody is choosing
}

/** The columns that a person may show or hide, by their keys. */
export const botColumns: Readonly<Record<ColumnKey, DataColumn<BotRow>>> = {
  status: {
    key: 'status',
    title: 'Status',
    value: ({ at: { bot } }) => botStatuses.indexOf(bot.status),
    show: (row) => <Status {...row} />,
    width: 112,
  },
  mode: {
    key: 'mode',
    title: 'Mode',
    value: ({ at: { bot } }) => modeNames.indexOf(modeName(bot.mode, bot.exchange_id)),
    show: ({ bot }) => <ModeTag mode={bot.mode} exchangeId={bot.exchange_id} />,
    width: 160,
  },
  exchange: { key: 'exchange', title: 'Exchange', value: (row) => row.exchangeName, width: 110 },
  pairs: {
    key: 'pairs',
    title: 'Pairs',
    value: ({ at: { bot } }) => bot.trading_pairs.join(', '),
    show: ({ bot }) => <Cut text={bot.trading_pairs.join(', ')} />,
    width: 150,
  },
  strategy: { key: 'strategy', title: 'Strategy', value: ({ at: { bot } }) => bot.strategy_name, width: 170 },
  today: {
    key: 'today',
    title: 'Today',
    value: ({ at: { live } }) => live?.today_pnl ?? null,
    show: ({ bot, live }) => <Money amount={live?.today_pnl} currency={bot.stake_currency} />,
    numeric: true,
    width: 96,
  },
  pnl: {
    key: 'pnl',
    title: 'Total PnL',
    value: ({ at: { bot } }) => bot.total_pnl,
    show: ({ bot }) => (
      <span title={formatSignedRatio(bot.total_pnl_pct / 100)}>
        <Money amount={bot.total_pnl} currency={bot.stake_currency} />
      </span>
    ),
    numeric: true,
    width: 104,
  },
  open: {
    key: 'open',
    title: 'Open',
    value: ({ at: { live } }) => live?.open_trades ?? null,
    show: (row) => <OpenTrades {...row} />,
    numeric: true,
    width: 76,
  },
  unrealized: {
    key: 'unrealized',
    title: 'Unrealized',
    value: ({ at: { live } }) => live?.unrealized_pnl ?? null,
    show: ({ bot, live }) => <Money amount={live?.unrealized_pnl} currency={bot.stake_currency} />,
    numeric: true,
    width: 104,
  },
  drawdown: {
    key: 'drawdown',
    title: 'Drawdown',
    value: ({ at: { bot } }) => bot.max_drawdown_pct,
    show: ({ bot }) => formatRatio(bot.max_drawdown_pct / 100),
    numeric: true,
    width: 92,
  },
  last: {
    key: 'last',
    title: 'Last Trade',
    value: ({ at: { bot } }) => bot.last_trade_at,
    show: ({ bot }) => (bot.last_trade_at === null ? '—' : formatMoment(bot.last_trade_at).slice(0, 16)),
    width: 140,
  },
  tags: {
    key: 'tags',
    title: 'Tags',
    value: ({ at: { bot } }) => bot.tags.join(', '),
    show: ({ bot }) => <Cut text={bot.tags.join(', ')} />,
    width: 120,
  },
  owner: {
    key: 'owner',
    title: 'Owner',
    value: ({ at: { bot } }) => bot.email,
    show: ({ bot }) => <Cut text={bot.email} />,
    width: 160,
  },
};

function Status({ bot }: BotRow) {
  const trading = useTradingOf({ id: bot.id, ownerId: bot.user_id });
  return <StatusBadge status={bot.status} trading={trading} />;
}

function OpenTrades({ bot, live }: BotRow) {
  const { length: bare } = useUnprotected(bot.id);
  return (
    <>
      {bare === 0 ? null : <NoStopMark text={`${bare}`} />} {live === undefined ? '—' : live.open_trades}
      <span className="bot-market"> of {bot.max_open_trades}</span>
    </>
  );
}

function Money({ amount, currency }: { amount: number | undefined; currency: string }) {
  return amount === undefined ? '—' : <span className={`fl-${toneOf(amount, currency)}`}>{formatPnl(amount, currency)}</span>;
}

/** A text that may be longer than its column; all of it stands in its tooltip. */
function Cut({ text }: { text: string }) {
  return <span title={text}>{text}</span>;
}
