import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { publicLookup } from './public-lookup.ts';
import type { UrlRefusal } from './webhook-url.ts';
import { checkWebhookUrl } from './webhook-url.ts';

/** What became of a message; never a word of the other side's. */
export type Delivery =
  | { ok: true }
  | { ok: false; reason: UrlRefusal | 'host-not-public' | 'unreachable' | 'untrusted-certificate' | 'too-slow' }
  | { ok: false; reason: 'refused'; status: number };

/** How far a message goes, and how long it may take. */
export interface Reach {
  lookup: LookupFunction;
  port: number;
  deadlineMs: number; // from the lookup to the answer
}

const internet: Reach = { lookup: publicLookup(), port: 443, deadlineMs: 8_000 };

/**
 * Posts a message to an address that a person has entered: over https, to a listed host, at public addresses only. Third
 * check: the answer. A redirect is not followed, and of an answer only its status is read; the connection is closed then.
 * Proxies that the environment names are not used, and certificates are always checked.
 */
export async function postWebhook(
  address: string,
  message: Readonly<Record<string, unknown>>,
  addedHosts: readonly string[],
  reach: Reach = internet,
): Promise<Delivery> {
  const check = checkWebhookUrl(address, addedHosts);
  if (!check.ok) return { ok: false, reason: check.reason };
  const { hostname, pathname, search } = check.url;
  const body = JSON.stringify(message);
  // An agent of its own: the shared one may use a proxy of the environment, and keeps connections that were made elsewhere.
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
  return new Promise<Delivery>((resolve) => {
    const call = request({
      method: 'POST',
      host: hostname.replaceAll(/^\[|\]$/gu, ''),
      port: reach.port,
      path: `${pathname}${search}`,
      headers: {
        Host: hostname,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'Flotilla',
        Connection: 'close',
      },
      agent,
      lookup: reach.lookup,
      rejectUnauthorized: true,
      maxHeaderSize: 16_384,
      signal: AbortSignal.timeout(reach.deadlineMs),
    });
    const finish = (delivery: Delivery): void => {
      resolve(delivery);
      call.destroy();
    };
    call.once('response', ({ statusCode = 0 }) =>
      finish(statusCode >= 200 && statusCode < 300 ? { ok: true } : { ok: false, reason: 'refused', status: statusCode }),
    );
    call.on('error', (error) => finish({ ok: false, reason: reasonOf(error) }));
    call.end(body);
  });
}

function reasonOf(error: Error): 'host-not-public' | 'unreachable' | 'untrusted-certificate' | 'too-slow' {
  const { code = '', name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'too-slow';
  if (code === 'ENOTPUBLIC') return 'host-not-public';
  return /CERT|SELF_SIGNED|UNABLE_TO_/u.test(code) ? 'untrusted-certificate' : 'unreachable';
}
