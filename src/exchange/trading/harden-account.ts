import { ExchangeNotAvailable } from 'ccxt';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { AccountCcxt } from './account-ccxt.ts';
import type { Expiry } from './order-fields.ts';

/** The two clocks of a request, in ms: that of the caller and, as far as it is known, that of the exchange. */
export interface RequestClocks {
  now: () => number;
  exchangeNow: () => number;
}

/** The longest time the exchange lets a request be valid. */
const longestWindowMs = 60_000;

/** How long a request without an expiry of its own is valid. A question is for as long as may be: late, it harms nothing. */
const usualWindowMs = 5_000;

/** Makes signed requests of a client end in time, and its failures say what they mean for an order. */
export function hardenAccount(client: AccountCcxt, clocks: RequestClocks): void {
  client.options['recvWindow'] = usualWindowMs;
  client.options['disableFuturesSandboxWarning'] = true;
  endRequestsInTime(client, clocks);
  doubtServerFailures(client);
}

/**
 * A request is signed when its turn has come, not when it was asked for. One with `expiry` carries a window that ends then:
 * the exchange refuses it afterwards, and it is not sent at all when it is too late already by either clock: ours may have been set meanwhile, and
 * whoever waits for the order gives it up by ours.
 *
 * Our idea of the exchange's clock may be wrong. If it is behind, the window ends earlier; if it is ahead, the exchange refuses
 * what is more than a second ahead. So a request is never executed later than a second after its expiry.
 */
function endRequestsInTime(client: AccountCcxt, { now, exchangeNow }: RequestClocks): void {
  const sign = client.sign.bind(client);
  client.nonce = () => Math.floor(exchangeNow());
  client.sign = (path, api, method, params, headers, body) => {
    const { expiry, ...rest } = params as { expiry?: Expiry };
    if (expiry === undefined) {
      const isQuestion = method === 'GET' && isSigned(api);
      return sign(path, api, method, isQuestion ? { recvWindow: longestWindowMs, ...rest } : params, headers, body);
    }
    const left = Math.floor(Math.min(expiry.ours - now(), expiry.theirs - exchangeNow()));
    // Whoever has still time by the clock that they count by may ask again.
    if (left <= 0)
      throw new ExchangeError(expiry.ours > now() ? 'temporary' : 'rejected', 'The request has expired before it could be sent.');
    return sign(path, api, method, { ...rest, recvWindow: Math.min(left, longestWindowMs) }, headers, body);
  };
}

/** Whether requests to a part of the exchange's interface carry a time; to others a window is a parameter too many. */
function isSigned(api: unknown): boolean {
  return /private|sapi/iu.test(String(api));
}

/**
 * After an answer of status 5xx nobody knows, whatever code it carries: ccxt would take an unlisted code for a refusal. A key that is
 * refused after it has worked is a refused key: ccxt would take it for a limit, which passes by itself.
 */
function doubtServerFailures(client: AccountCcxt): void {
  const handleErrors = client.handleErrors.bind(client);
  client.handleErrors = (status, reason, ...rest) => {
    if (status >= 500) {
      const body = rest[3];
      throw new ExchangeNotAvailable(`${client.id} ${status} ${reason} ${typeof body === 'string' ? body : ''}`);
    }
    client.options['hasAlreadyAuthenticatedSuccessfully'] = false;
    return handleErrors(status, reason, ...rest);
  };
}
