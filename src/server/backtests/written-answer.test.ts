import { addBacktest } from '#storage/backtests/backtests.ts';
import { aBacktest } from '#storage/testing/a-backtest.ts';
import { sql } from 'kysely';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { writtenAnswer } from './written-answer.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const trader = await server.signedIn('trader');
const trades = Array.from({ length: 20_000 }, (_, i) => ({
  timestamp: i,
  exit_timestamp: i + 1,
  direction: 'long',
  entry_price: 1.5,
  exit_price: 2.5,
  amount: 1,
  stake: 1.5,
  leverage: 1,
  pnl: 1 / 3,
  pnl_ratio: 0.1,
  entry_tag: `ä "${i}"`,
  exit_reason: 'roi',
}));
let id = '';
let port = 0;

beforeAll(async () => {
  const bot = await addTestBot(db, { strategy: 'EmaCross', owner: trader.email });
  const of = await db.selectFrom('bots').select(['userId', 'strategyId']).where('id', '=', bot).executeTakeFirstOrThrow();
  id = (await addBacktest(db, aBacktest(of))) ?? '';
  const result = JSON.stringify({ ...anOutcome().result, trades });
  await sql`update backtests set status = 'done', finished_at = now(), result = ${result} where id = ${id}`.execute(db);
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const address = server.app.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.app.close());

/** Asks for the run over a connection of its own. */
function request(headers: Record<string, string> = {}, method = 'GET'): ClientRequest {
  const cookie = [...trader.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const path = `/api/backtest/results?id=${id}`;
  return get({ host: '127.0.0.1', port, path, method, agent: false, headers: { host: 'localhost:3000', cookie, ...headers } });
}

/** The answer, of which nothing is read yet. */
async function ask(...asked: Parameters<typeof request>): Promise<IncomingMessage> {
  const [answer] = (await once(request(...asked), 'response')) as [IncomingMessage];
  return answer;
}

test('a large result arrives as it is, compressed or not', async () => {
  const plain = await ask();
  const text = (await buffer(plain)).toString();
  const packed = await ask({ 'accept-encoding': 'gzip' });
  expect(plain.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' });
  expect(packed.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' });
  expect(gunzipSync(await buffer(packed)).toString()).toBe(text);
  const { results } = JSON.parse(text) as { results: { id: string; details: { trades: unknown[] } }[] };
  expect(results.map((run) => [run.id, run.details.trades])).toEqual([[id, trades]]);
  expect((await trader.backtestResults({ query: { id } })).results[0]?.details?.trades).toEqual(trades);
});

test('whoever hangs up before it or in the midst of it, or asks for its headers alone, can ask again', async () => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }])
    for (let ms = 0; ms < 160; ms += 20) {
      const hangsUp = request(headers).on('error', () => undefined);
      await sleep(ms);
      hangsUp.destroy();
    }
  for (const headers of [{}, { 'accept-encoding': 'gzip' }])
    for (let i = 0; i < 8; i += 1)
      await expect
        .poll(async () => {
          const answer = await ask(headers);
          answer.destroy();
          return answer.statusCode;
        })
        .toBe(200);
  for (let i = 0; i < 8; i += 1) expect((await ask({}, 'HEAD')).statusCode).toBe(200);
  expect((await buffer(await ask())).length).toBeGreaterThan(2_000_000);
});

test('of answers that nobody takes the first alone is made', async () => {
  const untaken = await ask();
  const next = ask();
  const { promise: passed, resolve } = Promise.withResolvers<string>();
  void next.then(() => resolve('made'));
  setTimeout(() => resolve('waits'), 500);
  expect(await passed).toBe('waits');
  untaken.destroy();
  expect((await buffer(await next)).length).toBeGreaterThan(2_000_000);
});

test('an answer that is not what the contract says is not sent, and the place is free', () => {
  let freed = 0;
  const free = (): void => void (freed += 1);
  expect(() => writtenAnswer('portfolio', { run: {}, details: null } as never, [], free)).toThrow();
  expect(() => writtenAnswer('backtestResults', { results: [] }, [], free)).toThrow('The answer has not one place for details');
  expect(freed).toBe(2);
});
