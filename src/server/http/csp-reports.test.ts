import { Writable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';

const lines: string[] = [];
const stream = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString());
    done();
  },
});
const server = await startTestServer({}, { logger: { level: 'warn', stream } });
const report = (payload: string, type = 'application/csp-report') =>
  server.app.inject({ method: 'POST', url: '/api/csp-reports', headers: { host: 'localhost:3000', 'content-type': type }, payload });
const logged = () =>
  lines.filter((line) => line.includes('cspReport')).map((line) => (JSON.parse(line) as { cspReport: object }).cspReport);

beforeEach(() => {
  onTestFinished(server.hold()); // the limit is one of a minute
  lines.length = 0;
  server.pass(60_000);
});

test('a report of either kind is logged, without the query of an address', async () => {
  const old = {
    'csp-report': {
      'document-uri': 'http://localhost:3000/?tab=bots#x',
      'effective-directive': 'img-src',
      'blocked-uri': 'https://evil.example/pixel?key=secret',
    },
  };
  expect((await report(JSON.stringify(old))).statusCode).toBe(204);
  const body = { documentURL: 'http://localhost:3000/', effectiveDirective: 'script-src-elem', blockedURL: 'inline', sourceFile: 'x.js' };
  expect((await report(JSON.stringify([{ type: 'csp-violation', body }]), 'application/reports+json')).statusCode).toBe(204);
  expect(logged()).toEqual([
    { directive: 'img-src', blocked: 'https://evil.example/pixel', page: 'http://localhost:3000/', source: '' },
    { directive: 'script-src-elem', blocked: 'inline', page: 'http://localhost:3000/', source: 'x.js' },
  ]);
});

test('what is not a report is refused or leaves no line, and takes no more than one', async () => {
  expect((await report('{')).statusCode).toBe(400);
  expect((await report('x', 'text/plain')).statusCode).toBe(400);
  expect((await report('x'.repeat(20_000))).statusCode).toBe(400);
  for (const odd of ['null', '7', '"x"', '{}', '[]', '[null]', '{"csp-report":7}', '{"__proto__":{"csp-report":{}}}'])
    expect((await report(odd)).statusCode).toBe(204);
  expect(logged()).toEqual([]);
  const long = { 'csp-report': { 'blocked-uri': `https://${'x'.repeat(9_000)}\n\u001b[31m`, 'effective-directive': ['a'] } };
  await report(JSON.stringify(long));
  const many = Array.from({ length: 50 }, () => ({ body: { effectiveDirective: 'img-src' } }));
  await report(JSON.stringify(many), 'application/reports+json');
  expect(logged()).toHaveLength(1 + 3);
  expect(JSON.stringify(logged()[0]).length).toBeLessThan(500);
});

test('a minute has room for twenty, whoever sends them', async () => {
  const one = JSON.stringify({ 'csp-report': { 'effective-directive': 'img-src' } });
  const statuses = [];
  for (let i = 0; i < 22; i++) statuses.push((await report(one)).statusCode);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 204), 429, 429]);
  expect(logged()).toHaveLength(20);
  server.pass(60_000);
  expect((await report(one)).statusCode).toBe(204);
});
