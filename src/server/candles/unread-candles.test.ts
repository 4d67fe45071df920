import { candleColumns } from '#engine/market/candle.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { writeCandles } from '#storage/candles/candle-chunks.ts';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { buildServer } from '../server.ts';

// Half a million candles, 24 MB: far more than the system takes for a caller who does not read.

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const impatient = await buildServer(server.dependencies, {
  pageFolder: null,
  logger: false,
  trustedProxies: [],
  unreadPatienceMs: 500,
});
afterAll(() => impatient.close());
const person = await server.signedIn('investor');
const count = 500_000;
const to = Math.floor((Date.now() - dayMs) / dayMs) * dayMs;
const from = to - count * minuteMs;
const sockets: Socket[] = [];

beforeAll(async () => {
  const columns = candleColumns(count);
  for (let i = 0; i < count; i++) {
    columns.openTime[i] = from + i * minuteMs;
    for (const name of ['open', 'high', 'low', 'close'] as const) columns[name][i] = 100;
    columns.volume[i] = 1;
  }
  const series = { exchangeId: 'sandbox', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1m' };
  await writeCandles(server.dependencies.db, series, { from, to }, columns);
  for (const app of [server.app, impatient]) await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const pathOf = (first: number): string =>
  `/api/what-if/candles?exchange=Sandbox&symbol=BTC%2FUSDT&trading_mode=spot&timeframe=1m&from=${first}&to=${to}&warm_up=0`;
const headersOf = () => ({
  host: 'localhost:3000',
  'accept-encoding': 'identity',
  cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
});

/** Sends a call for all candles. */
function send(app: FastifyInstance): Socket {
  const address = app.server.address();
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  const headers = Object.entries(headersOf()).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathOf(from)} HTTP/1.1\r\n${headers.join('')}\r\n`);
  return socket;
}

/** Asks for all candles, and reads no more of them than the socket takes by itself. */
async function askWithoutReading(app: FastifyInstance): Promise<Socket> {
  const socket = send(app);
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
  return socket;
}

/** Asks for a few candles, which is answered at once when the person has a place; gives the status once there is one. */
function askForFew(app: FastifyInstance): () => number | null {
  let status: number | null = null;
  void app.inject({ method: 'GET', url: pathOf(to - 10 * minuteMs), headers: headersOf() }).then(({ statusCode }) => (status = statusCode));
  return () => status;
}

const soon = { timeout: 10_000 };

test('while an answer is not read its person gets no further one; it gets one once the caller has gone', async () => {
  const unread = await askWithoutReading(server.app);
  const next = askForFew(server.app);
  await sleep(1_000);
  expect(next()).toBeNull();
  unread.destroy();
  await expect.poll(next, soon).toBe(200);
});

test('an answer that has been read to its end leaves the place to the next', async () => {
  const reader = await askWithoutReading(server.app);
  const next = askForFew(server.app);
  reader.resume();
  await expect.poll(next, soon).toBe(200);
});

test('who takes nothing of it is cut off, and the next is answered', async () => {
  await askWithoutReading(impatient);
  await expect.poll(askForFew(impatient), soon).toBe(200);
});

test('callers who have gone while they waited leave the place to the next', async () => {
  const unread = await askWithoutReading(server.app);
  const waiting = send(server.app);
  await sleep(300);
  waiting.destroy();
  const next = askForFew(server.app);
  unread.destroy();
  await expect.poll(next, soon).toBe(200);
});
