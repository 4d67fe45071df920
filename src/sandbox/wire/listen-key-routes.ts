import type { PrivateRoute } from './private-route.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The routes of listen keys. */
export function listenKeyRoutes(world: World): PrivateRoute[] {
  const route = (method: string, answer: (apiKey: string) => unknown): PrivateRoute => ({
    method,
    path: '/fapi/v1/listenKey',
    market: 'futures',
    weight: 1,
    needs: 'key',
    answer: ({ apiKey }) => answer(apiKey),
  });
  return [
    route('POST', (apiKey) => ({ listenKey: world.listenKeys.create(apiKey, world.clock.now()) })),
    route('PUT', (apiKey) => {
      const listenKey = world.listenKeys.renew(apiKey, world.clock.now());
      if (listenKey === null) throw new WireError(400, -1125, 'This listenKey does not exist.');
      return { listenKey };
    }),
    route('DELETE', (apiKey) => {
      world.listenKeys.end(apiKey);
      return {};
    }),
  ];
}
