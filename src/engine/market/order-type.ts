/** How an order meets the market. */
export type OrderType = 'limit' | 'market';
