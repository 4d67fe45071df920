import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { assert, asyncProperty, constantFrom, string } from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox } from './sandbox.ts';

vi.useFakeTimers({ toFake: ['Date'] }); // request weights are counted per minute: none may begin during a test
const sandbox = await startSandbox({ controlPort: 0 });
const small = await startSandbox({ weightLimits: { spot: 600 } });
afterAll(async () => {
  await sandbox.close();
  await small.close();
  vi.useRealTimers();
});

/** Sends a request unchanged, with any address and headers; returns status, used weight and body. */
function ask(port: number, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; used: number; body: string }>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, used: Number(response.headers['x-mbx-used-weight'] ?? 0), body }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

/** Sends bytes and returns what comes back. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(sandbox.port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.on('error', () => {}); // it may be cut off; what counts is that the sandbox lives
  await once(socket, 'connect');
  socket.end(text);
  await once(socket, 'close');
  return received;
}

const alive = async (): Promise<void> => expect((await ask(sandbox.port, '/api/v3/ping')).status).toBe(200);

describe('nothing that is sent ends the sandbox', () => {
  test.each([
    '//',
    '///',
    '//@',
    '/\\\\',
    '//[',
    '/api/v3/klines?symbol=BTCUSDT&interval=constructor',
    '/api/v3/klines?symbol=__proto__&interval=1m',
  ])('GET %s', async (path) => {
    expect((await ask(sandbox.port, path)).status).toBeGreaterThanOrEqual(400);
    await alive();
  });

  test('any address, valid or not', async () => {
    const address = string({
      unit: constantFrom('/', '\\', '@', ':', '?', '#', '%', '[', ']', '.', '0', 'a', '-', '&', '='),
      maxLength: 12,
    });
    await assert(
      asyncProperty(address, async (text) => {
        expect(await sendRaw(`GET /${text} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 \d{3} /u);
      }),
      { numRuns: 300 },
    );
    await sendRaw('GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await sendRaw('OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await alive();
  });
});

describe('a page that somebody visits', () => {
  const page = { origin: 'https://evil.example' };
  test.each([
    ['a script', page],
    ['a script of a file', { origin: 'null' }],
    ['an image', { 'sec-fetch-site': 'cross-site' }],
    ['a page on another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['a name that was made to point here', { host: 'evil.example' }],
    ['the same with the port', { host: `evil.example:${small.port}` }],
  ])('gets nothing and uses up nothing: %s', async (_, headers) => {
    const before = (await ask(small.port, '/api/v3/ping')).used;
    for (let i = 0; i < 40; i++) expect((await ask(small.port, '/api/v3/klines?symbol=BTCUSDT&interval=1m', headers)).status).toBe(403);
    expect((await ask(small.port, '/api/v3/ping')).used).toBe(before + 1);
  });

  test.each([
    ['a program', {}],
    ['a person who typed the address', { 'sec-fetch-site': 'none' }],
    ['its own page', { origin: `http://localhost:${sandbox.port}`, host: `localhost:${sandbox.port}`, 'sec-fetch-site': 'same-origin' }],
  ])('is not %s', async (_, headers) => {
    expect((await ask(sandbox.port, '/api/v3/ping', headers)).status).toBe(200);
  });

  test('gets no socket and no control either', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws`, { origin: 'https://evil.example' });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
    expect((await ask(sandbox.controlPort ?? 0, '/clock', page)).status).toBe(403);
    expect((await ask(sandbox.controlPort ?? 0, '/clock')).status).toBe(200);
  });
});

test('a request is charged for the work it makes, once', async () => {
  const fresh = await startSandbox();
  try {
    const path = '/api/v3/klines?symbol=ETHUSDT&interval=1d&limit=300';
    const [first, second] = [await ask(fresh.port, path), await ask(fresh.port, path)];
    expect(first.status).toBe(200);
    expect(first.used).toBeGreaterThan(90);
    expect(second.used - first.used).toBeLessThan(5); // the days are there
    const short = await ask(fresh.port, '/api/v3/klines?symbol=ETHUSDT&interval=1m&limit=60');
    expect(short.used - second.used).toBeLessThan(5);
  } finally {
    await fresh.close();
  }
});
