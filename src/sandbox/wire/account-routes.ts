import { flagOf, type PrivateRoute } from './private-route.ts';
import { mayTrade } from './sandbox-keys.ts';
import type { World } from './world.ts';

/** The routes about a key and its account as a whole. */
export function accountRoutes(world: World): PrivateRoute[] {
  return [
    {
      method: 'GET',
      path: '/sapi/v1/account/apiRestrictions',
      market: 'spot',
      weight: 1,
      needs: 'signature',
      answer: ({ right }) => ({
        ipRestrict: false,
        createTime: world.clock.now(),
        enableReading: true,
        enableWithdrawals: right === 'withdraw',
        enableInternalTransfer: false,
        enableMargin: false,
        enableFutures: mayTrade(right, 'futures'),
        permitsUniversalTransfer: false,
        enableVanillaOptions: false,
        enableSpotAndMarginTrading: mayTrade(right, 'spot'),
      }),
    },
    {
      method: 'GET',
      path: '/sapi/v1/bnbBurn',
      market: 'spot',
      weight: 1,
      needs: 'signature',
      answer: ({ apiKey }) =>
        world.accounts.onSpot(apiKey, ({ rows }) => ({ spotBNBBurn: rows.state.paysFeesInBnb, interestBNBBurn: false })),
    },
    {
      method: 'POST',
      path: '/sapi/v1/bnbBurn',
      market: 'spot',
      weight: 1,
      needs: 'right to trade',
      answer: ({ apiKey }, parameters) =>
        world.accounts.onSpot(apiKey, ({ rows }) => {
          if (parameters.has('spotBNBBurn')) rows.setState({ paysFeesInBnb: flagOf(parameters, 'spotBNBBurn') });
          return { spotBNBBurn: rows.state.paysFeesInBnb, interestBNBBurn: false };
        }),
    },
    {
      method: 'GET',
      path: '/sapi/v1/asset/tradeFee',
      market: 'spot',
      weight: 1,
      needs: 'signature',
      answer: (_holder, parameters) =>
        world.market.pairs
          .filter(({ market, id }) => market === 'spot' && (parameters.get('symbol') ?? id) === id)
          .map(({ id }) => ({ symbol: id, makerCommission: '0.001', takerCommission: '0.001' })),
    },
  ];
}
