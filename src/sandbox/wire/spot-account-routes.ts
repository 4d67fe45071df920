import { textOf } from '../account/money.ts';
import type { Order } from '../account/order.ts';
import type { SpotAccount } from '../account/spot-account.ts';
import type { Pair } from '../market/listings.ts';
import { spotWish } from './order-wish.ts';
import { pageOf } from './page.ts';
import { flagOf, type PrivateRoute, required } from './private-route.ts';
import { numberOf } from './query.ts';
import { mayTrade } from './sandbox-keys.ts';
import { cancelAnswer, fillAnswer, newOrderAnswer, orderAnswer } from './spot-shapes.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The routes of a spot account: orders, fills, balances. */
export function spotAccountRoutes(world: World): PrivateRoute[] {
  const { accounts } = world;
  const route = (
    [method, path]: readonly [string, string],
    weight: PrivateRoute['weight'],
    needs: PrivateRoute['needs'],
    answer: (account: SpotAccount, parameters: URLSearchParams, now: number) => unknown,
  ): PrivateRoute => ({
    method,
    path: `/api/v3/${path}`,
    market: 'spot',
    weight,
    needs,
    isOrder: method === 'POST' && path === 'order',
    answer: ({ apiKey }, parameters) => accounts.onSpot(apiKey, (account, now) => answer(account, parameters, now)),
  });
  const visible = (order: Order, now: number) => order.time + accounts.rules.readDelayMs <= now;
  return [
    route(['POST', 'order'], 1, 'right to trade', (account, parameters, now) => {
      const pair = pairOf(world, parameters);
      const wish = spotWish(parameters);
      const order = account.place(pair, wish, now);
      const length = parameters.get('newOrderRespType') ?? (wish.type === 'MARKET' || wish.type === 'LIMIT' ? 'FULL' : 'ACK');
      return newOrderAnswer(order, fillsOf(account, order), length);
    }),
    route(['POST', 'order/test'], 1, 'right to trade', (_account, parameters) => {
      pairOf(world, parameters);
      spotWish(parameters);
      return {};
    }),
    route(['DELETE', 'order'], 1, 'right to trade', (account, parameters, now) =>
      cancelAnswer(account.cancel(orderOf(account, pairOf(world, parameters), parameters), now)),
    ),
    route(['DELETE', 'openOrders'], 1, 'right to trade', (account, parameters, now) => {
      const pair = pairOf(world, parameters);
      const orders = [...account.rows.open.rows()].filter(({ symbol }) => symbol === pair.id);
      if (orders.length === 0) throw new WireError(400, -2011, 'Unknown order sent.');
      return orders.map((order) => cancelAnswer(account.cancel(order, now)));
    }),
    route(['GET', 'order'], 4, 'signature', (account, parameters, now) => {
      const order = orderOf(account, pairOf(world, parameters), parameters);
      if (order === undefined || !visible(order, now)) throw new WireError(400, -2013, 'Order does not exist.');
      return orderAnswer(order);
    }),
    route(
      ['GET', 'openOrders'],
      (query) => (query.has('symbol') ? 6 : 80),
      'signature',
      (account, parameters, now) => {
        const pair = parameters.has('symbol') ? pairOf(world, parameters) : null;
        return [...account.rows.open.rows()]
          .filter((order) => visible(order, now) && (pair?.id ?? order.symbol) === order.symbol)
          .map(orderAnswer);
      },
    ),
    route(['GET', 'allOrders'], 20, 'signature', (account, parameters, now) => {
      const pair = pairOf(world, parameters);
      const all = [...account.rows.done.rows(), ...account.rows.open.rows()].sort((a, b) => a.id - b.id);
      const seen = all.filter((order) => order.symbol === pair.id && visible(order, now));
      return pageOf(seen, parameters, 'orderId').map(orderAnswer);
    }),
    route(
      ['GET', 'myTrades'],
      (query) => (query.has('orderId') ? 5 : 20),
      'signature',
      (account, parameters, now) => {
        const pair = pairOf(world, parameters);
        const orderId = parameters.has('orderId') ? numberOf(parameters, 'orderId', 0) : null;
        const seen = [...account.rows.fills.rows()].filter(
          (fill) => fill.symbol === pair.id && (orderId ?? fill.orderId) === fill.orderId && fill.time + accounts.rules.readDelayMs <= now,
        );
        return pageOf(seen, parameters, 'fromId').map(fillAnswer);
      },
    ),
    route(['GET', 'rateLimit/order'], 40, 'signature', () => []),
    {
      ...route(['GET', 'account'], 20, 'signature', () => null),
      answer: ({ apiKey, right }, parameters) =>
        accounts.onSpot(apiKey, (account, now) => ({
          ...accountHead,
          canTrade: mayTrade(right, 'spot'),
          canWithdraw: right === 'withdraw',
          updateTime: now,
          balances: [...account.rows.balances.rows()]
            .filter(({ free, locked }) => !flagOf(parameters, 'omitZeroBalances') || free + locked > 0n)
            .map(({ asset, free, locked }) => ({ asset, free: textOf(free), locked: textOf(locked) })),
        })),
    },
  ];
}

const accountHead = {
  makerCommission: 10,
  takerCommission: 10,
  buyerCommission: 0,
  sellerCommission: 0,
  commissionRates: { maker: '0.00100000', taker: '0.00100000', buyer: '0.00000000', seller: '0.00000000' },
  canDeposit: true,
  brokered: false,
  requireSelfTradePrevention: false,
  preventSor: false,
  accountType: 'SPOT',
  permissions: ['SPOT'],
  uid: 1,
};

function fillsOf({ rows }: SpotAccount, order: Order) {
  return [...rows.fills.rows()].filter(({ orderId }) => orderId === order.id);
}

function orderOf({ rows }: SpotAccount, pair: Pair, parameters: URLSearchParams): Order | undefined {
  const id = parameters.get('orderId');
  const clientId = parameters.get('origClientOrderId');
  if (id === null && clientId === null)
    throw new WireError(400, -1102, "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!");
  const order = id === null ? rows.orderByClientId(pair.id, clientId ?? '') : rows.orderById(Number(id));
  const isMeant = order?.symbol === pair.id && (clientId === null || order.clientOrderId === clientId);
  return isMeant ? order : undefined;
}

function pairOf(world: World, parameters: URLSearchParams): Pair {
  const pair = world.market.pair('spot', required(parameters, 'symbol'));
  if (pair === undefined) throw new WireError(400, -1121, 'Invalid symbol.');
  return pair;
}
