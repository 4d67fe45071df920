import { formatMoney, formatPnl } from '../../../ui/money.ts';
import { formatMoment } from '../../../ui/moment.ts';
import { formatRatio, formatSignedRatio } from '../../../ui/ratio.ts';
import type { HindsightReply } from './use-hindsight.ts';

/** The figures of an answer. */
export type HindsightFigures = NonNullable<HindsightReply['figures']>;

/** What stands behind the profit: '23 trades, 60.9% won, max drawdown 2.40%'. */
export function tradesText({ trades, win_rate: winRate, drawdown_ratio: fall }: HindsightFigures): string {
  return `${trades} ${trades === 1 ? 'trade' : 'trades'}, ${formatRatio(winRate)} won, max drawdown ${formatRatio(fall, 2)}`;
}

/** The profit of the capital: '+1.82% (+$18.20)'. */
export function profitText({ profit, profit_ratio: ratio, stake_currency: currency }: HindsightFigures): string {
  return `${formatSignedRatio(ratio)} (${formatPnl(profit, currency)})`;
}

/** Why there was no trade, a sentence: 'The strategy gave no signal to enter.' */
export function noTradesText(reason: string): string {
  const text = reason.replace(/^No trades: /u, '');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** What is to be known besides, with what it was calculated, and what it does not say. */
export function rulesText(figures: HindsightFigures, exchangeName: string): string {
  const days = `${formatMoment(figures.from).slice(0, 10)} to ${formatMoment(figures.to).slice(0, 10)}`;
  const capital = formatMoney(figures.starting_balance, figures.stake_currency);
  const { paused_at: pausedAt, stopped } = figures;
  const pause =
    pausedAt === null
      ? ''
      : `On ${formatMoment(pausedAt).slice(0, 10)} the bot would have paused itself after losses in a row; the figures continue as if it had not. `;
  return (
    `${stopped === null ? '' : `${stopped} `}${pause}A backtest from ${days} UTC with ${figures.timeframe} candles of ${exchangeName}, ${capital} of capital and a fee of ` +
    `${Number((figures.fee_ratio * 100).toPrecision(6))}% on each fill. Past results say nothing about the next month.`
  );
}
