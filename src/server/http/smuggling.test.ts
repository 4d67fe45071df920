import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
await server.app.listen({ host: '127.0.0.1', port: 0 });
const address = server.app.server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

/** Sends bytes and waits until the server hangs up; gives the status of every answer that came. */
async function statuses(text: string): Promise<number[]> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.on('error', () => {}); // cut off while it still sends
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map(([, status]) => Number(status));
}

const post = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
/** A second request hidden in the body of the first: it must never be answered. */
const hidden = 'GET /api/system/status HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('a request whose end two readers could see in different places is refused, and nothing after it is read', () => {
  test.each([
    ['a length and chunks', `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks and a length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}${hidden}`],
    ['two equal lengths', `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['lengths in a list', `${post}Content-Length: 2, 60\r\n\r\n{}${hidden}`],
    ['a length with a sign', `${post}Content-Length: +2\r\n\r\n{}${hidden}`],
    ['a negative length', `${post}Content-Length: -2\r\n\r\n{}${hidden}`],
    ['a length in hexadecimal', `${post}Content-Length: 0x2\r\n\r\n{}${hidden}`],
    ['a length that is too large to count', `${post}Content-Length: 99999999999999999999999\r\n\r\n{}${hidden}`],
    ['a blank before the colon of the length', `${post}Content-Length : 2\r\n\r\n{}${hidden}`],
    ['a chunk whose size is not a number', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk that is longer than its size', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk size that is too large to count', `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk that ends with a bare line feed', `${post}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${hidden}`],
    ['an encoding that is not known', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunked that is not the last encoding', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['two encodings', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['an encoding behind a vertical tab', `${post}Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['an encoding on a folded line', `${post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a header that ends with a bare carriage return', `${post}X: y\rContent-Length: 2\r\n\r\n{}${hidden}`],
    ['a header that ends with a bare line feed', `${post}X: y\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['a NUL in a header', `${post}X: \u0000\r\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['a blank line before the headers end', `POST /api/auth/login HTTP/1.1\r\n Host: localhost\r\nContent-Length: 2\r\n\r\n{}${hidden}`],
    ['two hosts', `GET /api/system/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n${hidden}`],
  ])('%s', async (_, bytes) => {
    expect(await statuses(bytes)).toEqual([400]);
  });
});

test('two honest requests on one connection are answered one after the other', async () => {
  const last = hidden.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  expect(await statuses(`${hidden}${last}`)).toEqual([200, 200]);
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  expect(await statuses(`${chunked}${last}`)).toEqual([400, 200]); // the first is complete: {} lacks the fields of a sign-in
});

test('TRACE and TRACK are not answered with what was sent', async () => {
  for (const method of ['TRACE', 'TRACK', 'CONNECT']) {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.on('error', () => {});
    socket.write(`${method} /api/system/status HTTP/1.1\r\nHost: localhost\r\nCookie: sid=canary\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received, method).not.toContain('canary');
    expect(received, method).not.toMatch(/^HTTP\/1\.1 2/u);
  }
});
