import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-page-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
afterAll(() => rmSync(folder, { recursive: true }));

const publicUrl = new URL('https://bots.example.com');
const open = await startTestServer(
  { address: { publicUrl, isLoopback: false } },
  { pageFolder: folder, trustedProxies: ['10.20.0.0/24', '2001:db8::7'] },
);
const http = await startTestServer(
  { address: { publicUrl: new URL('http://bots.example.com'), isLoopback: false } },
  { pageFolder: folder },
);
const proxy = '10.20.0.9';
const stranger = '203.0.113.5';

interface Asked {
  url?: string;
  method?: 'GET' | 'HEAD' | 'POST';
  from?: string;
  proto?: string | string[];
  server?: typeof open;
}
const ask = ({ url = '/', method = 'GET', from = stranger, proto, server = open }: Asked) =>
  server.app.inject({
    method,
    url,
    remoteAddress: from,
    headers: {
      host: 'bots.example.com',
      origin: server.dependencies.address.publicUrl?.origin ?? '',
      ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }),
    },
  });
const refusal = { detail: 'This server is reached over https only' };

describe('with an https address, what comes in the clear', () => {
  test.each(['/', '/login', '/bots?tab=trades', '/nowhere.js', '/apis'])('is sent to https: the page %s', async (url) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await ask({ url, method });
      expect([statusCode, headers['location']]).toEqual([308, `https://bots.example.com${url}`]);
    }
  });

  test.each(['//evil.example/', '/\\evil.example', '/%0d%0aLocation:%20https://evil.example'])(
    'is never sent to another host: %s',
    async (url) => {
      const { headers } = await ask({ url });
      expect(new URL(String(headers['location'])).origin).toBe('https://bots.example.com');
    },
  );

  test('is never sent to another host by an address that names one', async () => {
    await open.app.listen({ host: '127.0.0.1', port: 0 });
    const bound = open.app.server.address();
    const socket = connect(typeof bound === 'object' && bound !== null ? bound.port : 0, '127.0.0.1');
    socket.write('GET http://evil.example/ HTTP/1.1\r\nHost: bots.example.com\r\nX-Forwarded-Proto: http\r\nConnection: close\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 308 /u);
    expect(/^location: (.*)$/imu.exec(answer)?.[1]).toBe('https://bots.example.com/');
  });

  test.each(['/api/system/status', '/api', '/%61pi/system/status', '//api/auth/me', '/api/nowhere', '/%zz'])(
    'is refused and not sent on: the call %s',
    async (url) => {
      const { statusCode, headers, body } = await ask({ url });
      expect(statusCode).toBe(url === '/%zz' ? 400 : 403);
      expect(headers['location']).toBeUndefined();
      if (url !== '/%zz') expect(JSON.parse(body)).toEqual(refusal);
    },
  );

  test('is refused wherever it goes when it changes something', async () => {
    for (const url of ['/api/auth/login', '/', '/login']) {
      const reply = await ask({ url, method: 'POST' });
      expect([reply.statusCode, reply.json()]).toEqual([403, refusal]);
    }
  });

  test.each([
    ['a proxy says so', proxy, 'http'],
    ['a proxy says so last', proxy, 'https, http'],
    ['a program on this machine says so', '127.0.0.1', 'http'],
    ['a stranger says the opposite', stranger, 'https'],
    ['a stranger says nothing', stranger, undefined],
    ['a neighbour of the proxy says the opposite', '10.20.1.9', 'https'],
  ])('is known: %s', async (_, from, proto) => {
    expect((await ask({ url: '/api/system/status', from, ...(proto === undefined ? {} : { proto }) })).statusCode).toBe(403);
  });
});

test.each([
  ['the proxy says https', proxy, 'https'],
  ['the proxy says https in other letters', proxy, 'HTTPS'],
  ['a proxy in front of the proxy had it in the clear', proxy, 'http, https'],
  ['the proxy over IPv6', '2001:db8::7', 'https'],
  ['the proxy over IPv4 in IPv6', '::ffff:10.20.0.9', 'https'],
  ['the proxy says nothing', proxy, undefined],
  ['this machine', '127.0.0.1', undefined],
  ['this machine over IPv6', '::1', undefined],
])('what came over https, or from where nobody listens in, is answered: %s', async (_, from, proto) => {
  const given = { from, ...(proto === undefined ? {} : { proto }) };
  expect((await ask({ url: '/api/system/status', ...given })).statusCode).toBe(200);
  expect((await ask({ url: '/', ...given })).statusCode).toBe(200);
});

test('with an http address, or none, everything is answered as it comes', async () => {
  expect((await ask({ server: http })).statusCode).toBe(200);
  expect((await ask({ server: http, url: '/api/system/status', proto: 'http' })).statusCode).toBe(200);
});
