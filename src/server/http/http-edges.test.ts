import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-page-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
writeFileSync(join(folder, 'icon.svg'), '<svg/>');
writeFileSync(join(folder, 'assets', 'main-1234.js'), 'export {};');
afterAll(() => rmSync(folder, { recursive: true }));

const server = await startTestServer({}, { pageFolder: folder });
await server.app.listen({ host: '127.0.0.1', port: 0 });
const address = server.app.server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

/** Sends bytes and waits until the server hangs up; gives what came. */
async function send(text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.on('error', () => {}); // cut off while it still sends
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  const [head = '', ...body] = received.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    head: head.toLowerCase(),
    body: body.join('\r\n\r\n'),
  };
}

const host = 'Host: localhost\r\n';
const close = 'Connection: close\r\n';
const refusal = JSON.stringify({ detail: 'Invalid request' });

describe('what the framework and Node refuse by themselves is { detail } too', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['an unknown method', `FETCH / HTTP/1.1\r\n${host}\r\n`, 400],
    ['a header that is none', `GET / HTTP/1.1\r\n${host}bad header\r\n\r\n`, 400],
    ['no Host', `GET /api/system/status HTTP/1.1\r\n${close}\r\n`, 400],
    ['two lengths', `POST /api/auth/login HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400],
    [
      'a length and chunks',
      `POST /api/auth/login HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['an address that is too long', `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    [
      'a body that is too long',
      `POST /api/auth/login HTTP/1.1\r\n${host}${close}Content-Type: application/json\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`,
      400,
    ],
    ['a body of another type', `POST /api/auth/login HTTP/1.1\r\n${host}${close}Content-Type: text/xml\r\nContent-Length: 1\r\n\r\nx`, 400],
    [
      'a body that is not JSON',
      `POST /api/auth/login HTTP/1.1\r\n${host}${close}Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
      400,
    ],
    ['an unknown Expect', `GET /api/system/status HTTP/1.1\r\n${host}${close}Expect: a miracle\r\n\r\n`, 400],
    ['a broken escape', `GET /api/%zz HTTP/1.1\r\n${host}${close}\r\n`, 400],
  ])('%s', async (_, text, status) => {
    const answer = await send(text);
    expect([answer.status, answer.body]).toEqual([status, refusal]);
    expect(answer.head).toContain('content-type: application/json; charset=utf-8');
    expect(answer.head).toContain('cache-control: no-store');
    expect(answer.head).toContain('x-content-type-options: nosniff');
  });

  test('an unknown path and an unknown method of a known one', async () => {
    for (const line of ['GET /api/nowhere', 'DELETE /api/auth/login', 'PROPFIND /api']) {
      const answer = await send(`${line} HTTP/1.1\r\n${host}${close}\r\n`);
      expect([answer.status, answer.body]).toEqual([404, JSON.stringify({ detail: 'Not found' })]);
    }
  });
});

test('a caller that sends half a request is hung up on with a sentence: half the headers after 10 s, half a body after 30', async () => {
  const { headersTimeout, requestTimeout } = server.app.server;
  expect([headersTimeout, requestTimeout]).toEqual([10_000, 30_000]);
  // Node enforces both in rounds, of half a minute by itself: then 10 s would be up to 40.
  const rounds = Object.getOwnPropertySymbols(server.app.server).find(
    ({ description }) => description === 'http.server.connectionsCheckingInterval',
  );
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node shows it
  expect((server.app.server as unknown as Record<symbol, { _repeat: number }>)[rounds ?? Symbol('none')]?._repeat).toBe(1_000);
  const ended: string[] = [];
  const slow = {
    headers: `GET / HTTP/1.1\r\nHost: loc`,
    body: `POST /api/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"email":`,
  };
  await Promise.all(
    Object.entries(slow).map(async ([name, text]) => {
      const answer = await send(text);
      expect([answer.status, answer.body]).toEqual([408, refusal]);
      ended.push(name);
    }),
  );
  expect(ended).toEqual(['headers', 'body']);
});

