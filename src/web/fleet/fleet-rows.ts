import { isLate } from '../live/price-age.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import type { ModeName } from '../ui/venue.ts';
import { modeName, modeNames } from '../ui/venue.ts';

/** How many bots are shown before the rest is folded away. */
export const rowsShown = 7;

const statusOrder = ['active', 'paused', 'stopped'];

/** The bots in the order of the rows: active, paused, stopped; within these live first, then as they came. */
function inOrder(bots: readonly FleetBot[]): FleetBot[] {
  return bots.toSorted(
    (a, b) => statusOrder.indexOf(a.status) - statusOrder.indexOf(b.status) || Number(b.mode === 'live') - Number(a.mode === 'live'),
  );
}

/** The bots in the order that a person has sorted them into; those that came later last, in the order of the rows. */
export function keptOrder(bots: readonly FleetBot[], ids: readonly string[]): FleetBot[] {
  const place = new Map(ids.map((id, at) => [id, at]));
  return inOrder(bots).toSorted((a, b) => (place.get(a.bot_id) ?? ids.length) - (place.get(b.bot_id) ?? ids.length));
}

/**
 * The rows that are shown and those that are folded away. The bot that is watched is shown, then what needs attention, is active or holds
 * trades; where the person has sorted, what stands first; the order of the rows does not depend on it, so that they do not move while they are read.
 */
export function foldedRows(
  bots: readonly FleetBot[],
  showsAll: boolean,
  now: number,
  selectedId: string | null = null,
  sortedIds: readonly string[] | null = null,
): { shown: FleetBot[]; hidden: FleetBot[] } {
  const ordered = sortedIds === null ? inOrder(bots) : keptOrder(bots, sortedIds);
  if (showsAll || ordered.length <= rowsShown) return { shown: ordered, hidden: [] };
  const weight = (bot: FleetBot): number =>
    (bot.bot_id === selectedId ? -16 : 0) +
    (needsAttention(bot, now) ? 0 : 8) +
    (sortedIds === null ? statusOrder.indexOf(bot.status) * 2 + (bot.open_trades > 0 ? 0 : 1) : 0);
  const first = new Set(ordered.toSorted((a, b) => weight(a) - weight(b)).slice(0, rowsShown));
  return { shown: ordered.filter((bot) => first.has(bot)), hidden: ordered.filter((bot) => !first.has(bot)) };
}

/** The bots whose name, or the pair of whose newest decision, has a text in it, in any case; all of them for an empty one. */
export function foundBots(bots: readonly FleetBot[], text: string): FleetBot[] {
  const wanted = text.trim().toLowerCase();
  const has = (of: string | undefined): boolean => of?.toLowerCase().includes(wanted) === true;
  return bots.filter(({ nickname, last_decision: decision }) => has(nickname) || has(decision?.symbol));
}

/** Whether something is wrong with a bot that runs. */
export function needsAttention(bot: FleetBot, now: number): boolean {
  return bot.status !== 'stopped' && (bot.last_error !== null || isLate(bot, now));
}

/** What is folded away, in words: by name where there are few, else by number. */
export function hiddenText(hidden: readonly FleetBot[]): string {
  if (hidden.length === 0) return '';
  const list =
    hidden.length <= 3
      ? hidden.map((bot) => `${bot.nickname} ${stateOf(bot)}`)
      : statusOrder.flatMap((status) => {
          const count = hidden.filter((bot) => bot.status === status).length;
          return count === 0 ? [] : [`${count} ${status}`];
        });
  return `${hidden.length} more: ${list.join(', ')}`;
}

function stateOf({ status, open_trades: open }: FleetBot): string {
  if (status !== 'active') return `is ${status}`;
  return open === 0 ? 'has no open trade' : `has ${open} open ${open === 1 ? 'trade' : 'trades'}`;
}

/** Money of the bots of one mode in one currency: what their orders are made of is never added to another kind. */
export interface FleetTotal {
  mode: ModeName;
  currency: string;
  today: number;
  unrealized: number;
}

/** The totals, the most real first; empty while today's profits are not known. */
export function fleetTotals(bots: readonly FleetBot[]): FleetTotal[] {
  const totals = new Map<string, FleetTotal>();
  for (const bot of bots) {
    const { stake_currency: currency, today_pnl: today, unrealized_pnl: unrealized } = bot;
    if (currency === undefined || today === undefined) continue;
    const mode = modeName(bot.mode, bot.exchange_id);
    const key = `${mode} ${currency}`;
    const before = totals.get(key) ?? { mode, currency, today: 0, unrealized: 0 };
    totals.set(key, { mode, currency, today: before.today + today, unrealized: before.unrealized + unrealized });
  }
  return [...totals.values()].toSorted((a, b) => modeNames.indexOf(a.mode) - modeNames.indexOf(b.mode));
}
