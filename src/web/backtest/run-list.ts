import { detailsKeptDays } from '#contract/backtests.ts';
import type { CallInput, CallReply } from '#contract/client.ts';
import { formatMoment } from '../ui/moment.ts';

/** What a run is asked for with. */
export type BacktestRequest = CallInput<'runBacktest'>['body'];

/** A run as the list of backtests has it. */
export type BacktestRun = CallReply<'backtestResults'>['results'][number];

/** What a run looks like in full. */
export type BacktestDetails = NonNullable<BacktestRun['details']>;

/** A run that was asked for here: what was asked, and which runs were there before. */
export interface AskedRun {
  request: BacktestRequest;
  before: readonly string[]; // their ids
}

/** The strategy of a run, and the bot whose settings it had. */
export function strategyText({ strategy_name: name, bot }: Pick<BacktestRun, 'strategy_name' | 'bot'>): string {
  return bot === null ? name : `${name} (${bot.nickname})`;
}

/** What the status line says: by the run that is open, and before the first word of one that was asked for. */
export function statusText(open: Pick<BacktestRun, 'status'> | null, isAsked: boolean): string {
  if (open?.status === 'running') return 'Running backtest...';
  return open !== null || isAsked ? 'Downloading historical data...' : 'Ready to run backtest';
}

/** What is left of a phase: 'about 40 s left', 'about 3 min left'; empty while nobody knows. */
export function timeLeftText(seconds: number | null): string {
  if (seconds === null) return '';
  if (seconds < 60) return `about ${Math.max(1, Math.round(seconds))} s left`;
  return `about ${Math.round(seconds / 60)} min left`;
}

/** Whether a run has not ended yet. */
export function isOpen({ status }: Pick<BacktestRun, 'status'>): boolean {
  return status === 'downloading' || status === 'running';
}

/** Whether a run is there in full: it has ended well, and its details are kept. */
export function isWhole(run: Pick<BacktestRun, 'status' | 'details_removed_at'>): boolean {
  return run.status === 'done' && run.details_removed_at === null;
}

/** What is said of a run whose details were removed, and why. */
export function removedText(removedAt: string): string {
  return `Candles, trades and curves of this run were removed on ${formatMoment(removedAt).slice(0, 10)}.`;
}

/** Why they were. */
export const removedDetail = `They are kept for ${detailsKeptDays} days, and longer for the newest 50 runs of each person. Total trades, win rate and net PnL stay.`;

/** The newest run first; of two of the same moment the one the server had first. */
export function newestFirst(runs: readonly BacktestRun[]): BacktestRun[] {
  return [...runs].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

/** The run to follow: the newest own one that is open; of what was asked for here, that which asks for the same. */
export function runToFollow(runs: readonly BacktestRun[], asked: AskedRun | null): BacktestRun | null {
  const open = newestFirst(runs).filter((run) => run.is_own && isOpen(run));
  return (asked === null ? open[0] : open.find((run) => isSameAs(run, asked.request))) ?? null;
}

/** Whether a run that was asked for here has begun, as the list shows: a call that got no answer may still have. */
export function hasBegun(runs: readonly BacktestRun[], { request, before }: AskedRun): boolean {
  return runs.some((run) => run.is_own && isSameAs(run, request) && !before.includes(run.id));
}

/** The list with the answer of a run in it, so that the result is there before the list is asked for again. */
export function withReply(
  runs: readonly BacktestRun[],
  request: BacktestRequest,
  reply: CallReply<'runBacktest'>,
  now: string,
): BacktestRun[] {
  const { id, metrics, equity } = reply;
  const done = {
    status: 'done',
    progress: 1,
    step: '',
    seconds_left: null,
    is_cancelled: false,
    error: null,
    is_own: true,
    metrics,
    equity,
    details_removed_at: null,
  } as const;
  if (runs.some((run) => run.id === id)) {
    return runs.map((run) => (run.id === id ? { ...run, ...done, finished_at: run.finished_at ?? now } : run));
  }
  const { strategy_name: name = '', bot_id: _botId, ...settings } = request;
  // The settings of its bot are known when the list has been asked for again.
  return [{ id, strategy_name: name, bot: null, ...settings, created_at: now, finished_at: now, ...done }, ...runs];
}

/** Whether a run has the settings that were asked for. */
export function isSameAs(run: BacktestRun, request: BacktestRequest): boolean {
  return (
    run.bot?.id === request.bot_id &&
    run.strategy_id === request.strategy_id &&
    run.exchange === request.exchange &&
    run.symbol === request.symbol &&
    run.trading_mode === request.trading_mode &&
    run.timeframe === request.timeframe &&
    run.days === request.days &&
    run.stake_amount === request.stake_amount &&
    run.max_open_trades === request.max_open_trades
  );
}
