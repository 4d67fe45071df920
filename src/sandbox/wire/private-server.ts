import type { SandboxMarket } from '../market/listings.ts';
import { accountRoutes } from './account-routes.ts';
import { algoRoutes } from './algo-routes.ts';
import { futuresAccountRoutes } from './futures-account-routes.ts';
import { listenKeyRoutes } from './listen-key-routes.ts';
import { OrderCounts, orderLimits } from './order-counts.ts';
import { orderListRoutes } from './order-list-routes.ts';
import type { PrivateRoute } from './private-route.ts';
import type { RequestWeights, WeightVerdict } from './request-weights.ts';
import { mayTrade } from './sandbox-keys.ts';
import { holderOf, keyHolder, parametersOf, type ReceivedText } from './signed-request.ts';
import { spotAccountRoutes } from './spot-account-routes.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** A private call as it was received. */
export interface PrivateCall {
  route: PrivateRoute;
  apiKey: string | null;
  text: ReceivedText;
  weights: RequestWeights; // of the market the route belongs to
}

/** How a private call ended: with a value, or at a limit. The headers say what is used up. */
export type PrivateOutcome = { headers: Record<string, string> } & (
  | { kind: 'value'; value: unknown }
  | { kind: 'weight limit'; verdict: WeightVerdict & { status: 429 | 418 } }
  | { kind: 'order limit'; retryAfterSeconds: number }
  | { kind: 'refused'; error: unknown }
);

/** The private side of the wire. */
export interface PrivateSide {
  find(method: string, path: string): PrivateRoute | undefined;
  answer(call: PrivateCall): PrivateOutcome;
}

function privateRoutes(world: World): PrivateRoute[] {
  return [
    ...accountRoutes(world),
    ...spotAccountRoutes(world),
    ...orderListRoutes(world),
    ...futuresAccountRoutes(world),
    ...algoRoutes(world),
    ...listenKeyRoutes(world),
  ];
}

/** The private routes, and the checks before them: weight, key, time, signature, right, number of orders. */
export function privateSide(world: World): PrivateSide {
  const routes = new Map(privateRoutes(world).map((route) => [`${route.method} ${route.path}`, route]));
  const counts: Record<SandboxMarket, OrderCounts> = {
    spot: new OrderCounts(orderLimits.spot),
    futures: new OrderCounts(orderLimits.futures),
  };
  return {
    find: (method, path) => routes.get(`${method} ${path}`),
    answer({ route, apiKey, text, weights }) {
      const parameters = parametersOf(text);
      const verdict = weights.count(typeof route.weight === 'number' ? route.weight : route.weight(parameters), Date.now());
      const headers: Record<string, string> = { 'x-mbx-used-weight': String(verdict.used), 'x-mbx-used-weight-1m': String(verdict.used) };
      const { status } = verdict;
      if (status !== 200) return { kind: 'weight limit', verdict: { ...verdict, status }, headers };
      try {
        const holder = route.needs === 'key' ? holderOf(apiKey) : keyHolder(apiKey, text, world.clock.now());
        if (route.needs === 'right to trade' && !mayTrade(holder.right, route.market))
          throw new WireError(401, -2015, 'Invalid API-key, IP, or permissions for action.');
        if (route.isOrder === true) {
          const count = counts[route.market].count(holder.apiKey, Date.now());
          Object.assign(headers, { 'x-mbx-order-count-10s': String(count.tenSeconds), 'x-mbx-order-count-1m': String(count.minute) });
          if (count.retryAfterSeconds > 0) return { kind: 'order limit', retryAfterSeconds: count.retryAfterSeconds, headers };
        }
        return { kind: 'value', value: route.answer(holder, parameters), headers };
      } catch (error) {
        return { kind: 'refused', error, headers };
      }
    },
  };
}
