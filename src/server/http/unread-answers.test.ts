import fastify from 'fastify';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { cutOffUnread, unreadPatienceMs } from './unread-answers.ts';

const patienceMs = 400;
const large = Buffer.alloc(40_000_000, 'x'); // more than the system takes for a caller who does not read
const app = fastify();
cutOffUnread(app, patienceMs);
app.get('/large', async () => large);
app.get('/quick', async () => 'quick');
app.get('/late', async () => {
  await sleep(4 * patienceMs);
  return 'late';
});
app.get('/soon', async () => {
  await sleep(patienceMs / 2);
  return 'soon';
});
app.get('/lines', (_, reply) => reply.send(Readable.from(twoLines(), { objectMode: false })));
let port = 0;
const sockets: Socket[] = [];

async function* twoLines(): AsyncGenerator<string> {
  yield 'first\n';
  await sleep(3 * patienceMs);
  yield 'second\n';
}

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => app.close());

/** A connection that has sent calls and reads nothing of what comes. */
async function call(...paths: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.pause().write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
  await expect.poll(connections).toBe(1);
  return socket;
}

const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));

/** Reads what comes, `most` bytes at a time with pauses between; gives how much it was once `until` holds for its end. */
async function read(socket: Socket, until: (end: string) => boolean, most = Infinity, pauseMs = 50): Promise<number> {
  let size = 0;
  let read = 0;
  let end = '';
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.on('data', (part: Buffer) => {
    size += part.length;
    read += part.length;
    end = `${end}${part.subarray(-1_000).toString('latin1')}`.slice(-1_000);
    if (until(end)) resolve(size);
    if (read < most) return;
    read = 0;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  socket.once('close', () => resolve(size));
  socket.resume();
  return promise;
}

test('who takes nothing of an answer is cut off', async () => {
  await call('/large');
  await expect.poll(connections, { timeout: 5 * patienceMs }).toBe(0);
});

test('also who sends something all the while', async () => {
  const socket = await call('/large');
  const sending = setInterval(() => socket.write('\r\n'), patienceMs / 8); // empty lines before a next call
  await expect.poll(connections, { timeout: 5 * patienceMs }).toBe(0);
  clearInterval(sending);
});

test('who takes it slowly gets all of it, however long that takes', async () => {
  const socket = await call('/large');
  const start = performance.now();
  let size = 0;
  socket.on('data', (part: Buffer) => (size += part.length));
  await read(socket, () => size > large.length, 1_000_000);
  expect(size).toBeGreaterThan(large.length);
  expect(performance.now() - start).toBeGreaterThan(4 * patienceMs);
});

test('who takes it in bursts, with checks between them that see no progress, gets all of it', async () => {
  const socket = await call('/large');
  let size = 0;
  socket.on('data', (part: Buffer) => (size += part.length));
  await read(socket, () => size > large.length, 8_000_000, 0.55 * patienceMs); // two of four checks or three
  expect(size).toBeGreaterThan(large.length);
});

test('who takes nothing is not cut off before four checks in a row', async () => {
  await call('/large');
  const start = performance.now();
  await expect.poll(connections, { timeout: 5 * patienceMs, interval: 10 }).toBe(0);
  expect(performance.now() - start).toBeGreaterThan(0.7 * patienceMs);
});

test('who reads 10 kB a second through a proxy on this machine is waited for: the kernel reports progress in steps of 1.43 MB', () => {
  expect((unreadPatienceMs / 1_000) * 10_000).toBeGreaterThan(1_430_000);
});

test('an answer that waits behind one still being made is kept when it is not long', async () => {
  const socket = await call('/soon', '/quick');
  expect(await read(socket, (end) => end.endsWith('quick'))).toBeGreaterThan(0);
});

test('what takes long to make is waited for, and so are lines with silence between them', async () => {
  await read(await call('/late'), (end) => end.endsWith('late'));
  const [late] = sockets;
  expect(late?.destroyed).toBe(false);
  late?.destroy();
  await expect.poll(connections).toBe(0);
  const lines = await call('/lines');
  const text: string[] = [];
  lines.on('data', (part: Buffer) => text.push(part.toString()));
  await read(lines, (end) => end.endsWith('0\r\n\r\n'));
  expect(text.join('')).toMatch(/first[^]*second/u);
});

test('an answer that waits behind one of its connection that is still being made is not kept for longer either', async () => {
  const socket = await call('/late', '/quick');
  expect(await read(socket, (end) => end.endsWith('quick'))).toBe(0);
});

test('a connection stays when its answers have been taken', async () => {
  const socket = await call('/quick');
  await read(socket, (end) => end.endsWith('quick'));
  await sleep(2.5 * patienceMs);
  const again = read(socket, (end) => end.endsWith('quick'));
  socket.write('GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await again).toBeGreaterThan(0);
  expect(socket.destroyed).toBe(false);
});
