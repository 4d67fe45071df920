import { texts } from '#contract/errors.ts';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { guardHeaders } from './page.ts';

/** The status of a request that broke off before the framework saw it, by the reason that Node gives. */
const statuses: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Answers what is not HTTP, too long or too slow with `{ "detail": "..." }` like everything else, and hangs up. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Reset by the caller, or an answer is half sent already: then nothing can be said.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) return void socket.destroy();
  const [status, reason] = statuses[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ detail: texts.invalidRequest });
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(guardHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** Answers an `Expect` that is not known, which Node would answer without a body. */
export function answerUnknownExpectation(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_, response) => {
    const body = JSON.stringify({ detail: texts.invalidRequest });
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(400, { ...guardHeaders, ...headers }).end(body);
  });
}
