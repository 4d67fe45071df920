import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { mostOpenCalls, OpenCalls } from './open-calls.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect(), follow: { everyMs: 200, lines: 10_000 } });
let url = '';

beforeAll(async () => {
  url = await server.app.listen({ host: '127.0.0.1', port: 0 });
});

async function ask(person: TestBrowser, path: string, signal?: AbortSignal): Promise<Response> {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return await fetch(`${url}/api${path}`, { headers: { cookie }, ...(signal === undefined ? {} : { signal }) });
}

test('a person has so many reads open at most, whose answers take memory until they have been sent; others are answered', async () => {
  const [trader, other] = [await server.signedIn('trader'), await server.signedIn('investor')];
  const symbol = 'BTC/USDT';
  const botId = await addTestBot(server.dependencies.db, {
    strategy: 'AlwaysFlat',
    nickname: 'mine',
    owner: trader.email,
    symbols: [symbol],
  });
  const status = async (person = trader) => (await ask(person, '/auth/me')).status;
  const path = `/status/follow?${new URLSearchParams({ bot_id: botId, symbol }).toString()}`;
  const hangUp = Array.from({ length: mostOpenCalls }, () => new AbortController());
  const open = await Promise.all(hangUp.map(({ signal }) => ask(trader, path, signal)));
  expect(new Set(open.map((answer) => answer.status))).toEqual(new Set([200]));
  expect([await status(), await status(other)]).toEqual([429, 200]);
  // Whoever has read none of them can stop their bots all the same, as often as they want.
  for (let i = 0; i < 3; i++)
    expect(await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } })).toMatchObject({ state: 'halted', bots: 1 });
  hangUp[0]?.abort();
  await expect.poll(() => status()).toBe(200);
  await sleep(50); // its own answer has been sent by then
  expect(await status()).toBe(200);
  for (const each of hangUp) each.abort();
  expect(open).toHaveLength(mostOpenCalls); // held until here: an answer that nobody can read any more is ended by the collection of garbage
});

test('a call that ends twice, as its answer has been sent and then the connection ends, makes room for one', () => {
  const open = new OpenCalls();
  const ends = Array.from({ length: mostOpenCalls }, () => open.enter('me'));
  ends[0]?.();
  ends[0]?.();
  ends.push(open.enter('me'));
  expect(() => open.enter('me')).toThrow();
  for (const end of [...ends, ...ends]) end();
  for (let i = 0; i < mostOpenCalls; i++) open.enter('me');
  expect(() => open.enter('me')).toThrow();
});
