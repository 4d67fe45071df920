import { texts } from '#contract/errors.ts';
import type { Route } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { findTerms } from '#runner/hindsight/what-if/find-terms.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { openChannelHost, sendingTo } from '../support/channel-host.ts';
import { startMarket } from '../support/market.ts';
import { openTestHindsight } from '../support/test-hindsight.ts';
import { startTestServer } from '../support/test-server.ts';
import { expectedAnswer } from './access-rules.ts';
import type { Whose } from './access-rules.ts';
import type { Caller } from './callers.ts';
import { callerKinds, makeCallers } from './callers.ts';
import { forgedHeaders } from './forged-headers.ts';
import { missingThings } from './known-values.ts';
import { report, runSize } from '../support/run-size.ts';
import { sendCall } from './send-call.ts';
import { openTestJobs } from './test-jobs.ts';
import type { About } from './valid-calls.ts';
import { validCalls } from './valid-calls.ts';

// Every call of the contract, by every kind of caller, about own, another's and missing things, with honest and with
// forged headers: npm run torture access

const { isNight } = runSize(1);
const market = await startMarket(1);
const server = await startTestServer({
  jobs: async () => jobs,
  ...sendingTo(await openChannelHost()),
  markets: market.connect(),
  askHindsight: (question, signal) => hindsight.ask(question, signal),
  askReplay: (question, signal) => hindsight.replay(question, signal),
  whatIf: {
    terms: (subject) => findTerms(subject, { markets: server.dependencies.markets, now: Date.now }),
    answer: (question, signal) => hindsight.whatIf(question, signal),
  },
  askDrill: async () => ({ state: 'unavailable', why: 'A drill takes a second, too long for thousands of calls.' }),
  checkKey: exchangeKeyCheck({ sandboxUrl: market.sandbox.url }),
  newSandboxKey: sandboxKeys(market.sandbox.url),
});
const { db } = server.dependencies;
const hindsight = openTestHindsight(db, market);
const jobs = await openTestJobs(db);
const callers = await makeCallers(server);
const strategy = (await listStrategies(db))[0]?.id ?? '';
let cells = 0;
let operations = 0;

/** Another minute begins now and then, in which no calls are counted yet; sessions are as old as before. */
async function passSometimes(): Promise<void> {
  if (++operations % 15 > 0) return;
  server.pass(minuteMs);
  await sql`update sessions set authenticated_at = authenticated_at + interval '1 minute'`.execute(db);
}
afterAll(() => report(`access: ${cells} calls of ${Object.keys(routes).length} operations, ${callerKinds.length} kinds of caller`));

function about(caller: Caller, whose: Whose): About {
  const owner = whose === 'own' ? caller : callers.other;
  return { ...((whose === 'missing' ? null : owner.owns) ?? missingThings), email: owner.email || 'nobody@attack.example', strategy };
}

/** Texts that refuse who is asking, or what it is asked about. */
const refusals: readonly string[] = [
  texts.notAuthenticated,
  texts.adminRequired,
  texts.notVerified,
  texts.noAccessToBot,
  texts.botNotFound,
  'API key not found',
  'Session not found',
  'Strategy not found',
  'User not found',
  'Alarm not found',
];

describe.each(Object.entries(routes) as [RouteName, Route][])('%s', (name, route) => {
  const input = (caller: Caller, whose: Whose) => validCalls[name](about(caller, whose));
  const isAboutThings = JSON.stringify(input(callers.of('admin'), 'own')) !== JSON.stringify(input(callers.of('admin'), 'missing'));
  const wanted: readonly Whose[] = isAboutThings ? ['own', 'other', 'missing'] : ['own'];

  test(`${route.id}, ROLE-03, ROLE-09, ROLE-16, OP-05, OP-44, OP-45 answers whom it is for, whatever the headers say, and refuses everybody else in its own words`, async () => {
    await passSometimes();
    for (const kind of callerKinds) {
      const caller = callers.of(kind);
      for (const whose of wanted) {
        const expected = expectedAnswer(name, caller, whose);
        const forged = forgedHeaders(callers);
        // Headers may gain something where there is something to gain; at night they are tried everywhere.
        for (const headers of isNight ? [{}, forged] : [expected === 'done' ? {} : forged]) {
          cells += 1;
          const reply = await sendCall(server, name, input(caller, whose), { cookie: caller.cookie, ...headers });
          const cell = `${kind}, ${whose}, ${JSON.stringify(headers)}`;
          const answer = reply.statusCode < 300 ? null : reply.json<{ detail: string }>();
          if (expected !== 'done') expect([reply.statusCode, answer], cell).toEqual([expected[0], { detail: expected[1] }]);
          else expect(refusals, cell).not.toContain(answer?.detail);
          expect(reply.statusCode < 500 || expected[0] === reply.statusCode, `${cell}: ${reply.statusCode}`).toBe(true);
          // Every error is one the contract names for this call.
          const listed = (route.errors as Record<string, readonly string[] | undefined>)[reply.statusCode] ?? [];
          if (answer !== null) expect(listed, cell).toContain(answer.detail);
          if (reply.statusCode < 300 && route.method !== 'GET') await callers.restore();
        }
      }
    }
  });

  test.skipIf(route.method === 'GET')('a foreign origin changes nothing, whoever calls', async () => {
    for (const kind of isNight ? callerKinds : (['none', 'admin'] as const)) {
      const caller = callers.of(kind);
      const reply = await sendCall(server, name, input(caller, 'own'), { cookie: caller.cookie, origin: 'https://evil.example' });
      expect([reply.statusCode, reply.json()], kind).toEqual([403, { detail: 'Origin not allowed' }]);
    }
  });
});
