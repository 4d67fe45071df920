import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Wallet } from '../account/wallet.ts';
import type { Instrument } from '../market/instrument.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { entryAmount, entryPrice, furtherEntryAmount, newTrade, sizeEntry } from './entry.ts';
import type { QuirkName } from './quirks.ts';
import { parityQuirks, withoutQuirks } from './quirks.ts';

const question = { symbol: 'BTC/USDT', time: 7, direction: 'long', tag: 'up' } as const;
const settingsOf = (given: Partial<SettingsInput> = {}) =>
  requireSettings({ stakeAmount: 100, maxOpenTrades: 3, stoploss: -0.1, ...given });

describe('the price of an entry', () => {
  const bar = { time: 7, open: 105, high: 115, low: 85, close: 95 };
  const price =
    (wished: number | null, given: Partial<SettingsInput> = {}, direction: 'long' | 'short' = 'long') =>
    () =>
      entryPrice({ ...question, direction }, bar, 0.1, settingsOf(given), { entryPrice: () => wished });
  test.each<[string, () => number, number]>([
    ['is the open', () => entryPrice(question, bar, 0.1, settingsOf(), {}), 105],
    ['is the open where the strategy asks nothing', price(null), 105],
    ['is what the strategy asks, rounded to the tick', price(100.06), 100.1],
    ['of a market order is the open', price(100, { orderTypes: { entry: 'market' } }), 105],
    ['is not above the bar', price(120), 115],
    ['may lie below the bar: it waits', price(50), 50],
    ['of a short is not below the bar', price(50, {}, 'short'), 85],
    ['of a short may lie above the bar', price(120, {}, 'short'), 120],
    ['is the open as it is, not rounded', () => entryPrice(question, { ...bar, open: 105.05 }, 0.1, settingsOf(), {}), 105.05],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });
  test('the strategy is asked with the open and the trade, if there is one', () => {
    const seen: unknown[] = [];
    const asks: StrategyCallbacks = { entryPrice: (entry) => (seen.push(entry), null) };
    const trade = aTrade();
    entryPrice(question, bar, 0.1, settingsOf(), asks);
    entryPrice(question, bar, 0.1, settingsOf(), asks, trade);
    expect(seen).toEqual([
      { ...question, proposedPrice: 105, trade: null },
      { ...question, proposedPrice: 105, trade },
    ]);
  });
});

