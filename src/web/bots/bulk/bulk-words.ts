import type { Bot } from '#contract/bots.ts';
import type { BulkAction } from '#contract/bulk.ts';
import type { FleetBot } from '../../live/joined-fleet.ts';
import type { ModeName } from '../../ui/venue.ts';
import { modeName, modeNames } from '../../ui/venue.ts';

/** See `bulkWords`. */
interface BulkWords {
  title: string;
  confirm: string;
  done: string; // what the bots are then
  failed: string;
}

/** What the buttons and the dialog call each action. */
export const bulkWords: Readonly<Record<BulkAction, BulkWords>> = {
  activate: { title: 'Activate Bots', confirm: 'Activate', done: 'activated', failed: 'Failed to activate the bots' },
  pause: { title: 'Pause Bots', confirm: 'Pause', done: 'paused', failed: 'Failed to pause the bots' },
  stop: { title: 'Stop Bots', confirm: 'Stop', done: 'stopped', failed: 'Failed to stop the bots' },
  tag: { title: 'Add Tags', confirm: 'Add', done: 'tagged', failed: 'Failed to add the tags' },
  untag: { title: 'Remove Tags', confirm: 'Remove', done: 'without these tags', failed: 'Failed to remove the tags' },
};

/** '1 bot', '12 bots'. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The bots that an action changes: a stopped one is not paused, that would start it. */
export function concernedBots(action: BulkAction, bots: readonly Bot[]): Bot[] {
  if (action === 'activate') return bots.filter(({ status }) => status !== 'active');
  if (action === 'pause') return bots.filter(({ status }) => status === 'active');
  if (action === 'stop') return bots.filter(({ status }) => status !== 'stopped');
  return [...bots];
}

/** The bots by mode, the most real first, with their open trades: '2 live', 'paper: 3 open trades'. */
export function byMode(
  bots: readonly Bot[],
  live: ReadonlyMap<string, FleetBot>,
): { mode: ModeName; bots: number; openTrades: number; unknown: number }[] {
  return modeNames.flatMap((mode) => {
    const some = bots.filter((bot) => modeName(bot.mode, bot.exchange_id) === mode);
    if (some.length === 0) return [];
    return [
      {
        mode,
        bots: some.length,
        openTrades: some.reduce((sum, { id }) => sum + (live.get(id)?.open_trades ?? 0), 0),
        unknown: some.filter(({ id }) => !live.has(id)).length, // of which it is not known
      },
    ];
  });
}

/** What will happen, in a sentence. `openTrades` is of those of which it is known; `unknown` says of how many it is not. */
export function bulkConsequence(action: BulkAction, bots: readonly Bot[], openTrades: number, unknown: number): string {
  if (action === 'pause') return 'No new entries. Open trades keep their stops and exits.';
  if (action === 'activate') {
    const isReal = bots.some((bot) => modeName(bot.mode, bot.exchange_id) === 'live');
    return isReal ? 'From then on the live ones send real orders with real money.' : 'None of them sends orders with real money.';
  }
  if (action === 'stop') {
    if (unknown > 0) return 'Whatever they hold is closed at market, and open orders are cancelled.';
    const what =
      openTrades === 0
        ? 'They hold no open trade'
        : `${countOf(openTrades, 'open trade')} ${openTrades === 1 ? 'is' : 'are'} closed at market`;
    return `${what}, and open orders are cancelled.`;
  }
  return action === 'tag' ? 'Tags that a bot has already stay as they are.' : 'All other tags stay.';
}
