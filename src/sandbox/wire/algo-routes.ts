import type { AlgoOrder } from '../account/futures/algo-order.ts';
import type { FuturesAccount } from '../account/futures/futures-account.ts';
import { algoAnswer } from './futures-shapes.ts';
import { algoWish } from './futures-wish.ts';
import { pageOf, refuseLongAgo } from './page.ts';
import { futuresPair, futuresRoute, type PrivateRoute, required } from './private-route.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

/** The routes of conditional orders of USD-M. */
export function algoRoutes(world: World): PrivateRoute[] {
  const route = futuresRoute.bind(null, world);
  const visible = (algo: AlgoOrder, now: number) => algo.time + world.accounts.rules.readDelayMs <= now;
  const done = (algo: AlgoOrder) => ({ algoId: algo.id, clientAlgoId: algo.clientAlgoId, code: '200', msg: 'success' });
  return [
    route('POST /fapi/v1/algoOrder', 1, 'right to trade', (account, parameters, now) => {
      const pair = futuresPair(world, required(parameters, 'symbol'));
      return algoAnswer(pair, account.placeAlgo(pair, algoWish(parameters, now), now), false);
    }),
    route('DELETE /fapi/v1/algoOrder', 1, 'right to trade', (account, parameters, now) =>
      done(account.cancelAlgo(algoOf(account, parameters), now)),
    ),
    route('DELETE /fapi/v1/algoOpenOrders', 1, 'right to trade', (account, parameters, now) => {
      const pair = futuresPair(world, required(parameters, 'symbol'));
      for (const algo of [...account.rows.algos.rows()].filter(({ symbol }) => symbol === pair.id)) account.cancelAlgo(algo, now);
      return { code: 200, msg: 'The operation of cancel all open order is done.' };
    }),
    route('GET /fapi/v1/algoOrder', 1, 'signature', (account, parameters, now) => {
      const algo = algoOf(account, parameters);
      if (algo === undefined || !visible(algo, now)) throw new WireError(400, -2013, 'Order does not exist.');
      return algoAnswer(account.pair(algo.symbol), algo, true);
    }),
    route(
      'GET /fapi/v1/openAlgoOrders',
      (query) => (query.has('symbol') ? 1 : 40),
      'signature',
      (account, parameters, now) => {
        const pair = parameters.has('symbol') ? futuresPair(world, required(parameters, 'symbol')) : null;
        return [...account.rows.algos.rows()]
          .filter((algo) => visible(algo, now) && (pair?.id ?? algo.symbol) === algo.symbol)
          .map((algo) => algoAnswer(account.pair(algo.symbol), algo, true));
      },
    ),
    route('GET /fapi/v1/allAlgoOrders', 5, 'signature', (account, parameters, now) => {
      const pair = futuresPair(world, required(parameters, 'symbol'));
      refuseLongAgo(parameters, now);
      const all = [...account.rows.doneAlgos.rows(), ...account.rows.algos.rows()].sort((a, b) => a.id - b.id);
      const seen = all.filter((algo) => algo.symbol === pair.id && visible(algo, now));
      return pageOf(seen, parameters, 'algoId').map((algo) => algoAnswer(pair, algo, true));
    }),
  ];
}

function algoOf({ rows }: FuturesAccount, parameters: URLSearchParams): AlgoOrder | undefined {
  const id = parameters.get('algoId');
  const clientId = parameters.get('clientAlgoId');
  if (id === null && clientId === null)
    throw new WireError(400, -1102, "Mandatory parameter 'algoId' was not sent, was empty/null, or malformed.");
  return id === null ? rows.algoByClientId(clientId ?? '') : rows.algoById(Number(id));
}
