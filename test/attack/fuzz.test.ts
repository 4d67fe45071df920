import { findTerms } from '#runner/hindsight/what-if/find-terms.ts';
import * as fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { googleSpreadsheets } from '#outbound/google/spreadsheets.ts';
import { postWebhook } from '#outbound/post-webhook.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { openChannelHost, sendingTo } from '../support/channel-host.ts';
import { aSheetId, openGoogle } from '../support/google.ts';
import { startMarket } from '../support/market.ts';
import { openTestHindsight } from '../support/test-hindsight.ts';
import { origin, startTestServer } from '../support/test-server.ts';
import { openTestJobs } from './test-jobs.ts';
import { answerFaults } from './answer-faults.ts';
import { makeCallers } from './callers.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { requestFor } from './fuzz-request.ts';
import { knownValues } from './known-values.ts';
import { meantInputs } from './meant-inputs.ts';
import { makeMeantWorld } from './meant-world.ts';
import { readOperations } from './operations.ts';
import { report, runSize } from '../support/run-size.ts';

// Requests that nobody would send, to every operation that the documentation of the API names:
// npm run torture fuzz [HOW MANY] [SEED]

const { size, seed } = runSize(1_000);
const chunk = 100; // each begins with a seed of its own, so that a fault is found again without all that came before
const market = await startMarket(1);
const host = await openChannelHost();
const google = await openGoogle();
const server = await startTestServer({
  ...sendingTo(host),
  deliver: (address, message) => postWebhook(address, message, [], host.reach),
  sheets: googleSpreadsheets(google.account, () => new Date(), google.reach),
  markets: market.connect(),
  askHindsight: (question, signal) => hindsight.ask(question, signal),
  askReplay: (question, signal) => hindsight.replay(question, signal),
  whatIf: {
    terms: (subject) => findTerms(subject, { markets: server.dependencies.markets, now: Date.now }),
    answer: (question, signal) => hindsight.whatIf(question, signal),
  },
  askDrill: async () => ({ state: 'unavailable', why: 'A drill takes a second, too long for thousands of calls.' }),
  jobs: async () => jobs,
  checkKey: exchangeKeyCheck({ sandboxUrl: market.sandbox.url }),
  newSandboxKey: sandboxKeys(market.sandbox.url),
});
const { db } = server.dependencies;
const hindsight = openTestHindsight(db, market);
const jobs = await openTestJobs(db);

/** Calls that need a code out of a mail. */
const needsCode: ReadonlySet<string> = new Set(['resetPassword', 'verifyEmail', 'verifyTwoFactor', 'resendTwoFactor', 'makeFirstAdmin']);

/** Nobody works on backtests here, so each is cancelled: the call that waits for it answers, as it does when a person cancels. */
async function cancelBacktests(): Promise<void> {
  while (!over.signal.aborted) {
    const { rows } = await sql<{ id: string }>`select id from backtests where status in ('downloading', 'running')`.execute(db);
    for (const { id } of rows) await jobs.cancelBacktest(id, 'The backtest was cancelled');
    await sleep(30);
  }
}
// Nor are candles downloaded, which would take minutes: each is asked for in vain.
await jobs.workDownloads(async () => Promise.reject(new Error('no downloads in this test')), { concurrency: 4 });
const over = new AbortController();
const cancelling = cancelBacktests();
afterAll(async () => {
  over.abort();
  await cancelling;
});

