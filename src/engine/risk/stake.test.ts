import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { walletOf } from '../account/wallet.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { maxLeverageFor } from './leverage.ts';
import { parityQuirks, withoutQuirks } from './quirks.ts';
import { largestStakeRuleOf } from '../settings/exchange-rules.ts';
import { fitStake, maxStake, minStake, proposedStake } from './stake.ts';

const instrument = anInstrument({
  symbol: 'BTC/USDT:USDT',
  marketType: 'futures',
  minAmount: 0.1,
  maxAmount: 100,
  minCost: 10,
  maxCost: 5000,
  takerFee: 0.0005,
  makerFee: 0.0002,
  maxLeverage: 20,
  leverageTiers: [
    { minNotional: 0, maxNotional: 2000, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 },
    { minNotional: 2000, maxNotional: 50_000, maxLeverage: 10, maintenanceRate: 0.02, maintenanceAmount: 20 },
  ],
});
const settings = requireSettings({ stakeAmount: 100, maxOpenTrades: 3, stoploss: -0.1, startingBalance: 1000 });

describe('the wallet', () => {
  test('knows what is tied, free and available', () => {
    const open = [aTrade({ stake: 300, realizedProfit: 5 }), aTrade({ stake: 200 })];
    const { tied, free, total, available } = walletOf(settings, 45, open);
    expect({ tied, free, total }).toEqual({ tied: 500, free: 550, total: 1050 * 0.99 });
    expect(available).toBeCloseTo(539.5, 10);
  });
  test('with a given capital counts from that', () => {
    expect(walletOf({ ...settings, availableCapital: 500 }, 20, [])).toEqual({ tied: 0, free: 1020, total: 520, available: 520 });
  });
});

