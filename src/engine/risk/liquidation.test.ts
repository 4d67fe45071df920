import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { Instrument } from '../market/instrument.ts';
import { liquidationFormulaOf } from '../settings/exchange-rules.ts';
import { exchangeLiquidationPrice, liquidationPriceOf, updateLiquidation } from './liquidation.ts';
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
  test('a bonus of the tier lowers it, and a tier begins at its smallest value', () => {
    const trade = { ...position('A'), stake: 5000 };
    updateLiquidation(trade, [trade], 0, requireSettings({ ...futures, liquidationBuffer: 0 }), instrumentOf, parityQuirks);
    // (5000 + 50 - 10000) / (2 - 100)
    expect(trade.liquidationPrice).toBe(50.51);
  });
  test('without tiers nothing is kept for maintenance', () => {
    const trade = position('A');
    const bare = (symbol: string) => ({ ...instrumentOf(symbol), leverageTiers: [] });
    updateLiquidation(trade, [trade], 0, requireSettings({ ...futures, liquidationBuffer: 0 }), bare, parityQuirks);
    expect(trade.liquidationPrice).toBe(90);
  });
  test('of a short lies above, with the buffer below that', () => {
    const trade = { ...position('A'), direction: 'short' as const };
    updateLiquidation(trade, [trade], 0, requireSettings(futures), instrumentOf, parityQuirks);
    // 11000 / 101 = 108.9109, and 5 per cent less of the distance.
    expect(trade.liquidationPrice).toBe(108.47);
    expect(exchangeLiquidationPrice(trade, requireSettings(futures))).toBeCloseTo(108.916, 3);
  });
  test('the price of the exchange is that without the buffer; 0 where there is none', () => {
    const trade = { ...position('A'), liquidationPrice: 91.36 };
    expect(exchangeLiquidationPrice(trade, requireSettings(futures))).toBeCloseTo(100 - 8.64 / 0.95, 10);
    expect(exchangeLiquidationPrice(position('A'), requireSettings(futures))).toBe(0);
  });
  test('is never below 0, and none where it cannot be worked out', () => {
    const rich = { ...position('A'), stake: 1e6 };
    updateLiquidation(rich, [rich], 0, requireSettings({ ...futures, liquidationBuffer: 0 }), instrumentOf, parityQuirks);
    expect(rich.liquidationPrice).toBe(0);
    const empty = { ...position('A'), amount: 0, liquidationPrice: 5 };
    updateLiquidation(empty, [empty], 0, requireSettings(futures), instrumentOf, parityQuirks);
    expect(empty.liquidationPrice).toBe(null);
  });
  test('isolated: a closed trade keeps its price, and so do the others', () => {
    const [closed, other] = [{ ...position('A'), isOpen: false }, position('B')];
    updateLiquidation(closed, [other], 0, requireSettings(futures), instrumentOf, parityQuirks);
    expect([closed.liquidationPrice, other.liquidationPrice]).toEqual([null, null]);
  });
  test('cross: what waits for its first fill ties up its stake, takes no margin and is left as it is', () => {
    const [trade, waiting] = [position('A'), { ...position('B'), amount: 0, stake: 5000, liquidationPrice: 7 }];
    const settings = requireSettings({ ...futures, marginMode: 'cross', liquidationBuffer: 0 });
    updateLiquidation(trade, [trade, waiting], 0, settings, instrumentOf, parityQuirks);
    // (6000 - 10000) / (1 - 100)
    expect([trade.liquidationPrice, waiting.liquidationPrice]).toEqual([40.4, 7]);
  });
  test('a trade keeps the margin mode it was opened with, whatever the settings say since; the stakes of isolated ones carry no other', () => {
    const [cross, other] = [
      { ...position('A'), marginMode: 'cross' as const },
      { ...position('B'), marginMode: 'cross' as const },
    ];
    const isolated = { ...position('C'), marginMode: 'isolated' as const, liquidationPrice: 7 };
    const all = [cross, other, isolated];
    for (const marginMode of ['cross', 'isolated'] as const) {
      const settings = requireSettings({ ...futures, marginMode, liquidationBuffer: 0 });
      Object.assign(isolated, { liquidationPrice: 7 });
      updateLiquidation(cross, all, 500, settings, instrumentOf, parityQuirks);
      // (2500 - 100 - 10000) / (1 - 100)
      expect(all.map(({ liquidationPrice }) => liquidationPrice)).toEqual([76.77, 76.77, 7]);
      Object.assign(other, { liquidationPrice: 7 });
      updateLiquidation(isolated, all, 500, settings, instrumentOf, parityQuirks);
      // (1000 - 10000) / (1 - 100)
      expect(all.map(({ liquidationPrice }) => liquidationPrice)).toEqual([76.77, 76.77, 90.91]);
    }
  });
  test('cross: the margin of the others counts on Binance only', () => {
    const settings = requireSettings({ ...futures, marginMode: 'cross', liquidationBuffer: 0, liquidationFormula: 'generic' });
    const [trade, other] = [position('A'), position('B')];
    updateLiquidation(trade, [trade, other], 0, settings, instrumentOf, parityQuirks);
    // (100 - 2000 / 100) / (1 - 0.0105)
    expect(trade.liquidationPrice).toBe(80.85);
  });
  test('cross: the bonus of the tiers of the others counts for them', () => {
    const [trade, other] = [position('A'), { ...position('B'), stake: 5000 }];
    const settings = requireSettings({ ...futures, marginMode: 'cross', liquidationBuffer: 0 });
    updateLiquidation(trade, [trade, other], 0, settings, instrumentOf, parityQuirks);
    // (6000 - (200 - 50) - 10000) / (1 - 100)
    expect(trade.liquidationPrice).toBe(41.92);
  });
  test('cross: a trade in what the exchange has no more keeps its price, and the others get theirs', () => {
    const [gone, trade] = [{ ...position('X'), liquidationPrice: 7 }, position('A')];
    const settings = requireSettings({ ...futures, marginMode: 'cross', liquidationBuffer: 0 });
    updateLiquidation(trade, [gone, trade], 0, settings, (symbol) => (symbol === 'X' ? undefined : instrumentOf(symbol)), parityQuirks);
    // (2000 - 10000) / (1 - 100): the margin of what is gone is not known.
    expect([gone.liquidationPrice, trade.liquidationPrice]).toEqual([7, 80.81]);
  });
  test('spot has none', () => {
    const trade = aTrade({ amount: 10 });
    updateLiquidation(trade, [trade], 0, requireSettings(futures), instrumentOf, parityQuirks);
    expect(trade.liquidationPrice).toBe(null);
  });
});
