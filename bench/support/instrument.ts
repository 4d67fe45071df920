import type { Instrument } from '#engine/market/instrument.ts';

/** An instrument without limits, for measuring. */
export const aTestInstrument: Instrument = {
  symbol: 'BTC/USDT',
  base: 'BTC',
  quote: 'USDT',
  marketType: 'spot',
  active: true,
  priceTick: 0.01,
  amountStep: 0.00001,
  minAmount: 0,
  maxAmount: Infinity,
  minCost: 0,
  maxCost: Infinity,
  contractSize: 1,
  takerFee: 0.001,
  makerFee: 0.001,
  maxLeverage: 1,
  leverageTiers: [],
};
