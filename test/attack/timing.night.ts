import { minuteMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { hashPassword } from '#server/auth/passwords.ts';
import { updateUser } from '#storage/users/users.ts';
import { password, startTestServer } from '../support/test-server.ts';
import { drawsOf } from '../torture/draws.ts';
import { rankTest } from './rank-test.ts';
import { report, runSize } from '../support/run-size.ts';
import { sendCall } from './send-call.ts';

// Whether the time of an answer reveals that an account exists: npm run torture timing [PAIRS] [SEED]. Not part of
// npm test: no test of a commit depends on how long something takes.

const { size, seed } = runSize(500);
const mostGapMs = 2;
const server = await startTestServer();

const calls = {
  login: (email: string) => ({ body: { email, password: 'not the password' } }),
  forgotPassword: (email: string) => ({ body: { email } }),
  resendVerification: (email: string) => ({ body: { email } }),
  verifyEmail: (email: string) => ({ body: { email, code: 'none' } }),
  resetPassword: (email: string) => ({ body: { email, code: 'none', password: 'another password', confirmPassword: 'another password' } }),
} as const;

test.each(Object.entries(calls))('OP-17, OP-22 %s takes as long for a known address as for an unknown one', async (name, input) => {
  const draws = drawsOf(seed);
  const { email, userId } = await server.signedIn('trader', `known-to-${name}@attack.example`.toLowerCase());
  await updateUser(server.dependencies.db, userId, { passwordHash: await hashPassword(password) }); // as costly as a real one
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let pair = -10; pair < size; pair++) {
    server.pass(61 * minuteMs); // no limit may show in the time
    const unknown = `nobody-${pair + 10}-${name}@attack.example`.toLowerCase();
    for (const kind of draws.happens(0.5) ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const begun = performance.now();
      await sendCall(server, name as keyof typeof calls, input(kind === 'known' ? email : unknown));
      if (pair >= 0) times[kind].push(performance.now() - begun); // the first ones warm up
      await new Promise((resolve) => setTimeout(resolve, 15)); // what is done after the answer is not part of the next
    }
  }
  const { gap, p, medians } = rankTest(times.known, times.unknown);
  report(
    `timing, seed ${seed}: ${name}, ${size} pairs: medians ${medians.map((ms) => ms.toFixed(2)).join(' and ')} ms, p = ${p.toFixed(4)}`,
  );
  expect(p > 0.01 || Math.abs(gap) < mostGapMs, `${name}: known and unknown differ by ${gap.toFixed(2)} ms, p = ${p}`).toBe(true);
});
