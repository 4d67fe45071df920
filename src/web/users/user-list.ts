import type { ManagedUser } from './user-edits.ts';

/** What the list is narrowed to; '' for everything. */
export interface UserFilter {
  search: string; // part of the display name or the e-mail
  role: string;
}

/** The filter that hides nobody. */
export const everyone: UserFilter = { search: '', role: '' };

/** How many users a page has. */
export const pageSize = 10;

/** How many page buttons are shown at most. */
const pageButtonsMax = 5;

/** Whether the filter lets the user through: display name or e-mail by part, whatever its case; the role that is stored exactly. */
export function matchesUser(user: Pick<ManagedUser, 'display_name' | 'email' | 'role'>, filter: UserFilter): boolean {
  const wanted = filter.search.trim().toLowerCase();
  const isFound = user.display_name.toLowerCase().includes(wanted) || user.email.toLowerCase().includes(wanted);
  return isFound && (filter.role === '' || user.role === filter.role);
}

/** How many pages `total` users fill; one when there is none. */
export function pageCount(total: number): number {
  return Math.max(1, Math.ceil(total / pageSize));
}

/** The numbers on the page buttons: a window that slides so that the current page is in its middle where it can be. */
export function pageWindow(page: number, pages: number): number[] {
  const count = Math.min(pageButtonsMax, pages);
  const first = Math.min(Math.max(1, page - Math.floor(count / 2)), pages - count + 1);
  return Array.from({ length: count }, (_, i) => first + i);
}

/** 'Showing a to b of n users'. */
export function pageText(page: number, total: number): string {
  return `Showing ${(page - 1) * pageSize + 1} to ${Math.min(page * pageSize, total)} of ${total} users`;
}

/** The first two pairs, and how many more there are: 'BTC/USDT, ETH/USDT +3'. */
export function pairsText(pairs: readonly string[]): string {
  const shown = pairs.slice(0, 2).join(', ');
  return pairs.length > 2 ? `${shown} +${pairs.length - 2}` : shown;
}
