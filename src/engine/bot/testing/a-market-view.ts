import type { MarketView } from '../event.ts';

/** A market at 99 bid, 101 ask, with a few levels of its order book on each side. */
export const aMarketView: MarketView = {
  symbol: 'BTC/USDT',
  time: 0,
  bid: 99,
  ask: 101,
  last: 100,
  bids: [
    [99, 1],
    [98, 2],
  ],
  asks: [
    [101, 1],
    [102, 2],
    [110, 100],
  ],
};