test('a person makes 120 changes in a minute, each counted once, and is refused the next', async () => {
  onTestFinished(server.hold());
  const person = await server.signedIn('trader');
  const change = () => person.setReportMail({ body: { wanted: true } });
  for (let i = 0; i < 120; i++) await change();
  expect((await failure(change())).message).toBe('429 Too many requests. Please try again later.');
});

describe('headers', () => {
  const get = (url: string) => server.app.inject({ method: 'GET', url, headers: { host: 'localhost' } });
  const apiPolicy = "default-src 'none'; frame-ancestors 'none'";

  test.each([
    '/api/system/status',
    '/%61pi/system/status',
    '/api/nowhere',
    '/%61pi/nowhere',
    '/%61%70%69',
    '/api',
    '/assets/nowhere.js',
    '/.git/config',
    '/.sources',
    '/a/.env.production',
    '/nowhere.js',
  ])('%s is not kept and may do nothing, however it is spelled', async (url) => {
    const { headers, body } = await get(url);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toBe(apiPolicy);
    expect(headers['content-type']).toContain('application/json');
    expect(body).not.toContain('<!doctype');
  });

  test('every kind of answer has the same guard headers; only the page, its files and their age differ', async () => {
    const admin = await server.signedIn('admin');
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}) =>
      server.app.inject({ method, url, headers: { host: 'localhost:3000', origin: 'http://localhost:3000', cookie, ...headers } });
    const file = await ask('GET', '/assets/main-1234.js');
    await sql`alter table bots rename to bots_away`.execute(server.dependencies.db);
    const answers = {
      page: await ask('GET', '/'),
      file,
      'file not changed': await ask('GET', '/assets/main-1234.js', { 'if-none-match': String(file.headers['etag']) }),
      icon: await ask('GET', '/icon.svg'),
      200: await ask('GET', '/api/auth/me'),
      400: await ask('POST', '/api/auth/login', { 'content-type': 'text/xml' }),
      401: await ask('GET', '/api/bots', { cookie: '' }),
      403: await ask('POST', '/api/auth/logout', { origin: 'https://evil.example' }),
      404: await ask('GET', '/api/nowhere'),
      500: await ask('GET', '/api/bots'),
    };
    await sql`alter table bots_away rename to bots`.execute(server.dependencies.db);
    const kept = { file: 'public, max-age=31536000, immutable', icon: 'public, max-age=3600' };
    const shown = Object.fromEntries(
      Object.entries(answers).map(([name, { statusCode, headers }]) => {
        const { 'cache-control': cache, 'content-security-policy': policy, 'x-powered-by': power, server: software } = headers;
        const others = ['x-content-type-options', 'referrer-policy', 'x-frame-options', 'permissions-policy'].map((each) => headers[each]);
        const origins = ['cross-origin-opener-policy', 'cross-origin-resource-policy', 'access-control-allow-origin'].map(
          (each) => headers[each],
        );
        return [name, { statusCode, cache, policy: String(policy).replace(/nonce-[^']+/u, 'nonce'), power, software, others, origins }];
      }),
    );
    const guarded = (statusCode: number, cache = 'no-store', policy = apiPolicy) => ({
      statusCode,
      cache,
      policy,
      power: undefined,
      software: undefined,
      others: ['nosniff', 'no-referrer', 'DENY', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
      origins: ['same-origin', 'same-origin', undefined],
    });
    const pagePolicy =
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
      "manifest-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; report-uri /api/csp-reports";
    expect(shown).toEqual({
      page: guarded(200, 'no-store', pagePolicy),
      file: guarded(200, kept.file),
      'file not changed': guarded(304, kept.file),
      icon: guarded(200, kept.icon),
      ...Object.fromEntries([200, 400, 401, 403, 404, 500].map((status) => [status, guarded(status)])),
    });
  });

  test('the page has its own policy, and its files are kept', async () => {
    const page = await get('/bots?tab=trades.open');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.headers['cache-control']).toBe('no-store');
    expect((await get('/assets/main-1234.js')).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/icon.svg')).headers['cache-control']).toBe('public, max-age=3600');
  });
});
