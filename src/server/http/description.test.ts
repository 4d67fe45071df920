import compress from '@fastify/compress';
import fastify from 'fastify';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serveDescription } from './description.ts';

test('the document is written and compressed once, and the same for all', async () => {
  let written = 0;
  const sent: unknown[] = [];
  const document = { paths: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`/api/call-${i}`, {}])) };
  const app = fastify();
  await app.register(async (scope) => {
    await scope.register(compress, { threshold: 1400, encodings: ['gzip'] });
    scope.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload));
    serveDescription(scope, () => {
      written += 1;
      return document;
    });
  });
  const ask = (encoding?: string) =>
    app.inject({ url: '/api/openapi.json', headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });
  const [plain, refused] = [await ask(), await ask('br, gzip;q=0')];
  const packed = await Promise.all([ask('gzip'), ask('br;q=1.0, GZIP;q=0.8')]);
  for (const reply of packed) {
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json; charset=utf-8' });
    expect(gunzipSync(reply.rawPayload).toString()).toBe(plain.body);
  }
  expect([plain.json(), refused.json(), written]).toEqual([document, document, 1]);
  // Bytes, not text that would be encoded for each: the same two for everybody.
  expect(sent.every((payload) => Buffer.isBuffer(payload))).toBe(true);
  expect([sent.length, new Set(sent).size]).toEqual([4, 2]);
  await app.close();
});
