import type { FastifyInstance } from 'fastify';
import { gzipSync } from 'node:zlib';

/**
 * Serves the document that describes the API. Anybody may ask for it, so its bytes are made once, compressed and not, at the first question: to
 * write, encode or compress it each time takes as long as many other answers.
 */
export function serveDescription(scope: FastifyInstance, describe: () => object): void {
  let made: { plain: Buffer; compressed: Buffer } | null = null;
  scope.get('/api/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    if (made === null) {
      const plain = Buffer.from(JSON.stringify(describe()));
      made = { plain, compressed: gzipSync(plain) };
    }
    reply.header('content-type', 'application/json; charset=utf-8').header('vary', 'accept-encoding');
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/iu.test(request.headers['accept-encoding'] ?? '');
    // Either way it says how it is encoded, so that nothing compresses it again.
    return takesGzip
      ? reply.header('content-encoding', 'gzip').send(made.compressed)
      : reply.header('content-encoding', 'identity').send(made.plain);
  });
}
