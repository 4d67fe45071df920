import { dayMs, secondMs } from '#engine/market/durations.ts';
import { brackets, largestAt } from '../account/futures/brackets.ts';
import type { FuturesAccount } from '../account/futures/futures-account.ts';
import { setLeverage, setMarginType } from '../account/futures/position-settings.ts';
import { coin, textOf } from '../account/money.ts';
import type { Order } from '../account/order.ts';
import type { Pair } from '../market/listings.ts';
import { futuresFillRow, futuresOrderAnswer, futuresOrderRow } from './futures-shapes.ts';
import { futuresWish } from './futures-wish.ts';
import { pageOf, refuseLongAgo } from './page.ts';
import { futuresAccountAnswer, positionRow, positionRowV2 } from './position-shapes.ts';
import { futuresPair, futuresRoute, type PrivateRoute, required } from './private-route.ts';
import { numberOf } from './query.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The routes of a USD-M account: orders, fills, positions, settings. */
export function futuresAccountRoutes(world: World): PrivateRoute[] {
  const route = futuresRoute.bind(null, world);
  const pairOf = (parameters: URLSearchParams) => futuresPair(world, required(parameters, 'symbol'));
  const visible = (order: Order, now: number) => order.time + world.accounts.rules.readDelayMs <= now;
  const asked = (parameters: URLSearchParams) => (parameters.has('symbol') ? pairOf(parameters) : null);
  return [
    route('POST /fapi/v1/order', 1, 'right to trade', (account, parameters, now) => {
      const pair = pairOf(parameters);
      return futuresOrderAnswer(pair, account.place(pair, futuresWish(parameters), now));
    }),
    route('DELETE /fapi/v1/order', 1, 'right to trade', (account, parameters, now) => {
      const pair = pairOf(parameters);
      return futuresOrderAnswer(pair, account.cancel(orderOf(account, pair, parameters), now));
    }),
    route('DELETE /fapi/v1/allOpenOrders', 1, 'right to trade', (account, parameters, now) => {
      const pair = pairOf(parameters);
      for (const order of [...account.rows.open.rows()].filter(({ symbol }) => symbol === pair.id)) account.cancel(order, now);
      return { code: 200, msg: 'The operation of cancel all open order is done.' };
    }),
    route('GET /fapi/v1/order', 1, 'signature', (account, parameters, now) => {
      const pair = pairOf(parameters);
      const order = orderOf(account, pair, parameters);
      if (order === undefined || !visible(order, now)) throw new WireError(400, -2013, 'Order does not exist.');
      return futuresOrderRow(pair, order);
    }),
    route('GET /fapi/v1/openOrder', 1, 'signature', (account, parameters, now) => {
      const pair = pairOf(parameters);
      const order = orderOf(account, pair, parameters);
      if (order === undefined || !visible(order, now) || account.rows.open.get(String(order.id)) === undefined)
        throw new WireError(400, -2013, 'Order does not exist.');
      return futuresOrderRow(pair, order);
    }),
    route(
      'GET /fapi/v1/openOrders',
      (query) => (query.has('symbol') ? 1 : 40),
      'signature',
      (account, parameters, now) => {
        const pair = asked(parameters);
        return [...account.rows.open.rows()]
          .filter((order) => visible(order, now) && (pair?.id ?? order.symbol) === order.symbol)
          .map((order) => futuresOrderRow(account.pair(order.symbol), order));
      },
    ),
    route('GET /fapi/v1/allOrders', 5, 'signature', (account, parameters, now) => {
      const pair = pairOf(parameters);
      refuseLongAgo(parameters, now);
      const all = [...account.rows.done.rows(), ...account.rows.open.rows()].sort((a, b) => a.id - b.id);
      const seen = all.filter((order) => order.symbol === pair.id && visible(order, now));
      return pageOf(seen, parameters, 'orderId').map((order) => futuresOrderRow(pair, order));
    }),
    route('GET /fapi/v1/userTrades', 5, 'signature', (account, parameters, now) => {
      const pair = pairOf(parameters);
      const orderId = parameters.has('orderId') ? numberOf(parameters, 'orderId', 0) : null;
      const since = ['startTime', 'endTime', 'fromId'].some((name) => parameters.has(name)) ? 0 : now - 7 * dayMs;
      const seen = [...account.rows.fills.rows()].filter(
        (fill) =>
          fill.symbol === pair.id &&
          (orderId ?? fill.orderId) === fill.orderId &&
          fill.time >= since &&
          fill.time + world.accounts.rules.readDelayMs <= now,
      );
      return pageOf(seen, parameters, 'fromId').map((fill) => futuresFillRow(pair, fill));
    }),
    route('GET /fapi/v1/income', 30, 'signature', (account, parameters) => {
      const [pair, type] = [asked(parameters), parameters.get('incomeType')];
      const seen = [...account.rows.income.rows()]
        .filter((row) => (pair?.id ?? row.symbol) === row.symbol && (type === null || type === '' || type === row.type))
        .map((row) => ({ ...row, time: Math.floor(row.time / secondMs) * secondMs })); // as in the answers that ccxt's binance.js quotes
      return pageOf(seen, parameters, 'fromId').map(({ symbol, type: incomeType, amount, asset, time, id, tradeId }) => ({
        symbol,
        incomeType,
        income: textOf(amount),
        asset,
        time,
        info: incomeType === 'FUNDING_FEE' ? 'FUNDING_FEE' : String(tradeId),
        tranId: id,
        tradeId: tradeId === 0 ? '' : String(tradeId),
      }));
    }),
    route('GET /fapi/v3/positionRisk', 5, 'signature', (account, parameters) => {
      const pair = asked(parameters);
      return account.rows
        .held()
        .filter(({ symbol }) => (pair?.id ?? symbol) === symbol)
        .map((position) => positionRow(account, position));
    }),
    route('GET /fapi/v2/positionRisk', 5, 'signature', (account, parameters) => {
      const pair = asked(parameters);
      const symbols = pair === null ? world.market.pairs.filter(({ market }) => market === 'futures').map(({ id }) => id) : [pair.id];
      return symbols.map((symbol) => positionRowV2(account, account.rows.position(symbol)));
    }),
    route('GET /fapi/v3/account', 5, 'signature', (account) => futuresAccountAnswer(account)),
    route('GET /fapi/v2/account', 5, 'signature', (account) => futuresAccountAnswer(account)),
    route('POST /fapi/v1/leverage', 1, 'right to trade', (account, parameters) => {
      const pair = pairOf(parameters);
      const { leverage } = setLeverage(account.rows, pair.id, Number(required(parameters, 'leverage')));
      return { symbol: pair.id, leverage, maxNotionalValue: textOf(largestAt(leverage), 0) };
    }),
    route('POST /fapi/v1/marginType', 1, 'right to trade', (account, parameters) => {
      const type = required(parameters, 'marginType');
      if (type !== 'ISOLATED' && type !== 'CROSSED') throw new WireError(400, -4022, 'Invalid margin type.');
      setMarginType(account.rows, pairOf(parameters).id, type === 'ISOLATED' ? 'isolated' : 'cross');
      return { code: 200, msg: 'success' };
    }),
    route('GET /fapi/v1/symbolConfig', 5, 'signature', (account, parameters) => {
      const pair = asked(parameters);
      const pairs = pair === null ? world.market.pairs.filter(({ market }) => market === 'futures') : [pair];
      return pairs.map(({ id }) => {
        const { marginType, leverage } = account.rows.position(id);
        return {
          symbol: id,
          marginType: marginType === 'cross' ? 'CROSSED' : 'ISOLATED',
          isAutoAddMargin: 'false',
          leverage,
          maxNotionalValue: textOf(largestAt(leverage), 0),
        };
      });
    }),
    route('GET /fapi/v1/leverageBracket', 1, 'signature', (_account, parameters) => {
      const pair = asked(parameters);
      const pairs = pair === null ? world.market.pairs.filter(({ market }) => market === 'futures') : [pair];
      return pairs.map(({ id }) => ({ symbol: id, brackets: bracketRows }));
    }),
    route('GET /fapi/v1/positionSide/dual', 30, 'signature', () => ({ dualSidePosition: false })),
    route('POST /fapi/v1/positionSide/dual', 1, 'right to trade', (_account, parameters) => {
      if (required(parameters, 'dualSidePosition') === 'false') throw new WireError(400, -4059, 'No need to change position side.');
      throw new WireError(400, -4000, 'The sandbox has one-way positions only.');
    }),
    route('GET /fapi/v1/commissionRate', 20, 'signature', (_account, parameters) => ({
      symbol: pairOf(parameters).id,
      makerCommissionRate: '0.000200',
      takerCommissionRate: '0.000500',
    })),
    route('GET /fapi/v1/accountConfig', 5, 'signature', () => ({
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      dualSidePosition: false,
      updateTime: 0,
      multiAssetsMargin: false,
      tradeGroupId: -1,
    })),
  ];
}

const bracketRows = brackets.map(({ floor, cap, leverage, ratio, deduction }, i) => ({
  bracket: i + 1,
  initialLeverage: leverage,
  notionalCap: Number(cap / coin),
  notionalFloor: Number(floor / coin),
  maintMarginRatio: Number(textOf(ratio)),
  cum: Number(textOf(deduction)),
}));

function orderOf({ rows }: FuturesAccount, pair: Pair, parameters: URLSearchParams): Order | undefined {
  const id = parameters.get('orderId');
  const clientId = parameters.get('origClientOrderId');
  if (id === null && clientId === null)
    throw new WireError(400, -1102, "Mandatory parameter 'orderId' was not sent, was empty/null, or malformed.");
  const order = id === null ? rows.orderByClientId(pair.id, clientId ?? '') : rows.orderById(Number(id));
  return order?.symbol === pair.id ? order : undefined;
}
