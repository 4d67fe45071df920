import type { Route } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import type { LightMyRequestResponse } from 'fastify';
import { randomInt } from 'node:crypto';
import type { TestServer } from '../support/test-server.ts';
import { origin } from '../support/test-server.ts';

/** Sends a call of the contract as it is, without a client's checks, from an address of its own. */
export function sendCall(
  server: TestServer,
  name: RouteName,
  { params = {}, query, body }: { params?: object; query?: object; body?: unknown },
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const route: Route = routes[name];
  const filled = Object.entries(params).reduce(
    (path, [key, value]) => path.replace(`{${key}}`, encodeURIComponent(String(value))),
    route.path,
  );
  return server.app.inject({
    method: route.method,
    url: `/api${filled}`,
    remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 256)}`,
    headers: { host: new URL(origin).host, origin, ...headers },
    ...(query === undefined ? {} : { query: query as Record<string, string> }),
    ...(body === undefined ? {} : { payload: body as object }),
  });
}
