import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { failure, password, startTestServer, type TestBrowser } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const firefox = { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' } };
const again = async (email: string, address = '192.0.2.7'): Promise<TestBrowser> => {
  const browser = server.browser(address);
  await browser.login({ body: { email, password } }, firefox);
  return browser;
};

test('a person sees where they are signed in, and nobody else', async () => {
  const person = await server.signedIn('investor');
  await server.signedIn('trader');
  server.pass(minuteMs);
  const other = await again(person.email);
  const list = await other.listSessions({});
  expect(list.map(({ device, address, is_current }) => ({ device, address, is_current }))).toEqual([
    { device: 'Firefox on Linux', address: '192.0.2.7', is_current: true },
    { device: null, address: expect.stringMatching(/^10\./u) as string, is_current: false },
  ]);
  expect((await person.listSessions({})).map(({ is_current }) => is_current)).toEqual([false, true]);
  expect((await failure(server.browser().listSessions({}))).status).toBe(401);
});

test('a session that has ended, run out or been idle for eight hours is not listed', async () => {
  const person = await server.signedIn('trader');
  const idle = await again(person.email);
  const out = await again(person.email);
  await out.logout({});
  expect(await person.listSessions({})).toHaveLength(2);
  for (let n = 0; n < 40; n++) {
    server.pass(14 * minuteMs);
    await person.refreshSession({});
  }
  expect(40 * 14 * minuteMs).toBeGreaterThan(8 * hourMs);
  expect((await person.listSessions({})).map(({ is_current }) => is_current)).toEqual([true]);
  expect((await failure(idle.getMe({}))).status).toBe(401);
});

test('one session is ended at once, by its owner alone', async () => {
  const person = await server.signedIn('trader');
  const other = await again(person.email);
  const stranger = await server.signedIn('admin');
  const [{ id } = { id: '' }] = (await person.listSessions({})).filter(({ is_current }) => !is_current);
  expect(await failure(stranger.endOwnSession({ params: { id } }))).toMatchObject({ status: 404, detail: 'Session not found' });
  await other.getMe({});
  expect(await person.endOwnSession({ params: { id } })).toEqual({ status: 'Session ended' });
  expect((await failure(other.getMe({}))).status).toBe(401);
  expect((await failure(other.refreshSession({}))).status).toBe(401);
  await person.getMe({});
  expect((await failure(person.endOwnSession({ params: { id } }))).status).toBe(404);
});

test('ending the own session signs out', async () => {
  const person = await server.signedIn('trader');
  const [{ id } = { id: '' }] = await person.listSessions({});
  await person.endOwnSession({ params: { id } });
  expect(person.cookies.has('sid')).toBe(false);
  expect((await failure(person.getMe({}))).status).toBe(401);
});

test('all others are ended, this one and those of other people are not', async () => {
  const person = await server.signedIn('trader');
  const others = [await again(person.email), await again(person.email)];
  const stranger = await server.signedIn('trader');
  expect(await person.endOtherSessions({})).toEqual({ status: 'All other sessions have ended' });
  for (const other of others) expect((await failure(other.getMe({}))).status).toBe(401);
  await Promise.all([person.getMe({}), stranger.getMe({})]);
  expect(await person.listSessions({})).toHaveLength(1);
});
