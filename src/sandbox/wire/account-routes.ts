import type { KeyHolder } from './signed-request.ts';
import type { World } from './world.ts';

/** One route of the REST wire that needs a signature. */
export interface SignedRoute {
  method: string;
  path: string; // whole, e.g. '/api/v3/account'
  weight: number;
  answer: (holder: KeyHolder) => unknown;
}

/** What a new account of the sandbox holds. */
const startBalance = 10_000;

/** The routes about the account of a key. An account holds its start balance: the sandbox takes no orders. */
export function accountRoutes(world: World): SignedRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/v3/account',
      weight: 20,
      answer: ({ right }) => ({
        makerCommission: 10,
        takerCommission: 10,
        canTrade: right !== 'read',
        canWithdraw: right === 'withdraw',
        canDeposit: true,
        updateTime: world.clock.now(),
        accountType: 'SPOT',
        balances: [{ asset: 'USDT', free: startBalance.toFixed(8), locked: '0.00000000' }],
        permissions: ['SPOT'],
      }),
    },
    {
      method: 'GET',
      path: '/sapi/v1/account/apiRestrictions',
      weight: 1,
      answer: ({ right }) => ({
        ipRestrict: false,
        createTime: world.clock.now(),
        enableReading: true,
        enableWithdrawals: right === 'withdraw',
        enableInternalTransfer: false,
        enableMargin: false,
        enableFutures: right !== 'read',
        permitsUniversalTransfer: false,
        enableVanillaOptions: false,
        enableSpotAndMarginTrading: right !== 'read',
      }),
    },
  ];
}
