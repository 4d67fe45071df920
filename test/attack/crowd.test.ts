import { verify } from '@node-rs/argon2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { texts } from '#contract/errors.ts';
import { availableParallelism } from 'node:os';
import { passwordQueue } from '#server/auth/passwords.ts';
import { failure, password, startTestServer } from '../support/test-server.ts';
import { report, runSize } from '../support/run-size.ts';
import { sendCall } from './send-call.ts';
import { patienceMs } from '../support/patience.ts';

// More people than the server can check passwords for sign in at once: npm run torture crowd [PEOPLE]

// The real hashing runs; how much of it at once is counted.
vi.mock('@node-rs/argon2', { spy: true });

const { size, seed } = runSize(300);
const hashedAtOnce = availableParallelism() > 2 ? 2 : 1;
const placesAndQueue = hashedAtOnce + 64;
const server = await startTestServer();

test(`OP-22 of ${size} sign-ins at once ${hashedAtOnce} are checked at a time, 64 wait, the rest get 429 and other calls their answers`, async () => {
  const person = await server.signedIn('trader');
  const before = vi.mocked(verify).mock.settledResults.length;
  let most = 0;
  const underWay = (): number => vi.mocked(verify).mock.settledResults.filter(({ type }) => type === 'incomplete').length;
  const answered: string[] = [];
  const signIns = Array.from({ length: size }, async (_, i) => {
    const body = { email: `crowd-${seed}-${i}@attack.example`, password: 'not the password' };
    const reply = await sendCall(server, 'login', { body });
    most = Math.max(most, underWay());
    answered.push('a sign-in');
    return reply;
  });
  // Whoever is signed in asks while the crowd waits.
  await vi.waitUntil(() => underWay() > 0, { interval: 1, timeout: patienceMs });
  most = Math.max(most, underWay());
  expect((await person.getMe({})).userId).toBe(person.userId);
  answered.push('another call');
  const replies = await Promise.all(signIns);

  expect(most).toBe(hashedAtOnce);
  const statuses = replies.map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  const checked = vi.mocked(verify).mock.settledResults.length - before;
  expect(statuses.filter((status) => status === 401)).toHaveLength(checked);
  expect(checked).toBeGreaterThanOrEqual(placesAndQueue);
  expect(checked).toBeLessThan(size);
  for (const reply of replies.filter(({ statusCode }) => statusCode === 429)) {
    expect([texts.tooManyAttempts, texts.tooManyRequests]).toContain(reply.json<{ detail: string }>().detail);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  }
  // The other call did not wait until the crowd had been served.
  expect(answered.indexOf('another call')).toBeLessThan(answered.length - 1);
  expect((await person.getMe({})).userId).toBe(person.userId);
  report(`crowd: ${size} sign-ins at once, ${checked} passwords checked, ${most} at a time`);
});

test('OP-22 while strangers have all places that they may take, people who are signed in renew their sessions, sign out and give the password again', async () => {
  const [admin, leaving] = [await server.signedIn('admin'), await server.signedIn('trader')];
  let free = (): void => {};
  const isFree = new Promise<void>((resolve) => (free = resolve));
  onTestFinished(() => free());
  for (let i = 0; i < hashedAtOnce; i++) vi.mocked(verify).mockImplementationOnce(() => isFree.then(() => false));
  const signIn = (from: number) =>
    failure(server.browser(`10.90.0.${from}`).login({ body: { email: `queue-${from}@attack.example`, password: 'not the password' } }));
  const strangers = Array.from({ length: placesAndQueue }, (_, i) => signIn(i));
  await vi.waitUntil(() => passwordQueue().waiting === 64, { interval: 1, timeout: patienceMs });
  expect((await signIn(placesAndQueue)).status).toBe(429);

  expect(await admin.refreshSession({})).toEqual({ status: 'Session refreshed' });
  expect(await leaving.logout({})).toEqual({ status: 'Logged out' });
  const confirming = admin.confirmPassword({ body: { password } }); // as CLOSE ALL asks for it
  await Promise.race([confirming, vi.waitUntil(() => passwordQueue().waiting > 64, { interval: 1, timeout: patienceMs })]);
  free();
  expect(await confirming).toEqual({ status: 'Password confirmed' });
  for (const refused of await Promise.all(strangers)) expect(refused.status).toBe(401);
});
