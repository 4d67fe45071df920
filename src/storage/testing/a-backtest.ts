import type { NewBacktest } from '../backtests/backtests.ts';

/** A run of BTC/USDT over 30 days, except for what is given. A builder for tests. */
export function aBacktest(given: Pick<NewBacktest, 'userId' | 'strategyId'> & Partial<NewBacktest>): NewBacktest {
  return {
    exchangeId: 'binance',
    symbol: 'BTC/USDT',
    tradingMode: 'spot',
    timeframe: '5m',
    days: 30,
    maxOpenTrades: 1,
    stakeAmount: 100,
    bot: null,
    codeId: null,
    ...given,
  };
}
