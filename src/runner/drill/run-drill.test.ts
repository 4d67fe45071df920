import { describe, expect, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { SettingsInput } from '#engine/settings/normalise-settings.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { orderTimes } from '../orders/order-times.ts';
import type { DrillPlan } from './drill-plan.ts';
import { runDrill } from './run-drill.ts';

const { size, seed } = runSize(1);

const spot = anInstrument({ minCost: 5, amountStep: 0.00001 });
const perpetual = (base: string) =>
  anInstrument({
    symbol: `${base}/USDT:USDT`,
    base,
    marketType: 'futures',
    maxLeverage: 20,
    makerFee: 0.0002,
    takerFee: 0.0005,
    minCost: 5,
  });
const terms = {
  marketType: 'spot',
  stakeAmount: 100,
  maxOpenTrades: 1,
  startingBalance: 100,
  tradableBalanceRatio: 1,
  amendLastStakeAmount: true,
  stoploss: -0.05,
  minimalRoi: { 0: 0.02 },
  maxConsecutiveLosses: 3,
  orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
  unfilledTimeout: { entryMs: 60_000, exitMs: 60_000 },
  entryPricing: { side: 'same', useOrderBook: true },
  exitPricing: { side: 'same', useOrderBook: true },
} as const satisfies SettingsInput;
const onSpot: DrillPlan = { seed, settings: requireSettings(terms), timeInForce: {}, pairs: [{ instrument: spot, price: 60_000 }] };
const onFutures: DrillPlan = {
  ...onSpot,
  settings: requireSettings({
    ...terms,
    marketType: 'futures',
    canShort: true,
    leverage: 3,
    marginMode: 'isolated',
    liquidationFormula: 'binance',
    maxOpenTrades: 2,
    startingBalance: 200,
  }),
  pairs: ['BTC', 'ETH', 'SOL'].map((base) => ({ instrument: perpetual(base), price: 100 })),
};

const counted = ['kills', 'freezes', 'faults', 'orders', 'lostAnswers', 'stops', 'longestWithoutStopMs', 'trades'] as const;

describe('a drill', () => {
  test.each([
    ['spot', onSpot],
    ['perpetuals', onFutures],
  ])('trades an hour of the settings while all kinds of things go wrong: %s', { timeout: 600_000 + size * 2_000 }, async (market, plan) => {
    const sums = Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>;
    for (let run = 0; run < size; run++) {
      const result = await runDrill({ ...plan, seed: seed * 1_000 + run });
      expect(result.differences, `seed ${seed * 1_000 + run}`).toEqual([]);
      expect(result).toMatchObject({ minutes: 60, pairs: plan.pairs.map(({ instrument }) => instrument.symbol) });
      for (const name of counted)
        sums[name] = name === 'longestWithoutStopMs' ? Math.max(sums[name], result[name]) : sums[name] + result[name];
    }
    for (const name of counted) expect(sums[name], name).toBeGreaterThan(0);
    report(`drills on ${market}, ${size} from seed ${seed * 1_000}: ${JSON.stringify(sums)}`);
  });

  test('of the same seed is the same', async () => {
    expect(await runDrill(onSpot)).toEqual(await runDrill(onSpot));
  });

  test('finds a protocol that lets requests live on for long and does not wait for it', async () => {
    const times = { ...orderTimes, expiry: 20_000, margin: -18_000 };
    let seedNow = 0;
    while ((await runDrill({ ...onFutures, seed: seedNow }, times)).differences.length === 0) expect((seedNow += 1)).toBeLessThan(50);
  });

  test('says what could not be sold, where the smallest order is as large as the stake', async () => {
    const coarse = anInstrument({ amountStep: 0.001 });
    const { leftovers, differences } = await runDrill({ ...onSpot, seed: 0, pairs: [{ instrument: coarse, price: 60_000 }] }); // its fees are in coins
    expect({ leftovers, differences }).toEqual({
      leftovers: [expect.stringMatching(/^0.00\d+ BTC are left, worth [\d.]+ USDT: less than the smallest order\.$/u)],
      differences: [],
    });
  });

  test('counts why signals did not become entries', async () => {
    const { orders, refusals, differences } = await runDrill({
      ...onSpot,
      pairs: [{ instrument: anInstrument({ minCost: 500 }), price: 60_000 }],
    });
    expect({ orders, differences }).toEqual({ orders: 0, differences: [] });
    expect(refusals).toEqual([{ gate: 'stake-too-small', count: expect.any(Number) }]);
  });
});
