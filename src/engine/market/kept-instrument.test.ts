import { expect, test } from 'vitest';
import type { Instrument } from './instrument.ts';
import { fromKeptInstrument, toKeptInstrument } from './kept-instrument.ts';

const instrument: Instrument = {
  symbol: 'BTC/USDT:USDT',
  base: 'BTC',
  quote: 'USDT',
  marketType: 'futures',
  active: true,
  priceTick: 0.1,
  amountStep: 0.001,
  minAmount: 0.001,
  maxAmount: Infinity,
  minCost: 5,
  maxCost: 1e6,
  contractSize: 1,
  takerFee: 0.0005,
  makerFee: 0.0002,
  maxLeverage: 20,
  leverageTiers: [
    { minNotional: 0, maxNotional: 50_000, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 },
    { minNotional: 50_000, maxNotional: Infinity, maxLeverage: 10, maintenanceRate: 0.02, maintenanceAmount: 500 },
  ],
};

test('an instrument without limits is the same after it was kept as JSON', () => {
  expect(fromKeptInstrument(JSON.parse(JSON.stringify(toKeptInstrument(instrument))))).toEqual(instrument);
  const limited = { ...instrument, maxAmount: 7, maxCost: Infinity, leverageTiers: [] };
  expect(fromKeptInstrument(JSON.parse(JSON.stringify(toKeptInstrument(limited))))).toEqual(limited);
});
