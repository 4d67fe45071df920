import type { Bot } from '#contract/bots.ts';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatMoney, formatPnl, toneOf } from '../../../ui/money.ts';
import { formatRatio, formatSignedRatio } from '../../../ui/ratio.ts';

/** A figure with its name. */
type Named = [name: string, text: string | number, className?: string];

/** What the bot has come to so far. */
export function PerformanceMetrics({ bot }: { bot: Bot }) {
  const currency = bot.stake_currency;
  const tone = `fl-${toneOf(bot.total_pnl, currency)}`;
  const figures: readonly Named[] = [
    ['Current Balance', formatMoney(bot.current_balance, currency)],
    ['Total PNL', formatPnl(bot.total_pnl, currency), tone],
    ['PNL %', formatSignedRatio(bot.total_pnl_pct / 100), tone],
    ['Total Trades', bot.total_trades],
    ['Winning Trades', bot.winning_trades],
    ['Losing Trades', bot.losing_trades],
    ...(bot.imported_trades === 0
      ? []
      : ([
          ['Imported Trades', bot.imported_trades],
          ['Imported PNL', formatPnl(bot.imported_pnl, currency), `fl-${toneOf(bot.imported_pnl, currency)}`],
        ] satisfies Named[])),
    ['Max Drawdown', formatMoney(bot.max_drawdown, currency)],
    ['Max Drawdown %', formatRatio(bot.max_drawdown_pct / 100, 2)],
    ['Current Consecutive Losses', `${bot.current_consecutive_losses} of ${bot.max_consecutive_losses}`],
    ['Starting Balance', formatMoney(bot.starting_balance, currency)],
  ];
  return (
    <CardPanel title="Performance Metrics" aside="read only">
      <dl className="bot-metrics fl-number">
        {figures.map(([name, text, className]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={className ?? ''}>{text}</dd>
          </div>
        ))}
      </dl>
    </CardPanel>
  );
}
