import type { AlgoOrder } from '../account/futures/algo-order.ts';
import { coin, unitsOf } from '../account/money.ts';
import type { OrderWish } from '../account/spot-checks.ts';
import { clientIdOf, moneyOf, sideOf, timeInForceOf } from './order-wish.ts';
import { flagOf, oneOf, required } from './private-route.ts';
import { WireError } from './wire-error.ts';

/** What an order of USD-M asks for. Fails: WireError as the exchange words it */
export function futuresWish(parameters: URLSearchParams): OrderWish {
  refuseHedge(parameters);
  const type = required(parameters, 'type');
  if (conditionalTypes.some((each) => each === type))
    throw new WireError(400, -4120, 'Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.');
  oneOf(type, ['LIMIT', 'MARKET'], -1116, 'Invalid orderType.');
  if (type === 'MARKET' && parameters.has('price')) throw new WireError(400, -1106, "Parameter 'price' sent when not required.");
  return {
    side: sideOf(parameters),
    type: type === 'LIMIT' ? 'LIMIT' : 'MARKET',
    timeInForce: type === 'LIMIT' ? timeInForceOf(parameters, ['GTC', 'IOC', 'FOK', 'GTX']) : 'GTC',
    amount: moneyOf(parameters, 'quantity'),
    quoteAmount: 0n,
    price: type === 'LIMIT' ? moneyOf(parameters, 'price') : 0n,
    stopPrice: 0n,
    reduceOnly: flagOf(parameters, 'reduceOnly'),
    clientOrderId: clientIdOf(parameters, 'newClientOrderId'),
  };
}

const conditionalTypes = ['STOP_MARKET', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET', 'STOP', 'TAKE_PROFIT'] as const;

/** What a conditional order asks for. Fails: WireError as the exchange words it */
export function algoWish(parameters: URLSearchParams, now: number): Omit<AlgoOrder, 'id' | 'symbol' | 'time'> {
  refuseHedge(parameters);
  oneOf(required(parameters, 'algoType'), ['CONDITIONAL'], -4500, 'Invalid algoType.');
  const type = oneOf(required(parameters, 'type'), conditionalTypes, -1116, 'Invalid orderType.');
  const closePosition = flagOf(parameters, 'closePosition');
  const reduceOnly = flagOf(parameters, 'reduceOnly');
  const isTrailing = type === 'TRAILING_STOP_MARKET';
  if (closePosition && (parameters.has('quantity') || reduceOnly || isTrailing))
    throw new WireError(400, -4136, 'Target strategy invalid for orderType,closePosition.');
  const hasPrice = type === 'STOP' || type === 'TAKE_PROFIT';
  const activation = parameters.has('activatePrice') ? 'activatePrice' : parameters.has('activationPrice') ? 'activationPrice' : null;
  return {
    side: sideOf(parameters),
    type,
    timeInForce: parameters.has('timeInForce') ? timeInForceOf(parameters, ['GTC', 'IOC', 'FOK', 'GTX']) : 'GTC',
    amount: closePosition ? 0n : moneyOf(parameters, 'quantity'),
    price: hasPrice ? moneyOf(parameters, 'price') : 0n,
    triggerPrice: !isTrailing ? moneyOf(parameters, 'triggerPrice') : activation === null ? 0n : moneyOf(parameters, activation),
    callback: isTrailing ? callbackOf(parameters) : 0n,
    extreme: 0n,
    closePosition,
    reduceOnly,
    workingType: oneOf(parameters.get('workingType') ?? 'CONTRACT_PRICE', ['CONTRACT_PRICE', 'MARK_PRICE'], -4000, 'Invalid workingType.'),
    status: 'NEW',
    actualOrderId: 0,
    reason: '',
    updateTime: now,
    triggerTime: 0,
    clientAlgoId: clientIdOf(parameters, 'clientAlgoId'),
  };
}

/** A rate in per cent, 0.1 to 10, as units of a ratio. */
function callbackOf(parameters: URLSearchParams): bigint {
  const units = unitsOf(required(parameters, 'callbackRate'));
  if (units === null || units < coin / 10n || units > 10n * coin) throw new WireError(400, -2007, 'Invalid callBack rate');
  return units / 100n;
}

function refuseHedge(parameters: URLSearchParams): void {
  if ((parameters.get('positionSide') ?? 'BOTH') !== 'BOTH')
    throw new WireError(400, -4061, "Order's position side does not match user's setting.");
}
