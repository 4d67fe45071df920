import { readAddress } from './address/address.ts';

/**
 * Loads the code of the dashboard, and of the tab that the address names, while the server is asked who is signed in: the one does not
 * wait for the other. Of a code that cannot be loaded the page itself says so when it needs it.
 */
export function loadAhead({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  if (pathname !== '/') return;
  const { tab } = readAddress(search);
  const parts: Promise<unknown>[] = [import('./shell/dashboard.tsx')];
  if (tab === 'bot_control') parts.push(import('./shell/bots-tab.tsx'));
  if (tab !== null && tab !== 'status') parts.push(import('./api/all-calls.ts')); // Status needs none of those
  for (const part of parts) part.catch(() => undefined);
}