describe('the size of an entry', () => {
  const wallet: Wallet = { free: 1000, tied: 0, total: 1000, available: 1000 };
  const futures = { marketType: 'futures', maxLeverage: 20 } as const;
  const size =
    (
      settings: Partial<SettingsInput> = {},
      instrument: Partial<Instrument> = {},
      callbacks: StrategyCallbacks = {},
      available = 1000,
      without: QuirkName[] = [],
    ) =>
    () =>
      sizeEntry(
        question,
        { entry: 10, market: 9.5 },
        { ...wallet, available },
        anInstrument(instrument),
        settingsOf(settings),
        callbacks,
        withoutQuirks(without),
      );
  const leveraged =
    (asked: number | undefined, configured = 3, without: QuirkName[] = []) =>
    () => {
      const callbacks = asked === undefined ? {} : { leverage: () => asked };
      const found = size({ marketType: 'futures', leverage: configured }, futures, callbacks, 1000, without)();
      return found.ok ? found.size : found;
    };
  const staked = (asked: number, instrument: Partial<Instrument> = {}) => size({}, instrument, { stake: () => asked });
  const no = (reason: string, stake: number, available: number, limit: number | null) => ({
    ok: false,
    reason,
    facts: { stake, available, limit },
  });

  test.each<[string, () => unknown, unknown]>([
    ['is what the stake buys', size(), { ok: true, size: { stake: 100, amount: 10, leverage: 1 } }],
    [
      'is cut to the step, and the stake with it',
      size({ stakeAmount: 99 }, { amountStep: 1 }),
      { ok: true, size: { stake: 90, amount: 9, leverage: 1 } },
    ],
    ['grows with leverage', leveraged(undefined), { stake: 100, amount: 30, leverage: 3 }],
    ['takes the leverage of the strategy', leveraged(5), { stake: 100, amount: 50, leverage: 5 }],
    [
      'leverageOnlyFromCallback takes that of the settings',
      leveraged(5, 3, ['leverageOnlyFromCallback']),
      { stake: 100, amount: 30, leverage: 3 },
    ],
    ['takes no more leverage than the market allows', leveraged(50), { stake: 100, amount: 200, leverage: 20 }],
    ['takes no leverage below 1', leveraged(0.5), { stake: 100, amount: 10, leverage: 1 }],
    ['has no leverage on spot', size({}, {}, { leverage: () => 5 }), { ok: true, size: { stake: 100, amount: 10, leverage: 1 } }],
    ['is the wish of the strategy', staked(50), { ok: true, size: { stake: 50, amount: 5, leverage: 1 } }],
    ['is raised to the smallest', staked(50, { minAmount: 5 }), { ok: true, size: { stake: 52.5, amount: 5.25, leverage: 1 } }],

    ['needs the balance', size({}, {}, {}, 99), no('insufficient-balance', 100, 99, null)],
    ['is refused by the strategy', staked(0), no('refused-by-strategy', 0, 1000, null)],
    ['is refused by a strategy that gives no number', staked(Number.NaN), no('refused-by-strategy', Number.NaN, 1000, null)],
    [
      'is too large for the last tier',
      size({ ...futures, marketType: 'futures' }, { ...futures, leverageTiers: [tier(0, 500, 10)] }),
      no('stake-too-large', 100, 1000, null),
    ],
    [
      'is too large for the market, where its limits leave none',
      size({}, { minAmount: 5, maxCost: 40 }),
      no('stake-too-large', 100, 1000, 40),
    ],
    ['is too small', staked(50, { minAmount: 10 }), no('stake-too-small', 50, 1000, 105)],
    ['has no balance for the smallest', size({ stakeAmount: 90 }, { minAmount: 10 }, {}, 95), no('insufficient-balance', 90, 95, 105)],
    [
      'is too small by itself, whatever the balance',
      size({ stakeAmount: 80 }, { minAmount: 10 }, {}, 95),
      no('stake-too-small', 80, 95, 105),
    ],
    [
      'of an unlimited stake lacks the balance',
      size({ stakeAmount: 'unlimited' }, { minAmount: 10 }, {}, 95),
      no('insufficient-balance', 95 / 3, 95, 105),
    ],
    [
      'lacks the balance, where the smallest is the largest too',
      size({ stakeAmount: 40, amountReserveRatio: 0 }, { minAmount: 5, maxCost: 50 }, {}, 45),
      no('insufficient-balance', 40, 45, 50),
    ],
    [
      'is too small where the balance is just the smallest',
      size({ stakeAmount: 50, amountReserveRatio: 0 }, { minAmount: 5 }, { stake: () => 10 }, 50),
      no('stake-too-small', 10, 50, 50),
    ],
    ['is less than a step of the amount', size({}, { amountStep: 11 }), no('amount-too-small', 100, 1000, null)],
    [
      'of the last stake would be too small a share',
      size({ amendLastStakeAmount: true, lastStakeAmountMinRatio: 0.4 }, {}, {}, 40),
      no('insufficient-balance', 100, 40, 40),
    ],
    [
      'may be smaller for the last stake',
      size({ amendLastStakeAmount: true }, {}, {}, 60),
      { ok: true, size: { stake: 60, amount: 6, leverage: 1 } },
    ],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  test('minimumStakeAssumesConstantStop the smallest stake is made for a stop of 5 per cent; without it for the real one', () => {
    const smallest = (without: QuirkName[]) => {
      let min = 0;
      size({ stoploss: -0.2 }, { minCost: 10 }, { stake: ({ minStake }) => (min = minStake) }, 1000, without)();
      return min;
    };
    expect(smallest([])).toBeCloseTo((10 * 1.05) / 0.95, 10);
    expect(smallest(['minimumStakeAssumesConstantStop'])).toBeCloseTo((10 * 1.05) / 0.8, 10);
  });

  test('the strategy is asked with price, leverage and limits', () => {
    const seen: unknown[] = [];
    const callbacks: StrategyCallbacks = {
      leverage: (entry) => (seen.push(entry), 4),
      stake: (entry) => (seen.push(entry), entry.proposedStake),
    };
    size({ marketType: 'futures', leverage: 3 }, { ...futures, maxCost: 800 }, callbacks, 150)();
    size({ marketType: 'futures', leverage: 3 }, { ...futures, maxCost: 800 }, callbacks, 1000)();
    size({}, {}, callbacks, 150)(); // on spot there is no leverage to ask for
    const asked = { ...question, price: 9.5, proposedLeverage: 3, maxLeverage: 20 }; // that of the market, before its own
    const stake = { ...question, price: 10, leverage: 4, proposedStake: 100, minStake: 0 };
    expect(seen).toEqual([
      asked,
      { ...stake, maxStake: 150 },
      asked,
      { ...stake, maxStake: 200 },
      { ...stake, leverage: 1, maxStake: 150 },
    ]);
  });
});

describe('the amount of a further entry', () => {
  const trade = aTrade({ leverage: 2, stake: 100 });
  const more =
    (stake: number, given: Partial<Instrument>, available = 1000) =>
    () =>
      furtherEntryAmount(trade, stake, 10, available, anInstrument(given), settingsOf(), parityQuirks);
  test.each<[string, () => number, number]>([
    ['is what the stake buys with the leverage of the trade', more(50, {}), 10],
    ['is limited by what is free', more(50, {}, 40), 8],
    ['is limited by what the trade has already', more(50, { maxCost: 240 }), 4],
    ['is none when that leaves nothing', more(50, { maxCost: 200, minCost: 1 }), 0],
    // (10 coins at 10, with a reserve of 5 per cent) at twice the leverage
    ['is raised to the smallest', more(50, { minAmount: 10 }), 10.5],
    ['is none far below the smallest', more(40, { minAmount: 10 }), 0],
    ['has no reserve for a stop', more(50, { minCost: 100 }), 10.5],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });
  test('is cut to whole contracts', () => {
    expect(entryAmount(100, 10, 2, anInstrument({ amountStep: 1, contractSize: 3 }))).toBe(18);
  });
});

describe('a new trade', () => {
  const start = {
    id: 5,
    instrument: anInstrument({ amountStep: 0.1, contractSize: 3, priceTick: 0.5 }),
    direction: 'short',
    time: 7,
    tag: 'down',
    price: 100,
    size: { stake: 50, amount: 1, leverage: 2 },
    priceTick: 0.05,
    feeOpen: 0.001,
    feeClose: 0.002,
    settings: settingsOf({ marketType: 'margin', interestRate: 0.01, interestScheme: 'kraken' }),
  } as const;
  test('holds nothing yet; its stake is tied up, its stop is not set', () => {
    const { interest, ...trade } = newTrade(start);
    expect(interest).toEqual({ scheme: 'kraken', ratePerPeriod: 0.01 });
    expect(trade).toEqual({
      id: 5,
      symbol: 'BTC/USDT',
      direction: 'short',
      marketType: 'margin',
      leverage: 2,
      openTime: 7,
      closeTime: null,
      enterTag: 'down',
      exitReason: null,
      isOpen: true,
      orders: [],
      priceTick: 0.05,
      amountStep: 0.1,
      contractSize: 3,
      feeOpen: 0.001,
      feeClose: 0.002,
      amount: 0,
      stake: 50,
      stakeMax: 0,
      openRate: 100,
      openValue: 0,
      closeRate: null,
      stop: 0,
      stopRatio: -0.1,
      initialStop: 0,
      initialStopRatio: -0.1,
      isStopTrailing: false,
      liquidationPrice: null,
      minRate: 100,
      maxRate: 100,
      fundingRunning: 0,
      fundingFees: 0,
      realizedProfit: 0,
      profit: null,
      profitRatio: null,
    });
  });
  test('owes interest on margin only', () => {
    expect(newTrade({ ...start, settings: settingsOf({ marketType: 'futures', interestRate: 0.01 }) }).interest).toBe(null);
  });
});

function tier(minNotional: number, maxNotional: number, maxLeverage: number) {
  return { minNotional, maxNotional, maxLeverage, maintenanceRate: 0.01, maintenanceAmount: 0 };
}
