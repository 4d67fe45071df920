import type { FuturesAccount } from '../account/futures/futures-account.ts';
import type { Pair, SandboxMarket } from '../market/listings.ts';
import type { KeyHolder } from './signed-request.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** One route of the REST wire that needs a key. */
export interface PrivateRoute {
  method: string;
  path: string; // whole, e.g. '/api/v3/account'
  market: SandboxMarket; // whose budget it is paid from
  weight: number | ((parameters: URLSearchParams) => number);
  needs: 'key' | 'signature' | 'right to trade';
  isOrder?: boolean; // it counts against the limit of orders
  answer: (holder: KeyHolder, parameters: URLSearchParams) => unknown;
}

/** A parameter that must be there. Fails: WireError -1102 */
export function required(parameters: URLSearchParams, name: string): string {
  const text = parameters.get(name);
  if (text === null || text === '')
    throw new WireError(400, -1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
  return text;
}

/** A parameter that must be one of these. Fails: WireError with the code and words of the exchange */
export function oneOf<Value extends string>(text: string, values: readonly Value[], code: number, message: string): Value {
  const value = values.find((each) => each === text);
  if (value === undefined) throw new WireError(400, code, message);
  return value;
}

/** A parameter that is true or false. */
export function flagOf(parameters: URLSearchParams, name: string): boolean {
  const text = parameters.get(name);
  if (text === null || text === '' || text === 'false') return false;
  if (text === 'true') return true;
  throw new WireError(400, -1100, `Illegal characters found in parameter '${name}'; legal range is 'true|false'.`);
}

/** A route of USD-M that asks or changes the account of its key. */
export function futuresRoute(
  world: World,
  methodAndPath: string,
  weight: PrivateRoute['weight'],
  needs: PrivateRoute['needs'],
  answer: (account: FuturesAccount, parameters: URLSearchParams, now: number) => unknown,
): PrivateRoute {
  const [method = '', path = ''] = methodAndPath.split(' ');
  return {
    method,
    path,
    market: 'futures',
    weight,
    needs,
    isOrder: method === 'POST' && /\/(order|algoOrder)$/u.test(path),
    answer: ({ apiKey }, parameters) => world.accounts.onFutures(apiKey, (account, now) => answer(account, parameters, now)),
  };
}

/** The perpetual of this id. Fails: WireError -1121 */
export function futuresPair({ market }: World, symbol: string): Pair {
  const pair = market.pair('futures', symbol);
  if (pair === undefined) throw new WireError(400, -1121, 'Invalid symbol.');
  return pair;
}
