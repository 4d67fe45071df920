import { createHmac } from 'node:crypto';
import type { Sandbox } from '../sandbox.ts';

/** What a signed request is answered: the status, and the body as it came. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: any; // oxlint-disable-line typescript/no-explicit-any -- the wire
}

/** A key of a sandbox, and signed requests with it that show what really travels. */
export interface RawAccount {
  apiKey: string;
  secret: string;
  send(method: string, path: string, parameters?: Record<string, string | number | boolean>): Promise<RawAnswer>;
}

/** Asks a running sandbox for a key. */
export async function rawAccount(sandbox: Pick<Sandbox, 'url'> & { clock?: { now(): number } }, right = 'trade'): Promise<RawAccount> {
  const made = await fetch(`${sandbox.url}/sandbox/v1/keys?right=${right}`, { method: 'POST' });
  const { apiKey, secretKey: secret } = (await made.json()) as { apiKey: string; secretKey: string };
  return accountOfKey(sandbox, { apiKey, secret });
}

/** Signed requests with a key that is known. */
export function accountOfKey(
  sandbox: { url: string; clock?: { now(): number } },
  { apiKey, secret }: { apiKey: string; secret: string },
): RawAccount {
  return {
    apiKey,
    secret,
    async send(method, path, parameters = {}) {
      const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
      query.append('timestamp', String(sandbox.clock?.now() ?? Date.now()));
      const signature = createHmac('sha256', secret).update(query.toString()).digest('hex');
      const text = `${query.toString()}&signature=${signature}`;
      const isPost = method === 'POST' || method === 'PUT';
      const answer = await fetch(`${sandbox.url}${path}${isPost ? '' : `?${text}`}`, {
        method,
        headers: { 'x-mbx-apikey': apiKey },
        ...(isPost ? { body: text } : {}),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
  };
}
