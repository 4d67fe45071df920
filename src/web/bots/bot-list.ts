import type { SessionUser } from '#contract/auth.ts';
import type { Bot } from '#contract/bots.ts';
import { botStatuses } from '#contract/fields.ts';
import { canCreateBots } from '../session/permissions.ts';

/** What the list is narrowed to; '' for everything. */
export interface BotFilter {
  search: string; // part of the nickname
  status: string; // or `archived`
  mode: string;
  exchange: string; // exchange id
  tag: string;
}

/** The status filter that shows the archived bots in place of the others. */
export const archived = 'archived';

/** The filter that hides nothing. */
export const allBots: BotFilter = { search: '', status: '', mode: '', exchange: '', tag: '' };

/** Whether the filter lets the bot through: nickname by part, whatever its case; the rest exactly. */
export function matchesFilter(bot: Pick<Bot, 'nickname' | 'status' | 'mode' | 'exchange_id' | 'tags'>, filter: BotFilter): boolean {
  return (
    bot.nickname.toLowerCase().includes(filter.search.trim().toLowerCase()) &&
    (filter.status === '' || filter.status === archived || bot.status === filter.status) &&
    (filter.mode === '' || bot.mode === filter.mode) &&
    (filter.exchange === '' || bot.exchange_id === filter.exchange) &&
    (filter.tag === '' || bot.tags.includes(filter.tag))
  );
}

/** The tags of these bots, each once, in the order of the alphabet. */
export function tagsOf(bots: readonly Pick<Bot, 'tags'>[]): string[] {
  return [...new Set(bots.flatMap(({ tags }) => tags))].toSorted((a, b) => compare(a.toLowerCase(), b.toLowerCase()) || compare(a, b));
}

/** Whose bots are listed. */
export type Whose = 'mine' | 'all';

/** Whether there is a choice: somebody with bots sees those of others too. */
export function hasBothKinds(bots: readonly Pick<Bot, 'user_id'>[], userId: string | null): boolean {
  return bots.some(({ user_id }) => user_id === userId) && bots.some(({ user_id }) => user_id !== userId);
}

/** The bots in the order of the list: active, paused, stopped; within these by nickname whatever its case, then by id. */
export function sortBots<B extends Pick<Bot, 'id' | 'nickname' | 'status'>>(bots: readonly B[]): B[] {
  return bots
    .map((bot) => ({
      bot,
      place: botStatuses.indexOf(bot.status),
      name: bot.nickname.toLowerCase(),
    }))
    .sort((a, b) => a.place - b.place || compare(a.name, b.name) || compare(a.bot.id, b.bot.id))
    .map(({ bot }) => bot);
}

/**
 * The bots in the order they were shown in before, so that no card moves away from under the pointer; those that are new
 * come last, in their own order.
 */
export function keepOrder<B extends Pick<Bot, 'id'>>(before: readonly string[], sorted: readonly B[]): B[] {
  const place = new Map(before.map((id, i) => [id, i]));
  return sorted.toSorted((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
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

/** Whether the tabs about one bot are shown: always to admins and traders, to others for a bot of their own. */
export function seesBotTabs(user: Pick<SessionUser, 'role' | 'userId'> | null, selected: Pick<Bot, 'user_id'> | null): boolean {
  return canCreateBots(user) || (selected !== null && selected.user_id === user?.userId);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
