import { formatMoment } from '../../ui/moment.ts';
import { formatStake, quoteOf } from '../../ui/money.ts';
import type { PortfolioDetails, PortfolioRun } from './use-portfolios.ts';

/** What a run was asked for, in a sentence. */
export function planWords({
  plan,
  exchange_name: exchange,
  bot,
  created_at: at,
}: Pick<PortfolioRun, 'plan' | 'exchange_name' | 'bot' | 'created_at'>): string {
  const currency = quoteOf(plan.pairs[0] ?? '');
  const pairs =
    plan.pairs.length > 4 ? `${plan.pairs.slice(0, 3).join(', ')} and ${plan.pairs.length - 3} more pairs` : plan.pairs.join(', ');
  const stake =
    plan.stake_amount === null
      ? `balance ÷ ${plan.max_open_trades} slots`
      : `${formatStake(plan.stake_amount, currency)} × ${plan.max_open_trades} slots`;
  const market = plan.trading_mode === 'futures' ? `futures ${plan.leverage}x` : 'spot';
  const detail = plan.detail_timeframe === null ? '' : ` with ${plan.detail_timeframe} details`;
  const guards = plan.protections.length === 0 ? 'no protections' : plan.protections.map(({ kind }) => kind).join(', ');
  return [
    `${pairs} on ${exchange} ${market}`,
    `${plan.from} to ${plan.to}`,
    `${plan.timeframe}${detail}`,
    `${formatStake(plan.starting_balance, currency)}, ${stake}`,
    guards,
    ...(bot === null ? [] : [`settings of ${bot.nickname}`]),
    `run ${formatMoment(at)}`,
  ].join('; ');
}

/** What a person should know before believing a run: the first that holds. Null when nothing stands out. */
export function verdictOf({ tries }: Pick<PortfolioRun, 'tries'>, details: PortfolioDetails): { text: string; detail: string } | null {
  const lost = details.months.filter(({ pnl }) => pnl < 0).length;
  const again = tries > 1 ? ` This is try ${tries} on this range: the more are made, the more the best of them is luck.` : '';
  if (details.total.trades === 0) return null;
  if (details.total.trades < 30)
    return { text: `${details.total.trades} trades prove little.`, detail: `Take a longer range or more pairs.${again}` };
  if (details.net_pnl > 0 && details.net_pnl < details.max_drawdown)
    return { text: 'The profit is smaller than the deepest fall.', detail: `${lost} of ${details.months.length} months lost.${again}` };
  if (details.net_pnl > 0 && details.net_pnl < details.hold_pnl)
    return { text: 'Holding the pairs would have brought more.', detail: `With the deepest fall of the pairs themselves.${again}` };
  return tries > 5
    ? {
        text: `This is try ${tries} on this range.`,
        detail: 'The best of many tries is partly luck: look at days that none of them has seen.',
      }
    : null;
}
