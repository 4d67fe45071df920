import type { IncomingMessage } from 'node:http';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/u;

/**
 * Whether a request comes from a program of this machine, or from a person who has typed the address, and not from a
 * page of another site: any page that somebody visits could otherwise use up the budget that the bots share. Browsers
 * say where a request comes from; a foreign name that resolves to this machine shows in the Host.
 */
export function isOwnCaller({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    loopback.test(host) &&
    (origin === undefined || origin === `http://${host}`) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}
