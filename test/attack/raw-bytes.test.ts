import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { texts } from '#contract/errors.ts';
import { startTestServer } from '../support/test-server.ts';
import type { Draws } from '../torture/draws.ts';
import { drawsOf } from '../torture/draws.ts';
import { report, runSize } from '../support/run-size.ts';

// Bytes on the socket that are no request, or hardly one: npm run torture bytes [HOW MANY] [SEED]

const { size, seed } = runSize(300);
const server = await startTestServer();
await server.app.listen({ host: '127.0.0.1', port: 0 });
const bound = server.app.server.address();
const port = typeof bound === 'object' && bound !== null ? bound.port : 0;

const seeds = [
  'GET /api/system/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{"email":"a@b.c","password":"x"}',
  'GET /api/settings/paper?x=%00 HTTP/1.1\r\nHost: localhost\r\nCookie: sid=a; chal=b\r\nConnection: close\r\n\r\n',
  'POST /api/auth/logout HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
] as const;
const pieces = [
  '\r\n',
  '\r',
  '\0',
  ':',
  ' ',
  '%',
  'Host: evil.example\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/9.9',
  'Expect: x\r\n',
  '\u00ff',
  'Upgrade: websocket\r\n',
  '//',
  '..',
];

const quietMs = 50; // what is answered later on a busy machine is hung up on

const known: readonly string[] = [...Object.values(texts), 'This address is not served here'];

/** A request with some of its bytes changed, doubled or missing, or with something put in between. */
function broken(draws: Draws): Buffer {
  let bytes = Buffer.from(draws.oneOf(seeds), 'latin1');
  for (let change = draws.whole(1, 4); change > 0; change--) {
    const at = draws.whole(0, bytes.length);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    bytes = draws.oneOf([
      () => Buffer.concat([head, Buffer.from(draws.oneOf(pieces), 'latin1'), tail]),
      () => Buffer.concat([head, tail.subarray(draws.whole(0, 20))]),
      () => Buffer.concat([head, head, tail]),
      () => Buffer.concat([head, Buffer.from([draws.whole(0, 255)]), tail.subarray(1)]),
    ])();
  }
  return bytes;
}

/**
 * Sends the bytes, and gives everything that comes back. It says that no more will come when there is an answer, or none for a while: Node
 * hangs up on whoever has said so before.
 */
async function answerTo(bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  const hasClosed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const hasAnswered = new Promise<void>((resolve) => {
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      resolve();
    });
  });
  socket.on('error', () => {}); // hung up while it still sends
  socket.write(bytes);
  await Promise.race([hasAnswered, hasClosed, sleep(quietMs)]);
  socket.end();
  await hasClosed;
  return Buffer.concat(parts).toString('latin1');
}

test(`OP-05 to ${size} broken requests from seed ${seed} there is no answer but { detail }, and the server keeps answering`, async () => {
  const statuses = new Map<string, number>();
  for (let i = 0; i < size; i++) {
    const bytes = broken(drawsOf(seed + i));
    const answers = (await answerTo(bytes)).split(/(?=HTTP\/1\.1 \d{3} )/u);
    for (const answer of answers) {
      const shown = `${JSON.stringify(bytes.toString('latin1'))}\n${answer}\nnpm run torture bytes 1 ${seed + i}`;
      const status = answer === '' ? 'hung up' : answer.slice(9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 'hung up' || status.startsWith('2') || status === '100') continue;
      expect(status, shown).toMatch(/^4\d\d$/u);
      const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
      // A HEAD has no body; everything else says what was wrong in the contract's words.
      if (body !== '') expect(known, shown).toContain((JSON.parse(body) as { detail: string }).detail);
    }
  }
  expect((await fetch(`http://127.0.0.1:${port}/api/system/status`)).status).toBe(200);
  const counts = [...statuses].map(([status, count]) => `${count} x ${status}`);
  report(`bytes, seed ${seed}: ${size} broken requests: ${counts.join(', ')}`);
});
