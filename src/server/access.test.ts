import type { Role } from '#contract/fields.ts';
import { roles } from '#contract/fields.ts';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import { listAudit } from '#storage/audit-log.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, startTestServer } from '../../test/support/test-server.ts';

const server = await startTestServer();
const people = new Map<Role, string>();

beforeAll(async () => {
  for (const role of roles) {
    const at = await server.signedIn(role);
    people.set(role, [...at.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  }
});

const someId = '00000000-0000-4000-8000-00000000dead';
const call = (route: Route, cookie: string, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: route.method,
    url: `/api${route.path.replaceAll(/\{\w+\}/gu, someId)}`,
    headers: { host: 'localhost:3000', origin: 'http://localhost:3000', cookie, ...headers },
    ...(route.method === 'GET' || route.body === undefined ? {} : { payload: {} }),
  });

describe.each(Object.values(routes) as Route[])('$id $method $path', (route) => {
  test('ROLE-16, OP-05, OP-45 answers who may call, whatever X-Role says, and refuses everybody else in its own words', async () => {
    const { who, denied } = route.access;
    const anonymous = await call(route, '', { 'x-role': 'admin' });
    if (who === 'anyone') expect(anonymous.json()).not.toEqual({ detail: 'Not authenticated' });
    else expect([anonymous.statusCode, anonymous.json()]).toEqual([401, { detail: 'Not authenticated' }]);

    for (const role of roles) {
      if (route.path === '/auth/logout') continue;
      const reply = await call(route, people.get(role) ?? '', { 'x-role': 'admin' });
      const isRefused = who !== 'anyone' && who !== 'all' && !who.includes(role);
      if (isRefused) expect([reply.statusCode, reply.json()], role).toEqual([403, { detail: denied }]);
      else expect(reply.json(), role).not.toEqual({ detail: denied ?? 'Admin access required' });
      expect(reply.statusCode, role).not.toBe(500);
      if (reply.statusCode >= 400) expect(Object.keys(reply.json<object>())).toEqual(['detail']);
      // Every error is one the contract names for this call.
      const texts = Object.values(route.errors).flat();
      const detail = reply.statusCode >= 400 ? reply.json<{ detail: string }>().detail : null;
      if (detail !== null && detail !== 'Not available yet') expect(texts, role).toContain(detail);
    }
  });

  test('a foreign origin changes nothing', async () => {
    if (route.method === 'GET') return;
    const reply = await call(route, people.get('admin') ?? '', { origin: 'https://evil.example' });
    expect([reply.statusCode, reply.json()]).toEqual([403, { detail: 'Origin not allowed' }]);
  });
});

test('ROLE-05 a call that the role does not allow is in the audit log, once in a minute however often it is made', async () => {
  const trader = await server.signedIn('trader');
  const denied = async () =>
    (await listAudit(server.parts.db, { action: 'call-denied' }, 1_000)).lines.filter(({ actorId }) => actorId === trader.userId);
  for (let i = 0; i < 5; i++) await failure(trader.listUsers({}));
  await failure(trader.fundOverview({}));
  expect((await denied()).map(({ detail, result, actorRole }) => [detail, result, actorRole])).toEqual([
    [{ call: 'API-45' }, 'refused', 'trader'],
    [{ call: 'API-23' }, 'refused', 'trader'],
  ]);
  server.pass(60_000);
  await failure(trader.listUsers({}));
  expect(await denied()).toHaveLength(3);
});
