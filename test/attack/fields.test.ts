import type { Route } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import { findTerms } from '#runner/hindsight/what-if/find-terms.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openChannelHost, sendingTo } from '../support/channel-host.ts';
import { startMarket } from '../support/market.ts';
import { openTestHindsight } from '../support/test-hindsight.ts';
import { startTestServer } from '../support/test-server.ts';
import { drawsOf } from '../torture/draws.ts';
import { callerKinds, makeCallers, markOfOther } from './callers.ts';
import { missingId, missingThings } from './known-values.ts';
import { report, runSize } from '../support/run-size.ts';
import { sendCall } from './send-call.ts';
import { validCalls } from './valid-calls.ts';

// Access to single fields: what is read, and what is written: npm run torture fields [COLUMNS PER CALL] [SEED]

const { size, seed } = runSize(15);
const market = await startMarket(1);
const server = await startTestServer({
  ...sendingTo(await openChannelHost()),
  markets: market.connect(),
  askHindsight: (question, signal) => hindsight.ask(question, signal),
  askReplay: (question, signal) => hindsight.replay(question, signal),
  whatIf: {
    terms: (subject) => findTerms(subject, { markets: server.dependencies.markets, now: Date.now }),
    answer: (question, signal) => hindsight.whatIf(question, signal),
  },
  askDrill: async () => ({ state: 'unavailable', why: 'A drill takes a second, too long for thousands of calls.' }),
});
const { db } = server.dependencies;
const hindsight = openTestHindsight(db, market);
const callers = await makeCallers(server);
const strategy = (await listStrategies(db))[0]?.id ?? '';
const all = Object.entries(routes) as [RouteName, Route][];

/** What is kept secret, as it is stored: it can never be part of an answer. */
async function secrets(): Promise<string[]> {
  await sql`update strategies set webhook = '{"v":"sealed-webhook"}', sheets_key = '{"v":"sealed-sheets-key"}'`.execute(db);
  const { rows } = await sql<{ secret: string }>`
    select password_hash as secret from users
    union select encode(hash, kind) from session_tokens, (values ('hex'), ('base64')) as kinds (kind)
    union select encode(hash, kind) from half_logins, (values ('hex'), ('base64')) as kinds (kind)
    union select value from api_keys, jsonb_each_text(sealed) where length(value) > 8
    union select value from channels, jsonb_each_text(sealed) where length(value) > 8
    union values ('sealed-webhook'), ('sealed-sheets-key')`.execute(db);
  const cookies = callerKinds.map((kind) => callers.of(kind).cookie.split('=')[1] ?? '').filter((token) => token !== '');
  return [...rows.map(({ secret }) => secret), ...cookies];
}

test('OP-26, ROLE-04 no answer to a read holds a secret, and none to a trader anything of another trader', async () => {
  const hidden = await secrets();
  expect(hidden.length).toBeGreaterThan(20);
  let reads = 0;
  for (const [name, { method }] of all) {
    if (method !== 'GET') continue;
    for (const kind of callerKinds) {
      const caller = callers.of(kind);
      for (const whose of [caller, callers.other]) {
        const about = { ...missingThings, ...whose.owns, email: whose.email, strategy };
        const { body, statusCode } = await sendCall(server, name, validCalls[name](about), {
          cookie: caller.cookie,
          'accept-encoding': 'identity',
        });
        reads += 1;
        expect(statusCode, `${name} to ${kind}`).not.toBe(500);
        expect(
          hidden.filter((secret) => body.includes(secret)),
          `${name} to ${kind}`,
        ).toEqual([]);
        // The list of bots is shared on purpose: names of bots, and addresses cut short.
        if (caller.role === 'trader' && name !== 'listBots') expect(body, `${name} to ${kind}`).not.toContain(markOfOther);
        if (caller.role !== 'trader') continue;
        const { email, owns } = callers.other;
        for (const theirs of [
          email,
          owns?.apiKey,
          owns?.session,
          owns?.backtest,
          owns?.portfolio,
          owns?.study,
          owns?.trade,
          owns?.difference,
          owns?.channel,
          owns?.rules,
          owns?.lock,
        ])
          expect(body, `${name} to ${kind}`).not.toContain(theirs);
      }
    }
  }
  report(`fields: ${reads} reads, ${hidden.length} secrets`);
});

test(
  'OP-05 a column of the database that a call does not name is refused in its body, and nothing changes',
  { timeout: 3_600_000 },
  async () => {
    const { rows } = await sql<{ name: string }>`
    select distinct column_name as name from information_schema.columns where table_schema = 'public' order by 1`.execute(db);
    const columns = rows.flatMap(({ name }) => [name, name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase())]);
    const draws = drawsOf(seed);
    const admin = callers.of('admin');
    const about = { ...missingThings, ...admin.owns, user: callers.other.owns?.user ?? '', email: admin.email, strategy };
    const before = await everything();
    let writes = 0;
    for (const [name, route] of all) {
      if (route.body === undefined) continue;
      await passAMinute();
      const { body, ...rest } = validCalls[name](about) as { body: object };
      const shape = route.body as unknown as { shape: Record<string, unknown> };
      const unknown = [...new Set(columns)].filter((column) => !Object.hasOwn(shape.shape, column));
      expect(unknown.length).toBeGreaterThan(100);
      for (const column of size >= unknown.length ? unknown : Array.from({ length: size }, () => draws.oneOf(unknown))) {
        writes += 1;
        if (writes % 100 === 0) await passAMinute();
        const value = draws.oneOf<unknown>([true, 'admin', 1, null, missingId, {}]);
        const reply = await sendCall(server, name, { ...rest, body: { ...body, [column]: value } }, { cookie: admin.cookie });
        expect([400, `${name} ${column}`, reply.body]).toEqual([reply.statusCode, `${name} ${column}`, refusalOf(name, column)]);
      }
    }
    expect(await everything()).toEqual(before);
    report(`fields, seed ${seed}: ${writes} writes of ${new Set(columns).size} column names`);
  },
);

/** The calls that name the unknown field, and those that do not. */
function refusalOf(name: RouteName, column: string): string {
  const detail = ['updateBot', 'botHindsight', 'updateStrategy'].includes(name) ? `Unknown field: ${column}` : 'Invalid request';
  return JSON.stringify({ detail });
}

/** Calls of a minute are counted no more, and passwords are as checked as before. */
async function passAMinute(): Promise<void> {
  server.pass(61_000);
  await callers.freshen();
}

/** What the calls of people change. */
async function everything(): Promise<unknown> {
  const tables = ['users', 'bots', 'strategies', 'api_keys', 'backtests', 'mail_outbox', 'audit_log', 'codes'];
  const sums = tables.map((table) => sql`select md5(jsonb_agg(t order by t::text)::text) from ${sql.table(table)} t`.execute(db));
  return (await Promise.all(sums)).map(({ rows }) => rows);
}
