import { expect, test } from 'vitest';
import { tradingOf } from './use-trading-of.ts';

const bot = { id: 'bot', ownerId: 'owner' };
const ofServer = { level: 'server', id: null } as const;
const ofBot = { level: 'bot', id: 'bot' } as const;

test('the strongest of the switches that concern a bot holds, wherever it stands among them', () => {
  const reduced = { ...ofServer, state: 'reducing' } as const;
  const halted = { ...ofBot, state: 'halted' } as const;
  expect(tradingOf([reduced, halted], bot)).toBe('halted');
  expect(tradingOf([halted, reduced], bot)).toBe('halted');
  expect(
    tradingOf(
      [
        { ...ofServer, state: 'halted' },
        { ...ofBot, state: 'active' },
      ],
      bot,
    ),
  ).toBe('halted');
});

test('switches of others do not hold for a bot', () => {
  const others = [
    { level: 'bot', id: 'another bot', state: 'halted' },
    { level: 'user', id: 'another owner', state: 'halted' },
  ] as const;
  expect(tradingOf(others, bot)).toBe('active');
  expect(tradingOf([...others, { level: 'user', id: 'owner', state: 'reducing' }], bot)).toBe('reducing');
});
