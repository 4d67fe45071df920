import type { AlgoOrder } from './futures/algo-order.ts';
import type { FuturesPosition } from './futures/position.ts';
import type { AccountFill, AssetBalance, Happening, Order, OrderList, Wallet } from './order.ts';

/** What an account reports to those who watch it, in the sequence it happens. */
export type AccountEvent =
  | { kind: 'order'; what: Happening; order: Order; fill: AccountFill | null; number: number; time: number }
  | { kind: 'balances'; assets: readonly AssetBalance[]; time: number } // of spot
  | { kind: 'account'; reason: string; wallets: readonly Wallet[]; positions: readonly FuturesPosition[]; time: number } // of USD-M
  | { kind: 'list'; list: OrderList; time: number }
  | { kind: 'algo'; algo: AlgoOrder; time: number };
