import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { Instrument } from '../market/instrument.ts';
import { liquidationFormulaOf, liquidationPriceOf, updateLiquidation } from './liquidation.ts';
import { parityQuirks } from './quirks.ts';

// 100 coins at 100 with 10x: stake 1000, maintenance 1 per cent.
const terms = {
  amount: 100,
  openRate: 100,
  leverage: 10,
  walletBalance: 1000,
  otherPositions: 0,
  maintenanceRate: 0.01,
  maintenanceAmount: 0,
  takerFee: 0.0005,
  maxLeverage: 50,
};

describe('liquidation prices, worked out by hand', () => {
  test.each([
    // (1000 - 10000) / (1 - 100) and (1000 + 10000) / (1 + 100)
    ['binance', 1, 9000 / 99],
    ['binance', -1, 11_000 / 101],
    // (100 - 10) / (1 - 0.0105) and (100 + 10) / (1 + 0.0105)
    ['generic', 1, 90 / 0.9895],
    ['generic', -1, 110 / 1.0105],
    // 100 -+ (1000 - 100) / 100
    ['bybit', 1, 91],
    ['bybit', -1, 109],
    // (1000 - 10000) / (100 * (0.0105 - 1)) and (1000 + 10000) / (100 * (0.0105 + 1))
    ['bitget', 1, 9000 / 98.95],
    ['bitget', -1, 11_000 / 101.05],
    // 100 -+ (1000 - 100) / 100 / (1 -+ 1/100)
    ['hyperliquid', 1, 100 - 9 / 0.99],
    ['hyperliquid', -1, 100 + 9 / 1.01],
  ] as const)('%s, side %i', (formula, sign, price) => {
    expect(liquidationPriceOf(formula, { ...terms, sign })).toBeCloseTo(price, 10);
  });
  test('formulas by exchange', () => {
    const ids = ['binance', 'binanceusdm', 'sandbox', 'bybit', 'bitget', 'hyperliquid', 'okx', 'gate'];
    expect(ids.map(liquidationFormulaOf)).toEqual([
      'binance',
      'binance',
      'binance',
      'bybit',
      'bitget',
      'hyperliquid',
      'generic',
      'generic',
    ]);
  });
});

describe('after a fill', () => {
  const instrument = anInstrument({
    symbol: 'A',
    base: 'A',
    marketType: 'futures',
    takerFee: 0.0005,
    makerFee: 0.0005,
    maxLeverage: 50,
    leverageTiers: [
      { minNotional: 0, maxNotional: 5000, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 },
      { minNotional: 5000, maxNotional: 1e9, maxLeverage: 20, maintenanceRate: 0.02, maintenanceAmount: 50 },
    ],
  });
  const futures = { stakeAmount: 1000, maxOpenTrades: 3, stoploss: -0.5, marketType: 'futures', liquidationFormula: 'binance' } as const;
  const position = (symbol: string) =>
    aTrade({ symbol, marketType: 'futures', leverage: 10, amount: 100, openRate: 100, stake: 1000, openValue: 10_010 });
  const instrumentOf = (symbol: string): Instrument => ({ ...instrument, symbol });

  test('isolated: buffer included, rounded to the tick', () => {
    const trade = position('A');
    updateLiquidation(trade, [trade], 9000, requireSettings(futures), instrumentOf, parityQuirks);
    expect(trade.liquidationPrice).toBe(91.36);
  });
  test('leverageTierChosenByStake the tier goes by the stake; with it off by the notional', () => {
    const trade = position('A');
    updateLiquidation(trade, [trade], 9000, requireSettings(futures), instrumentOf, { ...parityQuirks, leverageTierChosenByStake: false });
    // (1000 + 50 - 10000) / (2 - 100) = 91.3265, and 5 per cent of the rest.
    expect(trade.liquidationPrice).toBe(91.76);
  });
  test('cross: the whole wallet carries, the margin of the others is taken off, all are set again', () => {
    const trade = position('A');
    const other = position('B');
    const settings = requireSettings({ ...futures, marginMode: 'cross', liquidationBuffer: 0 });
    updateLiquidation(trade, [trade, other], 500, settings, instrumentOf, parityQuirks);
    // (2500 - 100 - 10000) / (1 - 100)
    expect(trade.liquidationPrice).toBe(76.77);
    expect(other.liquidationPrice).toBe(76.77);
  });
  test('spot has none', () => {
    const trade = aTrade({ amount: 10 });
    updateLiquidation(trade, [trade], 0, requireSettings(futures), instrumentOf, parityQuirks);
    expect(trade.liquidationPrice).toBe(null);
  });
});