describe('the stake', () => {
  const wallet = { tied: 495, free: 553.4605, total: 1037.975895, available: 542.975895 };
  test('W8 unlimited divides all by the slots', () => {
    expect(proposedStake({ ...settings, stakeAmount: 'unlimited', maxOpenTrades: 2 }, wallet)).toBeCloseTo(518.9879475, 10);
    expect(proposedStake({ ...settings, stakeAmount: 'unlimited', maxOpenTrades: 0 }, wallet)).toBe(0);
  });
  test('unlimited never takes more than is available', () => {
    expect(proposedStake({ ...settings, stakeAmount: 'unlimited', maxOpenTrades: 1 }, { ...wallet, available: 300 })).toBe(300);
  });
  test.each([
    ['as wanted while there is enough', 101, 100],
    ['all that is left', 60, 60],
    ['none at the smallest share', 50, 0],
    ['none below it', 40, 0],
  ])('the last one may be smaller: %s', (_, available, stake) => {
    expect(proposedStake({ ...settings, amendLastStakeAmount: true, stakeAmount: 100 }, { ...wallet, available })).toBe(stake);
  });
  test('is what is available, to the last cent, and never below 0', () => {
    expect(proposedStake({ ...settings, stakeAmount: 100 }, { ...wallet, available: 100 })).toBe(100);
    expect(proposedStake({ ...settings, stakeAmount: 'unlimited' }, { ...wallet, tied: 0, available: -5 })).toBe(0);
  });
  test('is null when it is not there', () => {
    expect(proposedStake({ ...settings, stakeAmount: 600 }, wallet)).toBe(null);
  });
  test('W20 minimum with reserve for the stop', () => {
    expect(minStake({ ...instrument, minAmount: 0 }, 100, -0.05, 1, settings, parityQuirks)).toBeCloseTo(11.0526, 4);
    expect(minStake(instrument, 1000, -0.05, 5, settings, parityQuirks)).toBeCloseTo((0.1 * 1000 * 1.05) / 5, 10);
    expect(minStake({ ...instrument, minAmount: 0 }, 100, -1, 1, settings, parityQuirks)).toBe(15);
    expect(minStake({ ...instrument, minAmount: 0 }, 100, -0.9, 1, settings, parityQuirks)).toBe(15);
  });
  test('costLimitsTimesContractSize limits of the cost are those of a contract; without it what they say', () => {
    const contracts = { ...instrument, contractSize: 3, minAmount: 0, leverageTiers: [], maxAmount: Infinity };
    const real = withoutQuirks(['costLimitsTimesContractSize']);
    expect(minStake(contracts, 100, -1, 1, settings, parityQuirks)).toBe(45);
    expect(minStake(contracts, 100, -1, 1, settings, real)).toBe(15);
    expect(maxStake(contracts, 100, 1, settings, parityQuirks)).toBe(15_000);
    expect(maxStake(contracts, 100, 1, settings, real)).toBe(5000);
  });
  test('the reserve for a stop beyond everything is none', () => {
    expect(minStake({ ...instrument, minAmount: 0 }, 100, -2, 1, settings, parityQuirks)).toBe(10);
  });
  test('maximum by amount, cost and tier', () => {
    expect(maxStake(instrument, 10, 1, settings, parityQuirks)).toBe(1000);
    expect(maxStake(instrument, 100, 1, settings, parityQuirks)).toBe(5000);
    expect(maxStake({ ...instrument, maxCost: Infinity }, 1e6, 20, settings, parityQuirks)).toBe(100);
    expect(maxStake({ ...instrument, maxCost: Infinity }, 1e6, 10, settings, parityQuirks)).toBe(5000);
  });
  test('on OKX the notional of the last tier alone is the limit', () => {
    const okx = { ...settings, largestStakeRule: largestStakeRuleOf('okx') };
    const tiers = [
      { minNotional: 0, maxNotional: 100, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 },
      { minNotional: 100, maxNotional: 500, maxLeverage: 20, maintenanceRate: 0.02, maintenanceAmount: 0 },
      { minNotional: 500, maxNotional: 9000, maxLeverage: 10, maintenanceRate: 0.03, maintenanceAmount: 0 },
    ];
    expect(maxStake({ ...instrument, leverageTiers: tiers }, 10, 50, okx, parityQuirks)).toBe(180);
    expect(maxStake({ ...instrument, leverageTiers: tiers }, 10, 50, settings, parityQuirks)).toBe(2);
    expect(maxStake({ ...instrument, leverageTiers: [] }, 10, 1, okx, parityQuirks)).toBe(Infinity);
    expect(largestStakeRuleOf('gate')).toBe('tier-of-leverage');
  });
  test('is raised or lowered into the limits, or refused', () => {
    const limits = { min: 10, max: 100, available: 80, tiedInTrade: 0 };
    expect(fitStake(50, limits)).toBe(50);
    expect(fitStake(9, limits)).toBe(10);
    expect(fitStake(7, limits)).toBe(null);
    expect(fitStake(90, limits)).toBe(80);
    expect(fitStake(0, limits)).toBe(null);
    expect(fitStake(50, { ...limits, available: 5 })).toBe(null);
    expect(fitStake(50, { ...limits, tiedInTrade: 70 })).toBe(30);
    expect(fitStake(50, { ...limits, tiedInTrade: 10 })).toBe(50);
    expect(fitStake(90, { ...limits, tiedInTrade: 10 })).toBe(80);
    expect(fitStake(50, { ...limits, tiedInTrade: 91 })).toBe(null);
    expect(fitStake(10, { ...limits, available: 10 })).toBe(10);
    expect(fitStake(10 / 1.3 + 0.001, limits)).toBe(10);
    expect(fitStake(10, { ...limits, min: 13 })).toBe(13);
    expect(fitStake(-5, { ...limits, min: -10 })).toBe(null);
    expect(fitStake(Number.NaN, limits)).toBe(null);
    expect(fitStake(0, { ...limits, min: 0 })).toBe(null);
  });
});

test('leverage is that of the tier whose stakes contain the stake', () => {
  expect(maxLeverageFor(instrument, 0)).toBe(20);
  expect(maxLeverageFor(instrument, 100)).toBe(20);
  expect(maxLeverageFor(instrument, 101)).toBe(10);
  expect(maxLeverageFor(instrument, 5001)).toBe(null);
  expect(maxLeverageFor({ ...instrument, leverageTiers: [] }, 1e9)).toBe(20);
  expect(maxLeverageFor({ ...instrument, marketType: 'spot' }, 100)).toBe(1);
});

test('the tiers begin where their stakes end at the leverage of the tier before', () => {
  const tier = (minNotional: number, maxNotional: number, maxLeverage: number) => ({
    minNotional,
    maxNotional,
    maxLeverage,
    maintenanceRate: 0.01,
    maintenanceAmount: 0,
  });
  // Stakes of 5 to 100, then of 100 to 400.
  const tiers = { ...instrument, leverageTiers: [tier(100, 2000, 20), tier(2000, 4000, 10)] };
  expect([4.99, 5, 100, 100.01, 400, 400.01].map((stake) => maxLeverageFor(tiers, stake))).toEqual([null, 20, 20, 10, 10, null]);
  expect(maxLeverageFor(tiers, 0)).toBe(20);
  expect(maxLeverageFor({ ...instrument, leverageTiers: [], maxLeverage: 0.5 }, 100)).toBe(1);
});
