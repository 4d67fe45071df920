/** The type of an order as the wire names it. */
export type WireType =
  | 'LIMIT'
  | 'MARKET'
  | 'LIMIT_MAKER'
  | 'STOP_LOSS'
  | 'STOP_LOSS_LIMIT'
  | 'TAKE_PROFIT'
  | 'TAKE_PROFIT_LIMIT'
  | 'STOP_MARKET'
  | 'TAKE_PROFIT_MARKET'
  | 'TRAILING_STOP_MARKET'
  | 'STOP';

/** Where an order stands. */
export type WireStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED';

/** How long an order is valid; GTX is cancelled instead of taking. */
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTX';

/** An order of an account. Prices, amounts and money in units. */
export interface Order {
  id: number;
  clientOrderId: string;
  listId: number; // of the pair of orders it belongs to; -1 for one alone
  symbol: string; // 'BTCUSDT'
  side: 'BUY' | 'SELL';
  type: WireType;
  timeInForce: TimeInForce;
  price: bigint; // 0 of an order at market
  stopPrice: bigint; // 0 without a stop
  amount: bigint;
  quoteAmount: bigint; // what a market order is to spend or to earn; else 0
  filled: bigint;
  filledQuote: bigint;
  reserved: bigint; // what is still set aside for it: quote of a buy, base of a sale
  status: WireStatus;
  isWorking: boolean; // false while its stop has not been reached
  reduceOnly: boolean;
  time: number; // ms
  updateTime: number;
}

/** Two orders of which one ends when the other is executed. */
export interface OrderList {
  id: number;
  clientListId: string;
  symbol: string;
  orders: readonly { id: number; clientOrderId: string }[];
  isDone: boolean;
  time: number; // ms
}

/** One execution of an order. */
export interface AccountFill {
  id: number;
  orderId: number;
  symbol: string;
  side: 'BUY' | 'SELL';
  price: bigint;
  amount: bigint;
  quote: bigint;
  fee: bigint;
  feeAsset: string;
  isMaker: boolean;
  realized: bigint; // profit of what it has closed; 0 on spot
  time: number;
}

/** What may happen to an order. */
export type Happening = 'NEW' | 'TRADE' | 'CANCELED' | 'EXPIRED';

/** What an account has of an asset. */
export interface AssetBalance {
  asset: string;
  free: bigint;
  locked: bigint;
}

/** What a USD-M account has of an asset: all of it, and without the margin of isolated positions. */
export interface Wallet {
  asset: string;
  wallet: bigint;
  cross: bigint;
}
