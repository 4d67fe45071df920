import type { Bot } from '#contract/bots.ts';
import { botStatuses } from '#contract/fields.ts';

/** What the list is narrowed to; '' for everything. */
export interface BotFilter {
  search: string; // part of the nickname
  status: string;
  mode: string;
  exchange: string; // exchange id
}

/** The filter that hides nothing. */
export const allBots: BotFilter = { search: '', status: '', mode: '', exchange: '' };

/** Whether the filter lets the bot through: nickname by part, whatever its case; the rest exactly. */
export function matchesFilter(bot: Pick<Bot, 'nickname' | 'status' | 'mode' | 'exchange_id'>, filter: BotFilter): boolean {
  return (
    bot.nickname.toLowerCase().includes(filter.search.trim().toLowerCase()) &&
    (filter.status === '' || bot.status === filter.status) &&
    (filter.mode === '' || bot.mode === filter.mode) &&
    (filter.exchange === '' || bot.exchange_id === filter.exchange)
  );
}

/** The bots in the order of the list: active, paused, stopped; within these by nickname whatever its case, then by id. */
export function sortBots<B extends Pick<Bot, 'id' | 'nickname' | 'status'>>(bots: readonly B[]): B[] {
  return [...bots].sort(
    (a, b) =>
      botStatuses.indexOf(a.status) - botStatuses.indexOf(b.status) ||
      compare(a.nickname.toLowerCase(), b.nickname.toLowerCase()) ||
      compare(a.id, b.id),
  );
}

/** What the status button of a bot says and asks for. */
export function statusAction(status: Bot['status']): { label: 'Pause' | 'Activate'; next: Bot['status'] } {
  return status === 'active' ? { label: 'Pause', next: 'paused' } : { label: 'Activate', next: 'active' };
}

/** What the mode button of a bot says and asks for. */
export function modeAction(mode: Bot['mode']): { label: 'Switch to Live' | 'Switch to Paper'; next: Bot['mode'] } {
  return mode === 'paper' ? { label: 'Switch to Live', next: 'live' } : { label: 'Switch to Paper', next: 'paper' };
}

/** The dialog of a status change: its title and its question. */
export function statusDialog(next: Bot['status']): { title: string; message: string } {
  const verb = { active: 'activate', paused: 'pause', stopped: 'stop' }[next];
  return { title: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} Bot`, message: `Are you sure you want to ${verb} this bot?` };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
