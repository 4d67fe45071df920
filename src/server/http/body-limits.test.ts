import type { Route } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
let cookie = '';
let email = '';
// A caller of its own for each test: a minute of calls must not be used up by how many routes there are.
beforeEach(async () => {
  const admin = await server.signedIn('admin');
  cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  email = admin.email;
});

const someId = '00000000-0000-4000-8000-00000000dead';
const pathOf = (route: Route) => `/api${route.path.replaceAll(/\{\w+\}/gu, someId)}`;
const ask = (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: string, type = 'application/json') =>
  server.app.inject({
    method,
    url,
    headers: {
      host: 'localhost:3000',
      origin: 'http://localhost:3000',
      cookie,
      ...(payload === undefined ? {} : { 'content-type': type }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
const refusal = { detail: 'Invalid request' };
const all = Object.values(routes) as Route[];
const withBody = all.filter(({ body }) => body !== undefined);

describe('the length of a body', () => {
  /** A sign-in of exactly this many bytes, blanks included. */
  const signIn = (bytes: number) => JSON.stringify({ email, password: 'wrong' }).padEnd(bytes);

  test('of a call about signing in may be 16 KiB, and not one byte more', async () => {
    expect((await ask('POST', '/api/auth/login', signIn(16_384))).statusCode).toBe(401);
    const reply = await ask('POST', '/api/auth/login', signIn(16_385));
    expect([reply.statusCode, reply.json()]).toEqual([400, refusal]);
  });

  test('of any other call 256 KiB, and not one byte more', async () => {
    const note = (bytes: number) => JSON.stringify({ role: 'trader' }).padEnd(bytes);
    const url = `/api/settings/users/${someId}/role`;
    expect((await ask('POST', url, note(262_144))).statusCode).toBe(404); // there is no such account
    const reply = await ask('POST', url, note(262_145));
    expect([reply.statusCode, reply.json()]).toEqual([400, refusal]);
  });
});

test('a body that is nested deeply is refused, however deeply, and the server lives', async () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  for (const depth of [21, 1_000, 100_000]) {
    for (const body of [nested(depth), `{"minimal_roi":${nested(depth)}}`, '{"a":'.repeat(Math.min(depth, 40_000))]) {
      const reply = await ask('PATCH', `/api/strategies/${someId}`, body);
      expect([reply.statusCode, reply.json()]).toEqual([400, refusal]);
    }
  }
  expect((await ask('GET', '/api/auth/me')).statusCode).toBe(200);
});

test.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s takes JSON and nothing else',
  async (_, route) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/xml',
      'application/jsonp',
      'x',
    ]) {
      const reply = await ask(route.method, pathOf(route), '{}', type);
      expect([reply.statusCode, reply.json()], type).toEqual([400, refusal]);
    }
  },
);

test('names that reach into the language are refused and change nothing in it', async () => {
  for (const body of [
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"role":"trader","__proto__":{"polluted":true}}',
    '{"role":"trader","constructor":{"prototype":{"polluted":true}}}',
  ]) {
    const reply = await ask('POST', `/api/settings/users/${someId}/role`, body);
    expect(reply.statusCode, body).toBe(400);
  }
  expect((Object.prototype as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each(all.filter(({ method }) => method === 'GET').map((route) => [route.path, route] as const))(
  'GET %s refuses a query that names a key twice',
  async (_, route) => {
    for (const query of ['bot_id=1&bot_id=2', 'x=1&x=1', 'state=sent&state=failed', 'x[]=1&x[]=2']) {
      const reply = await ask('GET', `${pathOf(route)}?${query}`);
      expect([reply.statusCode, reply.json()], query).toEqual([400, refusal]);
    }
  },
);
