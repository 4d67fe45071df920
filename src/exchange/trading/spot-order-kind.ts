import type { OrderRequest } from '#engine/ports/trading.ts';
import type { AccountCcxt, AccountMarket } from './account-ccxt.ts';
import { priceText, refusal } from './order-fields.ts';

/** How far beyond the stop price the limit of a stop lies where the exchange has no stop at market. Source: freqtrade's default */
const limitOffset = 0.01;

/**
 * What kind of spot order a request becomes. A stop is one at market where the instrument has it; elsewhere it is a limit order a
 * hundredth beyond the stop price, which may stay unfilled when the price jumps further than that.
 *
 * Fails: ExchangeError `rejected`
 */
export function spotKind(client: AccountCcxt, market: AccountMarket, request: OrderRequest): object {
  if (request.type === 'market') return { type: 'MARKET' };
  if (request.type === 'limit')
    return { type: 'LIMIT', timeInForce: request.timeInForce ?? 'GTC', price: priceText(client, request, 'price') };
  const stopPrice = priceText(client, request, 'stopPrice');
  const types = market.info.orderTypes ?? [];
  if (types.includes('STOP_LOSS')) return { type: 'STOP_LOSS', stopPrice };
  if (!types.includes('STOP_LOSS_LIMIT')) throw refusal(request, `${request.symbol} has no stop orders`);
  const limit = Number(stopPrice) * (request.side === 'sell' ? 1 - limitOffset : 1 + limitOffset);
  return { type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', stopPrice, price: client.priceToPrecision(request.symbol, limit) };
}
