import { followRoutes } from '#contract/follow.ts';
import type { CallReply } from '#contract/client.ts';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { createGunzip } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect(), follow: { everyMs: 40, lines: 1_000 } });
const symbol = 'BTC/USDT:USDT';
const query = () => ({ query: { bot_id: botId, symbol } });
let url = '';
let trader: Awaited<ReturnType<typeof server.signedIn>>;
let botId = '';

beforeAll(async () => {
  url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  trader = await server.signedIn('trader');
  const { db } = server.dependencies;
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'mine', owner: trader.email, marketType: 'futures', symbols: [symbol] });
});

type Line = CallReply<'followStatus'>;

/** Follows as a browser does, until `until` says so or the answer ends. */
async function lines(person: TestBrowser, until: (lines: Line[]) => boolean, after?: string): Promise<{ lines: Line[]; isEnded: boolean }> {
  const asked = new URLSearchParams({ bot_id: botId, symbol, ...(after === undefined ? {} : { after }) });
  const reply = await fetch(`${url}/api/status/follow?${asked.toString()}`, { headers: headersOf(person) });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  const got: Line[] = [];
  let rest = '';
  for await (const part of reply.body ?? []) {
    const texts = (rest + Buffer.from(part).toString()).split('\n');
    rest = texts.pop() ?? '';
    got.push(...texts.map((text) => followRoutes.followStatus.reply.parse(JSON.parse(text))));
    if (until(got)) return { lines: got, isEnded: false };
  }
  return { lines: got, isEnded: true };
}

function headersOf(person: TestBrowser): Record<string, string> {
  return { cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}

test('what changes of the chart comes line by line, as its own call answers it from the same cursor on', async () => {
  const { cursor, ...all } = await trader.chartCandles(query());
  const followed = await lines(trader, (got) => got.filter(({ chart }) => chart !== undefined).length > 3, cursor);
  const charts = followed.lines.flatMap(({ chart }) => chart ?? []);
  expect(charts.every(({ is_partial: isPartial }) => isPartial === true)).toBe(true);
  expect(charts.every(({ candles }) => candles.length < 3)).toBe(true);
  expect(charts[0]?.overlays_version).toBe(all.overlays_version);
  expect(new Set(charts.map((chart) => JSON.stringify(chart))).size).toBe(charts.length); // what has not changed is not sent again
});

test('live state and pulse come every ten seconds, each as its own call shows it to the caller', async () => {
  onTestFinished(server.hold()); // three lines may take longer than ten seconds
  let isLater = false;
  const { lines: got } = await lines(trader, (known) => {
    if (known.length > 2 && !isLater) {
      expect(known.some(({ live, pulse }) => live !== undefined || pulse !== undefined)).toBe(false); // the page has just asked for both
      isLater = true;
      server.pass(10_000);
    }
    return known.some(({ pulse }) => pulse !== undefined);
  });
  const { live, pulse } = got.at(-1) ?? {};
  expect(pulse).toEqual(await trader.pulse({}));
  expect(live?.bots).toEqual((await trader.liveStatus({ query: {} })).bots);
});

test('whoever signs out, or may not see the bot any more, gets no further line', async () => {
  const other = await server.signedIn('trader');
  expect((await failure(other.followStatus(query()))).status).toBe((await failure(other.chartCandles(query()))).status);

  const admin = await server.signedIn('admin');
  let count = 0;
  const ended = await lines(admin, (got) => {
    count = got.length;
    if (count === 2) void admin.logout({});
    return false;
  });
  expect(ended.isEnded).toBe(true);
  expect((await failure(admin.followStatus(query()))).status).toBe(401);
});

test('an operator who was made a trader while the page is open gets no further line of the bots of others', async () => {
  const operator = await server.signedIn('operator');
  const { db } = server.dependencies;
  // As by a process that leaves the session alone.
  const becomeTrader = () => db.updateTable('users').set({ role: 'trader' }).where('id', '=', operator.userId).execute();
  let isTold = false;
  const followed = await lines(operator, (got) => {
    if (got.length > 1 && !isTold) void becomeTrader();
    isTold ||= got.length > 1;
    return got.length > 500; // or as long as lines come
  });
  expect(followed.isEnded).toBe(true);
});

test('each line counts as a call, so that following is no way around the limit of calls', async () => {
  const admin = await server.signedIn('admin');
  onTestFinished(server.hold()); // the limit is one of a minute, which these calls may take
  // Not all at once: a call waits five seconds for a connection to the database, and no longer.
  for (let asked = 0; asked < 1_190; asked += 70)
    await Promise.all(
      Array.from({ length: 70 }, () => admin.systemLive({}).then(() => admin.getSetting({ params: { key: 'server_config' } }))),
    );
  const { lines: got, isEnded } = await lines(admin, () => false);
  expect(isEnded).toBe(true);
  expect(got.length).toBeLessThan(12);
});

test('compressed, a line without news travels as a few bytes, and each comes when it is made', async () => {
  const { cursor = '' } = await trader.chartCandles(query());
  const asked = new URLSearchParams({ bot_id: botId, symbol, after: cursor });
  const sizes: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const call = request(`${url}/api/status/follow?${asked.toString()}`, { headers: { ...headersOf(trader), 'accept-encoding': 'gzip' } });
    call.on('error', reject);
    call.on('response', (reply) => {
      expect([reply.headers['content-encoding'], reply.headers['x-accel-buffering']]).toEqual(['gzip', 'no']);
      const unpacked = reply.on('data', (part: Buffer) => sizes.push(part.length)).pipe(createGunzip());
      let count = 0;
      unpacked.on('data', (text: Buffer) => {
        count += text.toString().split('\n').length - 1;
        if (count < 20) return;
        call.destroy();
        resolve();
      });
    });
    call.end();
  });
  const later = sizes.slice(2);
  expect(later.reduce((sum, size) => sum + size, 0) / later.length).toBeLessThan(120);
});

test('a server that closes ends what is followed, and waits for no connection', async () => {
  // Neither side ends a connection by itself, however long it is not used.
  server.app.server.keepAliveTimeout = 0;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string): Promise<IncomingMessage> => {
    const call = request(`${url}/api${path}`, { agent, headers: headersOf(trader) }).end();
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    expect(reply.statusCode).toBe(200);
    return reply;
  };
  const followed = await ask(`/status/follow?${new URLSearchParams({ bot_id: botId, symbol }).toString()}`);
  const ended = once(followed, 'end');
  const begun = Promise.withResolvers<void>();
  let count = 0;
  followed.on('data', (part: Buffer) => {
    count += part.toString().split('\n').length - 1;
    if (count > 1) begun.resolve();
  });
  await once((await ask('/auth/me')).resume(), 'end'); // its connection stays beside
  await begun.promise;
  let isClosed = false;
  void server.app.close().then(() => (isClosed = true));
  await expect.poll(() => isClosed).toBe(true);
  await ended;
  expect(count).toBeLessThan(500); // of a thousand
});
