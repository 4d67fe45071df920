import type { Side } from '../market/direction.ts';

/** How an order meets the market. */
export type OrderType = 'limit' | 'market';

/** Life of an order; `filled` and `cancelled` are final. */
export type OrderState = 'open' | 'filled' | 'cancelled';

/** Our request to buy or sell, as part of a trade. Plain data: it survives JSON. */
export interface Order {
  id: string; // ours, unique within a run or a bot
  purpose: 'entry' | 'exit';
  side: Side;
  type: OrderType;
  price: number; // limit price, or the expected price of a market order
  amount: number; // base currency
  tag: string | null; // why: entry tag or exit reason
  createdTime: number; // ms
  state: OrderState;
  fillPrice: number | null; // average price of what was executed
  filledTime: number | null; // ms
  feeRatio: number | null; // fee of the fill as a fraction of its value
  liquidity: 'maker' | 'taker' | null; // role of the fill; null in a backtest, which does not tell them apart
  fundingFee: number; // funding since the fill before this one, settled with this fill; positive was received
}
