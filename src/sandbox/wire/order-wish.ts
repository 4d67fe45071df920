import { randomBytes } from 'node:crypto';
import { unitsOf } from '../account/money.ts';
import type { TimeInForce, WireType } from '../account/order.ts';
import type { OrderWish } from '../account/spot-checks.ts';
import { oneOf, required } from './private-route.ts';
import { WireError } from './wire-error.ts';

const spotTypes = ['LIMIT', 'MARKET', 'LIMIT_MAKER', 'STOP_LOSS', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'] as const;

/** What a spot order asks for. Fails: WireError as the exchange words it */
export function spotWish(parameters: URLSearchParams): OrderWish {
  const side = sideOf(parameters);
  const type: WireType = oneOf(required(parameters, 'type'), spotTypes, -1116, 'Invalid orderType.');
  const hasPrice = type.includes('LIMIT');
  const hasStop = type.startsWith('STOP') || type.startsWith('TAKE');
  const byQuote = type === 'MARKET' && parameters.has('quoteOrderQty');
  if (byQuote && parameters.has('quantity')) throw new WireError(400, -1128, 'Combination of optional parameters invalid.');
  for (const [name, isAllowed] of [
    ['price', hasPrice],
    ['stopPrice', hasStop],
    ['timeInForce', hasPrice && type !== 'LIMIT_MAKER'],
  ] as const)
    if (!isAllowed && parameters.has(name)) throw new WireError(400, -1106, `Parameter '${name}' sent when not required.`);
  return {
    side,
    type,
    timeInForce: hasPrice && type !== 'LIMIT_MAKER' ? timeInForceOf(parameters, ['GTC', 'IOC', 'FOK']) : 'GTC',
    amount: byQuote ? 0n : moneyOf(parameters, 'quantity'),
    quoteAmount: byQuote ? moneyOf(parameters, 'quoteOrderQty') : 0n,
    price: hasPrice ? moneyOf(parameters, 'price') : 0n,
    stopPrice: hasStop ? moneyOf(parameters, 'stopPrice') : 0n,
    reduceOnly: false,
    clientOrderId: clientIdOf(parameters, 'newClientOrderId'),
  };
}

/** Fails: WireError -1117 */
export function sideOf(parameters: URLSearchParams): 'BUY' | 'SELL' {
  return oneOf(required(parameters, 'side'), ['BUY', 'SELL'], -1117, 'Invalid side.');
}

/** Fails: WireError -1115 */
export function timeInForceOf(parameters: URLSearchParams, values: readonly TimeInForce[]): TimeInForce {
  return oneOf(required(parameters, 'timeInForce'), values, -1115, 'Invalid timeInForce.');
}

/** A price or amount above nothing. Fails: WireError -1100, -1102, -1111 or -1013 */
export function moneyOf(parameters: URLSearchParams, name: string): bigint {
  const text = required(parameters, name);
  if (!/^\d{1,20}(\.\d{1,20})?$/u.test(text))
    throw new WireError(400, -1100, `Illegal characters found in parameter '${name}'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.`);
  const units = unitsOf(text);
  if (units === null) throw new WireError(400, -1111, `Parameter '${name}' has too much precision.`);
  if (units === 0n) throw new WireError(400, -1013, `Invalid ${name}.`);
  return units;
}

/** The client id that an order was given; a new one without. Fails: WireError -1100 */
export function clientIdOf(parameters: URLSearchParams, name: string): string {
  const text = parameters.get(name);
  if (text === null || text === '') return randomBytes(11).toString('hex');
  if (/^[.A-Z:/a-z0-9_-]{1,36}$/u.test(text)) return text;
  throw new WireError(400, -1100, `Illegal characters found in parameter '${name}'; legal range is '^[\\.A-Z\\:/a-z0-9_-]{1,36}$'.`);
}
