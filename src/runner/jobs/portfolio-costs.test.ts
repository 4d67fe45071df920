import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { expect, test } from 'vitest';
import { aPlan } from '#storage/testing/a-backtest.ts';
import { withCosts } from './portfolio-costs.ts';

const plain = requireSettings({ stoploss: -0.1, stakeAmount: 100, maxOpenTrades: 1, startingBalance: 1_000 });

test.each([
  ['the fee of a maker is the lower one', { takerFee: 0.001, makerFee: 0.0002 }],
  ['the fee of a taker is the lower one', { takerFee: 0.0002, makerFee: 0.001 }],
])('beside slippage each fill pays the higher fee of the market where %s', (_, fees) => {
  const { settings, slippageShare } = withCosts(plain, { ...aPlan, fee_ratio: null, slippage_ratio: 0.0005 }, fees);
  expect(settings.fee).toBeCloseTo(0.0015, 12);
  expect(slippageShare).toBeCloseTo(1 / 3, 12);
});
