import type { AccountEvent } from '../account/account-event.ts';
import { futuresUserEvent } from './futures-events.ts';
import { futuresPair } from './private-route.ts';
import { checkTime, holderOf, isSignedBy } from './signed-request.ts';
import { spotUserEvent } from './spot-shapes.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The part of a socket that listens to an account. */
export interface UserSocket {
  /** The answer to a message. */
  receive(text: string): string;
  /** Checks whether it may still listen. */
  check(): void;
  end(): void;
}

/** A socket of the websocket API of spot: it subscribes to what happens on the account of a key that signs. */
export function spotUserSocket(world: World, send: (frame: string) => void): UserSocket {
  const subscriptions = new Map<number, () => void>();
  let last = -1;
  const subscribe = (parameters: Record<string, unknown>): number => {
    const apiKey = keyOf(world, parameters);
    const subscriptionId = (last += 1);
    world.accounts.onSpot(apiKey, () => undefined);
    const end = world.accounts.watch('spot', apiKey, (event) =>
      send(JSON.stringify({ subscriptionId, event: spotUserEvent(event, world.clock.now()) })),
    );
    subscriptions.set(subscriptionId, end);
    return subscriptionId;
  };
  const end = () => {
    for (const stop of subscriptions.values()) stop();
    subscriptions.clear();
  };
  const act = (method: unknown, parameters: Record<string, unknown>): unknown => {
    switch (method) {
      case 'userDataStream.subscribe.signature':
        return { subscriptionId: subscribe(parameters) };
      case 'userDataStream.unsubscribe':
        end();
        return {};
      case 'session.subscriptions':
        return [...subscriptions.keys()].map((subscriptionId) => ({ subscriptionId }));
      case 'ping':
        return {};
      case 'time':
        return { serverTime: world.clock.now() };
      default:
        throw new WireError(400, -1130, `The sandbox has no method ${String(method)}.`);
    }
  };
  return {
    receive(text) {
      const { id, method, params } = parsed(text);
      try {
        return JSON.stringify({ id, status: 200, result: act(method, params), rateLimits: [] });
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        return JSON.stringify({ id, status: error.status, error: { code: error.code, msg: error.message } });
      }
    },
    check: () => {},
    end,
  };
}

/** A socket that listens to the USD-M account of a listen key, until the key ends: then it says so, and nothing any more. */
export function futuresUserSocket(world: World, path: string, send: (frame: string) => void): UserSocket | null {
  const listenKey = new URL(path, 'http://sandbox').searchParams.get('listenKey') ?? '';
  const owner = world.listenKeys.ownerOf(listenKey, world.clock.now());
  if (owner === null) return null;
  world.accounts.onFutures(owner, () => undefined);
  let hasEnded = false;
  const receive = (event: AccountEvent): void => {
    const message = futuresUserEvent(event, (symbol) => futuresPair(world, symbol), world.clock.now());
    if (!hasEnded && message !== null) send(JSON.stringify(message));
  };
  const stop = world.accounts.watch('futures', owner, receive);
  return {
    receive: (text) => JSON.stringify({ id: parsed(text).id, result: null }),
    check() {
      const now = world.clock.now();
      if (hasEnded || world.listenKeys.ownerOf(listenKey, now) !== null) return;
      hasEnded = true;
      stop();
      send(JSON.stringify({ e: 'listenKeyExpired', E: now, listenKey }));
    },
    end: stop,
  };
}

/** The key whose secret has signed the parameters in alphabetical sequence. Fails: WireError as the exchange words it */
function keyOf(world: World, parameters: Record<string, unknown>): string {
  const { signature, ...rest } = parameters;
  const { apiKey } = holderOf(typeof rest['apiKey'] === 'string' ? rest['apiKey'] : null);
  const sorted = Object.keys(rest)
    .sort()
    .map((name): [string, string] => [name, String(rest[name])]);
  checkTime(new URLSearchParams(sorted), world.clock.now());
  const text = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  if (!isSignedBy(apiKey, text, typeof signature === 'string' ? signature : null))
    throw new WireError(400, -1022, 'Signature for this request is not valid.');
  return apiKey;
}

function parsed(text: string): { id: unknown; method: unknown; params: Record<string, unknown> } {
  try {
    const { id = null, method, params } = JSON.parse(text) as Record<string, unknown>;
    return { id, method, params: typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {} };
  } catch {
    return { id: null, method: 'nothing', params: {} };
  }
}
