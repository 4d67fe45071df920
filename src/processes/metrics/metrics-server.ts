import { errorText } from '#engine/ports/error-text.ts';
import { createServer } from 'node:http';
import { LoopDelay } from './loop-delay.ts';
import type { Metric } from './metric-text.ts';
import { metricText } from './metric-text.ts';
import { processMetrics } from './process-metrics.ts';

/** Names of this machine in a call; a page on the internet whose name leads here has another. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

/**
 * Serves the metrics of a process at `http://127.0.0.1:port/metrics`, to this machine alone. Port 0 serves none.
 *
 * Fails: with one sentence when the port is taken
 */
export async function serveMetrics(role: string, port: number, collect: () => Promise<Metric[]>): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: async () => {} };
  const loop = new LoopDelay();
  const server = createServer((request, reply) => {
    if (request.method !== 'GET' || request.url !== '/metrics' || !loopbackHost.test(request.headers.host ?? '')) {
      reply.writeHead(404).end();
      return;
    }
    collect().then(
      (metrics) =>
        void reply
          .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' })
          .end(metricText([...processMetrics(role, loop), ...metrics])),
      (error: unknown) =>
        void reply.writeHead(500, { 'content-type': 'text/plain' }).end(`The metrics could not be read: ${errorText(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`The metrics cannot be served on port ${port}: ${cause.message}. Set METRICS_PORT.`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    async close() {
      loop.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
