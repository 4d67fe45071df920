import { expect, test } from 'vitest';
import { effectiveSettings } from './effective-settings.ts';

const strategy = {
  timeframe: '5m',
  stoploss: -0.1,
  minimalRoi: { 0: 0.05 },
  trailingStop: true,
  trailingStopPositive: 0.02 as number | null,
  trailingStopPositiveOffset: 0.03,
  trailingOnlyOffsetIsReached: true,
  maxConsecutiveLosses: 5,
};

test('OP-32 a bot that sets nothing trades with its strategy', () => {
  expect(effectiveSettings({}, strategy)).toEqual(strategy);
});

test.each([
  ['timeframe', '1h'],
  ['stoploss', -0.02],
  ['minimalRoi', {}],
  ['trailingStop', false],
  ['trailingStopPositive', 0.01],
  ['trailingStopPositive', null],
  ['trailingStopPositiveOffset', 0],
  ['trailingOnlyOffsetIsReached', false],
  ['maxConsecutiveLosses', 0],
])('OP-32 its own %s of %j counts, zero, false and empty too, and nothing else changes', (name, value) => {
  expect(effectiveSettings({ [name]: value }, strategy)).toEqual({ ...strategy, [name]: value });
});

test.each(Object.keys(strategy).filter((name) => name !== 'trailingStopPositive'))('OP-32 a %s of null or undefined is none', (name) => {
  expect(effectiveSettings({ [name]: null }, strategy)).toEqual(strategy);
  expect(effectiveSettings({ [name]: undefined }, strategy)).toEqual(strategy);
});

test('only what the strategy names is given: a bot has more fields than its settings', () => {
  expect(effectiveSettings({ stoploss: null, timeframe: '1h', nickname: 'a' } as { stoploss: null }, { stoploss: '-0.1' })).toEqual({
    stoploss: '-0.1',
  });
});

test('OP-32 of order types and times in force each entry counts by itself', () => {
  const types = { orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' }, orderTimeInForce: { entry: 'GTC', exit: 'GTC' } };
  const own = { orderTypes: { entry: 'market' }, orderTimeInForce: { exit: 'IOC' } };
  expect(effectiveSettings<{ orderTypes: object; orderTimeInForce: object }>(own, types)).toEqual({
    orderTypes: { entry: 'market', exit: 'limit', stoploss: 'market' },
    orderTimeInForce: { entry: 'GTC', exit: 'IOC' },
  });
  expect(effectiveSettings({ orderTypes: null }, types)).toEqual(types);
});

test('OP-32 a risk reward ratio of null is a value: there is none', () => {
  const ofStrategy = { riskRewardRatio: 2.5 as number | null };
  expect(effectiveSettings({ riskRewardRatio: null }, ofStrategy)).toEqual({ riskRewardRatio: null });
  expect(effectiveSettings({ riskRewardRatio: 3 }, ofStrategy)).toEqual({ riskRewardRatio: 3 });
  expect(effectiveSettings({}, ofStrategy)).toEqual(ofStrategy);
});
