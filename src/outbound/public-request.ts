import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { publicLookup } from './public-lookup.ts';

/** A request to an address whose text was checked (`webhook-url.ts`). */
export interface PublicRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** How far a request goes, and how long it may take. */
export interface Reach {
  lookup: LookupFunction;
  port: number;
  deadlineMs: number; // from the lookup to the end of the answer
}

/** Why there is no answer. Whether the request has arrived is not known then. */
export type RequestFault = 'host-not-public' | 'unreachable' | 'untrusted-certificate' | 'too-slow' | 'answer-too-long';

/** What a host answered, of whatever status; a redirect is an answer like any other. */
export interface Answer {
  ok: true;
  status: number;
  retryAfter: string | undefined; // the header, as it came
  body: string; // '' when nobody wanted it
}

const internet: Reach = { lookup: publicLookup(), port: 443, deadlineMs: 8_000 };

/**
 * Sends one request over https to public addresses only. Third check: the answer. A redirect is not followed, and no more than
 * `longestBody` bytes of the answer are read; with 0 its status counts alone. The connection is closed then. Proxies that the
 * environment names are not used, and certificates are always checked.
 */
export async function publicRequest(
  { method, url, headers, body }: PublicRequest,
  longestBody: number,
  reach: Reach = internet,
): Promise<Answer | { ok: false; reason: RequestFault }> {
  // An agent of its own: the shared one may use a proxy of the environment, and keeps connections that were made elsewhere.
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
  return new Promise((resolve) => {
    const call = request({
      method,
      host: url.hostname.replaceAll(/^\[|\]$/gu, ''),
      port: reach.port,
      path: `${url.pathname}${url.search}`,
      headers: {
        Host: url.hostname,
        ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
        'User-Agent': 'Flotilla',
        Connection: 'close',
        ...headers,
      },
      agent,
      lookup: reach.lookup,
      rejectUnauthorized: true,
      maxHeaderSize: 16_384,
      signal: AbortSignal.timeout(reach.deadlineMs),
    });
    const finish = (result: Answer | { ok: false; reason: RequestFault }): void => {
      resolve(result);
      call.destroy();
    };
    const fail = (error: Error): void => finish({ ok: false, reason: reasonOf(error) });
    call.once('response', (response) => {
      response.on('error', fail); // also when the connection ends before the answer does
      if (longestBody === 0) return finish(answerOf(response, ''));
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > longestBody) finish({ ok: false, reason: 'answer-too-long' });
        else chunks.push(chunk);
      });
      response.on('end', () => finish(answerOf(response, Buffer.concat(chunks).toString('utf8'))));
    });
    call.on('error', fail);
    call.end(body);
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: string): Answer {
  return { ok: true, status: statusCode, retryAfter: headers['retry-after'], body };
}

function reasonOf(error: Error): RequestFault {
  const { code = '', name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'too-slow';
  if (code === 'ENOTPUBLIC') return 'host-not-public';
  return /CERT|SELF_SIGNED|UNABLE_TO_/u.test(code) ? 'untrusted-certificate' : 'unreachable';
}
