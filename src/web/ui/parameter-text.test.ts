import { expect, test } from 'vitest';
import { defaultText, parameterTitle, rangeText } from './parameter-text.ts';

const parameter = { name: 'margin', meaning: 'A margin.', default: 0.1, min: 0, max: 1, step: 0.1, unit: 'average true ranges' };

test('a parameter is named and counted as a person would', () => {
  expect(['fastPeriod', 'kPeriod', 'margin', 'lastEntryMinute'].map(parameterTitle)).toEqual([
    'Fast Period',
    'K Period',
    'Margin',
    'Last Entry Minute',
  ]);
  expect([defaultText(parameter), rangeText(parameter)]).toEqual(['0.1 average true ranges', 'Range 0 to 1 in steps of 0.1.']);
  expect(defaultText({ ...parameter, unit: '' })).toBe('0.1');
});

test('a switch is on or off, and has no range', () => {
  const squeeze = { ...parameter, default: 0, max: 1, step: 1, unit: 'switch' };
  expect([defaultText(squeeze), defaultText({ ...squeeze, default: 1 }), rangeText(squeeze)]).toEqual(['off', 'on', '']);
});
