import { expect, test } from 'vitest';
import { largestPosition, testAccount, testStake } from './test-account.ts';

const plan = (distance: number, stake: number, most: number, isOff?: boolean) => ({
  addMore: { distance, stake, most, ...(isOff === undefined ? {} : { isOff }) },
  takeOut: [],
});

test('the capital of a replay carries the largest position of the plan', () => {
  expect(largestPosition(null)).toBe(1);
  expect(largestPosition(plan(0.01, 0.5, 2))).toBe(2);
  expect(largestPosition(plan(0.01, 0.5, 2, true))).toBe(1);
  expect(testAccount({ positionPlan: plan(0.01, 0.5, 3) }, 'USDT')).toEqual({ stake: 300, slots: 3 });
  expect(testAccount({ positionPlan: null }, 'BTC')).toEqual({ stake: 0.01, slots: 1 });
});

test('money that is written with two decimals is staked in hundreds', () => {
  expect(['USDT', 'EUR', 'BTC', 'ETH'].map(testStake)).toEqual([300, 300, 0.01, 0.01]);
});
