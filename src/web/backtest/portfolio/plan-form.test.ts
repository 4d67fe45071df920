import { expect, test } from 'vitest';
import { portfolioTexts } from '#contract/portfolios.ts';
import { portfolioPlan } from '#contract/portfolios.ts';
import { candlesOf, detailsFor, issuesOf, pastedPairs, planFormAt, planOf } from './plan-form.ts';

const today = '2026-11-25';
const form = { ...planFormAt(today), pairs: ['BTC/USDT', 'ETH/USDT'] };

test('a filled form has no issues, and its plan is one that the contract takes', () => {
  expect(issuesOf(form, today)).toEqual({});
  const plan = planOf(
    { ...form, feePercent: 0.1, slippagePercent: '0.02', tradingMode: 'futures', leverage: 3, isUnlimited: false },
    'Sandbox',
  );
  expect(plan).toMatchObject({
    fee_ratio: 0.001,
    slippage_ratio: 0.0002,
    leverage: 3,
    stake_amount: 100,
    from: '2026-08-27',
    to: '2026-11-24',
  });
  expect(portfolioPlan.parse(plan)).toEqual(plan);
  const on = {
    cooldown: { isOn: true, stopMinutes: 30 },
    stoplossGuard: { isOn: true, tradeLimit: 3, lookbackMinutes: 60, stopMinutes: 60 },
  };
  expect(portfolioPlan.parse(planOf({ ...form, protections: on }, 'Sandbox')).protections).toHaveLength(2);
});

test.each([
  ['pairs', { pairs: [] }, portfolioTexts.pairs],
  ['pairs', { pairs: ['BTC/USDT', 'ETH/USDC'] }, portfolioTexts.quotes],
  ['pairs', { pairs: ['BTC/USDT:USDT', 'ETH/USDC:USDC'] }, portfolioTexts.quotes],
  ['range', { from: '2026-11-20', to: '2026-11-19' }, portfolioTexts.range],
  ['range', { to: '2026-11-26' }, portfolioTexts.range],
  ['range', { from: '' }, portfolioTexts.range],
  ['range', { from: '2020-01-01' }, portfolioTexts.tooLong],
  ['slots', { slots: 1.5 }, portfolioTexts.slots],
  ['slots', { slots: '' }, portfolioTexts.slots],
  ['balance', { balance: 0 }, portfolioTexts.balance],
  ['stake', { isUnlimited: false, stake: 1_001 }, portfolioTexts.stakeAboveBalance],
  ['stake', { isUnlimited: false, stake: '' }, portfolioTexts.stake],
  ['leverage', { tradingMode: 'futures', leverage: 0 }, portfolioTexts.leverage],
  ['fee', { feePercent: 6 }, portfolioTexts.fee],
  ['slippage', { slippagePercent: '' }, portfolioTexts.slippage],
] as const)('%s %j', (field, given, sentence) => {
  expect(issuesOf({ ...form, ...given } as typeof form, today)).toEqual({ [field]: sentence });
});

test('a stake of an unlimited form, and the leverage of spot, are not asked about', () => {
  expect(issuesOf({ ...form, stake: '', leverage: '' }, today)).toEqual({});
  expect(planOf({ ...form, stake: '', leverage: 7 }, 'Sandbox')).toMatchObject({ stake_amount: null, leverage: 1 });
});

test('pasted pairs are found however they are written', () => {
  const offered = ['BTC/USDT:USDT', 'ETH/USDT:USDT'];
  expect(pastedPairs('["BTC/USDT", "ethusdt",\nNOPE/USDT] BTC/USDT:USDT', offered)).toEqual({ pairs: offered, unknown: ['NOPE/USDT'] });
});

test('candles of a form, and the timeframes of its details', () => {
  expect(candlesOf({ ...form, from: '2026-11-01', to: '2026-11-10', timeframe: '1h', detailTimeframe: '15m' })).toBe(2 * 10 * (24 + 96));
  expect(detailsFor('5m')).toEqual(['1m']);
  expect(detailsFor('1m')).toEqual([]);
});
