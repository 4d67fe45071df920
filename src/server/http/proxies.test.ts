import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TestServer } from '../../../test/support/test-server.ts';
import { CallFailed, failure, password, startTestServer } from '../../../test/support/test-server.ts';

const proxy = '10.20.0.1';
const bare = await startTestServer();
const behind = await startTestServer({}, { trustedProxies: ['10.20.0.0/24'] });
const secure = await startTestServer(
  { address: { publicUrl: new URL('https://bots.example.com'), isLoopback: true } },
  { trustedProxies: ['127.0.0.1', '10.0.0.0/16'] }, // where the browsers of the tests are
);

/** Signs in over a connection from `from` with what the proxy says of the person; gives the status of the answer. */
async function signIn(server: TestServer, email: string, from: string, forwardedFor: string, secret = password): Promise<number> {
  try {
    await server.browser(from).login({ body: { email, password: secret } }, { headers: { 'x-forwarded-for': forwardedFor } });
    return 200;
  } catch (error) {
    if (error instanceof CallFailed) return error.status;
    throw error;
  }
}

async function newPerson(server: TestServer): Promise<string> {
  return (await server.signedIn('trader')).email;
}

async function auditedAddresses(server: TestServer, email: string): Promise<(string | null)[]> {
  const { rows } = await sql<{ address: string | null }>`
    select distinct a.address from audit_log a join users u on u.id = a.actor_id where u.email = ${email} and a.address not like '10.0.%'
    order by a.address`.execute(server.dependencies.db);
  return rows.map(({ address }) => address);
}

test('OP-22 without trusted proxies a made-up X-Forwarded-For changes neither the limits nor the audit log', async () => {
  const email = await newPerson(bare);
  for (let i = 0; i < 5; i++) expect(await signIn(bare, email, proxy, `192.0.2.${i + 1}`, 'wrong')).toBe(401);
  expect(await signIn(bare, email, proxy, '192.0.2.99')).toBe(401); // used up, whatever it calls itself
  expect(await auditedAddresses(bare, email)).toEqual([proxy]);
});

test('OP-22 behind a trusted proxy each person is counted and recorded by the own address', async () => {
  const email = await newPerson(behind);
  for (let i = 0; i < 5; i++) expect(await signIn(behind, email, proxy, '192.0.2.1', 'wrong')).toBe(401);
  expect(await signIn(behind, email, proxy, '192.0.2.1')).toBe(401);
  expect(await signIn(behind, email, proxy, '192.0.2.2')).toBe(200);
  expect(await auditedAddresses(behind, email)).toEqual(['192.0.2.1', '192.0.2.2']);
});

test('OP-22 a person behind the proxy who adds addresses of their own is still the one the proxy saw', async () => {
  const email = await newPerson(behind);
  for (let i = 0; i < 5; i++) expect(await signIn(behind, email, proxy, `203.0.113.${i}, 192.0.2.7`, 'wrong')).toBe(401);
  expect(await signIn(behind, email, proxy, '203.0.113.50, 192.0.2.7')).toBe(401);
  expect(await auditedAddresses(behind, email)).toEqual(['192.0.2.7']);
});

test('OP-22 a connection that does not come from a trusted proxy is known by its own address', async () => {
  const email = await newPerson(behind);
  expect(await signIn(behind, email, '10.21.0.1', '192.0.2.8')).toBe(200);
  expect(await auditedAddresses(behind, email)).toEqual(['10.21.0.1']);
});

test('OP-22 a port behind the address does not count, and what is not an address is the proxy itself', async () => {
  const email = await newPerson(behind);
  expect(await signIn(behind, email, proxy, '192.0.2.9:51000')).toBe(200);
  expect(await signIn(behind, email, proxy, '[2001:db8::9]:51000')).toBe(200);
  expect(await signIn(behind, email, proxy, 'unknown')).toBe(200);
  expect(await auditedAddresses(behind, email)).toEqual([proxy, '192.0.2.9', '2001:db8::9']);
});

test('OP-22 behind a proxy that ends TLS, cookies are Secure by the public address; what came to it in the clear is refused', async () => {
  const email = await newPerson(secure);
  for (const said of ['https', null]) {
    const at = secure.browser();
    const headers = {
      host: 'bots.example.com',
      origin: 'https://bots.example.com',
      ...(said === null ? {} : { 'x-forwarded-proto': said }),
    };
    await at.login({ body: { email, password } }, { headers });
    expect(at.setCookies.length).toBeGreaterThan(0);
    for (const line of at.setCookies) expect(line).toMatch(/^__Host-.*; Secure/u);
  }
  const inTheClear = { host: 'bots.example.com', origin: 'https://bots.example.com', 'x-forwarded-proto': 'http' };
  const refused = await failure(secure.browser().login({ body: { email, password } }, { headers: inTheClear }));
  expect(refused.message).toBe('403 This server is reached over https only');
});

test('OP-22 a host or protocol that a header names is nobody’s own: not for the origin, not for the cookies', async () => {
  const email = await newPerson(behind);
  const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const refused = await failure(
    behind.browser(proxy).login({ body: { email, password } }, { headers: { ...forwarded, origin: 'https://evil.example' } }),
  );
  expect(refused.message).toBe('403 Origin not allowed');
  const at = behind.browser(proxy);
  await at.login({ body: { email, password } }, { headers: forwarded });
  expect([...at.cookies.keys()]).toContain('sid'); // plain http on loopback, as it is configured
});