test(
  `API-61, OP-05, OP-45 ${size} requests from seed ${seed}: no 5xx, no undocumented answer, nothing done for whom it is not`,
  { timeout: 24 * 3_600_000 },
  async () => {
    const callers = await makeCallers(server);
    const operations = await readOperations(server);
    const key = await server.dependencies.newSandboxKey();
    const valuesFor = await knownValues(db, callers, key);
    const strategy = (await listStrategies(db))[0]?.id ?? '';
    const world = await makeMeantWorld(server, callers, { strategy, webhook: 'https://discord.com/api/webhooks/1/a', sheetsKey: aSheetId });
    const meantFor = await meantInputs(db, callers, { apiKey: key, strategy, world });
    const restore = async (): Promise<void> => {
      await callers.restore();
      await world.restore();
      await callers.freshen();
    };
    const requests = fc.oneof(...operations.map((operation) => requestFor(operation, valuesFor(operation), meantFor(operation.name))));
    const found = new Map<string, string>(); // the first request of each kind of fault
    const statuses = new Map<number, number>();
    const answered = new Map<string, Set<number>>();
    const started = performance.now();
    let slowestMs = 0;
    for (let done = 0; done < size; done += chunk) {
      const chunkSeed = seed + done / chunk;
      await restore();
      server.pass(61_000); // for the limits of calls in a minute
      for (const drawn of fc.sample(requests, { seed: chunkSeed, numRuns: Math.min(chunk, size - done) })) {
        // With another method it may be another call, whose texts and callers then count. What is asked for with HEAD is what GET would answer.
        const method = drawn.method === 'HEAD' ? 'GET' : drawn.method;
        const meant = operations.find(({ url, route }) => url === drawn.operation.url && route.method === method);
        const request = { ...drawn, operation: meant ?? drawn.operation };
        const begun = performance.now();
        const reply = await send(request, request.cookie ?? callers.of(request.caller).cookie);
        slowestMs = Math.max(slowestMs, performance.now() - begun);
        const { statusCode } = reply;
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        const { name, url, route } = request.operation;
        answered.set(name, (answered.get(name) ?? new Set()).add(statusCode));
        const faults = answerFaults(request, { statusCode, headers: reply.headers, body: textOf(reply) }, callers);
        if (Object.keys(Object.prototype).length > 0 || 'polluted' in {}) faults.push('every object has a new property');
        for (const fault of faults) {
          const kind = `${route.method} ${url}: ${fault}`;
          if (!found.has(kind)) found.set(kind, `${kind}\n  ${shown(request)}\n  npm run torture fuzz ${chunk} ${chunkSeed}`);
        }
        if (statusCode < 300 && request.method !== 'GET') await restore();
      }
    }
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    report(`fuzz, seed ${seed}: ${size} requests in ${seconds} s, the slowest ${slowestMs.toFixed(0)} ms; ${counts.join(', ')}`);
    expect([...found.values()].join('\n\n')).toBe('');
    if (size < 2_500) return;
    // Otherwise the requests did not get past the first check, and the suite would have shown nothing.
    const reached = (status: number): boolean => status < 300 || status === 409;
    const untouched = operations.filter(({ name }) => !needsCode.has(name) && ![...(answered.get(name) ?? [])].some(reached));
    if (untouched.length > 0) report(`not reached: ${untouched.map(({ name }) => name).join(', ')}`);
    // With many fields and few requests chance leaves some out; in a whole night none.
    const most = size < 100_000 ? operations.length / 4 : operations.length / 10;
    if (size < 1_000_000) expect(untouched.length, untouched.map(({ name }) => name).join(', ')).toBeLessThan(most);
    else expect(untouched.map(({ name }) => name)).toEqual([]);
  },
);

function send({ method, url, address, headers, payload }: FuzzRequest, cookie: string): Promise<LightMyRequestResponse> {
  return server.app.inject({
    method: method as 'GET',
    url,
    remoteAddress: address,
    headers: { host: new URL(origin).host, cookie, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
}

/** The text of an answer, which is compressed for callers that ask for it. */
function textOf({ headers, rawPayload }: LightMyRequestResponse): string {
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload).toString();
}

function shown({ caller, method, url, headers, payload }: FuzzRequest): string {
  const body = typeof payload === 'string' ? payload : (payload?.toString('hex') ?? '');
  return `as ${caller}: ${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${body.slice(0, 500)}`;
}
