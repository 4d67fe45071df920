import { alarmRoutes } from '#contract/alarms.ts';
import { authRoutes } from '#contract/auth.ts';
import { chartRoutes } from '#contract/chart.ts';
import type { Client } from '#contract/client.ts';
import { createClient } from '#contract/client.ts';
import { decisionRoutes } from '#contract/decisions.ts';
import { differenceRoutes } from '#contract/differences.ts';
import { exchangeRoutes } from '#contract/exchanges.ts';
import { followRoutes } from '#contract/follow.ts';
import { metricsRoutes } from '#contract/metrics.ts';
import { pulseRoutes } from '#contract/pulse.ts';
import { systemRoutes } from '#contract/system.ts';
import { tradeOrderRoutes } from '#contract/trade-orders.ts';
import { tradeRoutes } from '#contract/trades.ts';
import { tradingStateRoutes } from '#contract/trading-states.ts';
import { ApiError } from './api-error.ts';
import type { SendOptions } from './send.ts';
import { refuseWhileLeaving, send } from './send.ts';

/** What Status asks for, and what ends trades and trading: known from the start. */
const known: Partial<Client<SendOptions>> = createClient(
  {
    ...authRoutes,
    ...systemRoutes,
    ...chartRoutes,
    ...metricsRoutes,
    ...followRoutes,
    ...pulseRoutes,
    ...alarmRoutes,
    ...differenceRoutes,
    ...decisionRoutes,
    ...exchangeRoutes,
    ...tradingStateRoutes,
    ...tradeRoutes,
    ...tradeOrderRoutes,
  },
  send,
);

let loaded: Client<SendOptions> | null = null; // every call, once their shapes are there

/** Every call of the API, typed and checked by the contract. The shapes of those that Status does not need are loaded with the first of them. */
export const api = new Proxy(known, {
  get: (calls, name) => Reflect.get(calls, name) ?? (loaded === null ? late(name as keyof typeof known) : Reflect.get(loaded, name)),
}) as Client<SendOptions>;

/** Loads the shapes of all calls. Fails: ApiError */
export async function loadCalls(): Promise<Client<SendOptions>> {
  const { allCalls } = await import('./all-calls.ts').catch((cause: unknown) => {
    throw new ApiError({ status: null, detail: null, cause });
  });
  loaded = allCalls;
  return allCalls;
}

/** A call whose shapes are loaded first. */
function late(name: keyof Client<SendOptions>) {
  return async (input: never, options?: SendOptions): Promise<unknown> => {
    await refuseWhileLeaving(); // which may be over when the shapes are there
    const calls = (await loadCalls()) as unknown as Record<string, (given: never, more?: SendOptions) => Promise<unknown>>;
    return calls[name]?.(input, options);
  };
}
