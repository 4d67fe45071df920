import { ExchangeError } from '#engine/ports/exchange-error.ts';

/** A table of addresses as ccxt keeps it: texts, and tables of texts. */
export type UrlTable = { [section: string]: string | UrlTable };

/**
 * The address of the sandbox for each section that ccxt knows. Built from ccxt's own table, so that no section, also
 * none that a later version adds, is left to point at the real exchange.
 */
export function sandboxUrls(real: UrlTable, sandboxUrl: string): UrlTable {
  const host = new URL(sandboxUrl).host;
  return Object.fromEntries(
    Object.entries(real).map(([section, value]) => {
      if (typeof value !== 'string') return [section, sandboxUrls(value, sandboxUrl)];
      const { protocol, pathname } = new URL(value);
      if (!protocol.startsWith('ws')) return [section, `http://${host}${pathname}`];
      // ccxt recognises a spot stream by the word /stream in its address.
      const spot = pathname === '/ws' && (section === 'spot' || section === 'margin');
      return [section, `ws://${host}${spot ? '/stream/ws' : pathname}`];
    }),
  );
}

/**
 * Makes sure that no address leads away from this machine.
 *
 * Fails: ExchangeError `rejected` that names the address
 */
export function assertLoopback(urls: UrlTable): void {
  for (const [section, value] of Object.entries(urls)) {
    if (typeof value !== 'string') {
      assertLoopback(value);
      continue;
    }
    const host = URL.canParse(value) ? new URL(value).hostname : '';
    if (!['127.0.0.1', 'localhost', '[::1]'].includes(host)) {
      throw new ExchangeError('rejected', `The sandbox must lie on this machine, but its section ${section} leads to ${value}.`);
    }
  }
}
