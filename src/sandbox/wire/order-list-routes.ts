import type { OrderList } from '../account/order.ts';
import type { SpotAccount } from '../account/spot-account.ts';
import type { OrderWish } from '../account/spot-checks.ts';
import { clientIdOf, moneyOf, sideOf, spotWish } from './order-wish.ts';
import { oneOf, type PrivateRoute, required } from './private-route.ts';
import { listAnswer, newOrderAnswer } from './spot-shapes.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The routes of pairs of orders of which one cancels the other. */
export function orderListRoutes(world: World): PrivateRoute[] {
  const route = (
    method: string,
    path: string,
    needs: PrivateRoute['needs'],
    answer: (account: SpotAccount, parameters: URLSearchParams, now: number) => unknown,
  ): PrivateRoute => ({
    method,
    path: `/api/v3/${path}`,
    market: 'spot',
    weight: method === 'GET' ? 4 : 1,
    needs,
    isOrder: method === 'POST',
    answer: ({ apiKey }, parameters) => world.accounts.onSpot(apiKey, (account, now) => answer(account, parameters, now)),
  });
  return [
    route('POST', 'orderList/oco', 'right to trade', (account, parameters, now) => {
      const pair = world.market.pair('spot', required(parameters, 'symbol'));
      if (pair === undefined) throw new WireError(400, -1121, 'Invalid symbol.');
      moneyOf(parameters, 'quantity');
      const isSale = sideOf(parameters) === 'SELL';
      const limit = legOf(parameters, isSale ? 'above' : 'below', ['LIMIT_MAKER']);
      const stop = legOf(parameters, isSale ? 'below' : 'above', isSale ? ['STOP_LOSS_LIMIT', 'STOP_LOSS'] : ['STOP_LOSS_LIMIT']);
      const list = account.placePair(pair, { limit, stop, clientListId: clientIdOf(parameters, 'listClientOrderId') }, now);
      return withReports(account, list);
    }),
    route('DELETE', 'orderList', 'right to trade', (account, parameters, now) => {
      const list = listOf(account, parameters);
      const open = list?.orders.map(({ id }) => account.rows.open.get(String(id))).find((order) => order !== undefined);
      if (list === undefined || open === undefined) throw new WireError(400, -2011, 'Unknown order list sent.');
      account.cancel(open, now);
      return withReports(account, account.rows.lists.get(String(list.id)) ?? list);
    }),
    route('GET', 'orderList', 'signature', (account, parameters) => {
      const list = listOf(account, parameters);
      if (list === undefined) throw new WireError(400, -2018, 'Order list does not exist.');
      return listAnswer(list);
    }),
    route('GET', 'openOrderList', 'signature', ({ rows }) => [...rows.lists.rows()].filter(({ isDone }) => !isDone).map(listAnswer)),
  ];
}

/** One order of a pair: that above or that below the price. */
function legOf(parameters: URLSearchParams, place: 'above' | 'below', types: readonly OrderWish['type'][]): OrderWish {
  const type = oneOf(required(parameters, `${place}Type`), types, -1116, 'Invalid orderType.');
  const leg = new URLSearchParams({ side: required(parameters, 'side'), quantity: required(parameters, 'quantity'), type });
  for (const [from, to] of [
    ['Price', 'price'],
    ['StopPrice', 'stopPrice'],
    ['TimeInForce', 'timeInForce'],
    ['ClientOrderId', 'newClientOrderId'],
  ] as const) {
    const text = parameters.get(`${place}${from}`);
    if (text !== null) leg.set(to, text);
  }
  return spotWish(leg);
}

function listOf({ rows }: SpotAccount, parameters: URLSearchParams): OrderList | undefined {
  const id = parameters.get('orderListId');
  const clientId = parameters.get('listClientOrderId') ?? parameters.get('origClientOrderId');
  return id === null ? [...rows.lists.rows()].findLast(({ clientListId }) => clientListId === clientId) : rows.lists.get(id);
}

function withReports({ rows }: SpotAccount, list: OrderList) {
  const orders = list.orders.flatMap(({ id }) => rows.orderById(id) ?? []);
  return { ...listAnswer(list), orderReports: orders.map((order) => newOrderAnswer(order, [], 'RESULT')) };
}
