import { passkeyTexts } from '#contract/passkeys.ts';
import { isIP } from 'node:net';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** The page that passkeys belong to: browsers give them to this host alone. */
export interface RelyingParty {
  id: string; // the host
  origin: string;
}

type Addressed = Pick<ServerDependencies, 'address' | 'pageUrl'>;

/**
 * Where passkeys work: at the configured public address, or at localhost when the server listens on this machine alone. Null where
 * browsers allow none: without https, at a bare IP address, and where nobody said what the address is.
 */
export function relyingPartyOf({ address, pageUrl }: Addressed): RelyingParty | null {
  const url = address.publicUrl ?? (address.isLoopback ? atLocalhost(pageUrl) : null);
  if (url === null || isIP(url.hostname.replaceAll(/[[\]]/gu, '')) !== 0) return null;
  if (url.protocol !== 'https:' && url.hostname !== 'localhost') return null;
  return { id: url.hostname, origin: url.origin };
}

/** The same for a call that cannot do without. Fails: 409 */
export function needRelyingParty(dependencies: Addressed): RelyingParty {
  const party = relyingPartyOf(dependencies);
  if (party === null) throw new HttpError(409, passkeyTexts.notHere);
  return party;
}

function atLocalhost(pageUrl: string): URL {
  const url = new URL(pageUrl);
  url.hostname = 'localhost';
  return url;
}
