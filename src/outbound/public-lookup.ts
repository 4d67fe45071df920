import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

const notPublic = 'The host is not a public one.';

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
    // The callback comes after all of this, so that a failure of its own is not taken for one of the lookup.
    const give = ({ error, addresses: [first, ...others] }: Lookup): void => {
      if (error !== null || first === undefined) done(error ?? new NotPublic(notPublic), '', 0);
      else if (options.all === true) done(null, [first, ...others]);
      else done(null, first.address, first.family);
    };
    void publicAddresses(resolve, hostname).then((found) => setImmediate(give, found));
  };
}

interface Lookup {
  error: Error | null;
  addresses: { address: string; family: number }[];
}

async function publicAddresses(resolve: Resolve, hostname: string): Promise<Lookup> {
  try {
    const addresses = (await resolve(hostname)).map(({ address, family }) => ({ address, family }));
    const isPublic = addresses.every(({ address }) => isPublicAddress(address));
    return isPublic ? { error: null, addresses } : { error: new NotPublic(notPublic), addresses: [] };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)), addresses: [] };
  }
}
