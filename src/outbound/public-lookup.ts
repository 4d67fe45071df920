import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** A host name that leads to an address which is not public. */
export class NotPublic extends Error {
  readonly code = 'ENOTPUBLIC';
}

/**
 * Second check: where the name leads. A lookup for a connection that fails unless every address of the name is public. The
 * connection goes to one of the addresses that were checked, so a name that leads elsewhere a moment later gains nothing.
 */
export function publicLookup(resolve: Resolve = (hostname) => systemLookup(hostname, { all: true, verbatim: true })): LookupFunction {
  return (hostname, options, done) => {
    const refuse = (error: Error): void => done(error, '', 0);
    resolve(hostname).then((found) => {
      const addresses = found.map(({ address, family }) => ({ address, family }));
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        return refuse(new NotPublic('The host is not a public one.'));
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    }, refuse);
  };
}
