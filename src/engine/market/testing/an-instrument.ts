import type { Instrument } from '../instrument.ts';

/** BTC/USDT on spot, without limits, except for what is given. A builder for tests. */
export function anInstrument(given: Partial<Instrument> = {}): Instrument {
  return {
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    marketType: 'spot',
    active: true,
    priceTick: 0.01,
    amountStep: 0.001,
    minAmount: 0,
    maxAmount: Infinity,
    minCost: 0,
    maxCost: Infinity,
    contractSize: 1,
    takerFee: 0.001,
    makerFee: 0.001,
    maxLeverage: 1,
    leverageTiers: [],
    ...given,
  };
}
