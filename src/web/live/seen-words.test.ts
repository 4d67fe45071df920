import { expect, test } from 'vitest';
import { seenText } from './seen-words.ts';

test('ADD-bot-decisions: what was seen is said with the numbers that refused; what is not known is left out', () => {
  const near = { direction: 'long', name: 'RSI', value: 31, threshold: 30 } as const;
  expect(seenText({})).toBe('');
  expect(seenText({ seen: { near, values: { rsi: 31 } } })).toBe('RSI 31 of 30; rsi 31');
  expect(seenText({ seen: { numbers: { until: Date.UTC(2026, 10, 21, 4) } } })).toBe('locked until 2026-11-21 04:00');
  expect(seenText({ seen: { numbers: { stake: 200, available: 150 }, price_age_ms: 700 } })).toBe('stake 200, free 150; price 0.7 s old');
  expect(seenText({ seen: { numbers: { stake: 2, available: 150, limit: 5 } } })).toBe('stake 2, free 150, limit 5');
});

test('ADD-bot-decisions: a limit that refused an entry is said with whose it is, its value and what was used', () => {
  const said = (gate: string, limit: { level: 'bot' | 'user' | 'server'; use: number; value: number }) =>
    seenText({ seen: { limit }, gate, symbol: 'BTC/USDT' });
  expect(said('limit-order-value', { level: 'bot', use: 450, value: 300 })).toBe("the bot's limit is $300.00, with this entry $450.00");
  expect(said('limit-daily-loss', { level: 'user', use: 61.5, value: 50 })).toBe("the owner's limit is $50.00, so far $61.50");
  expect(said('limit-drawdown', { level: 'bot', use: 0.31, value: 0.3 })).toBe("the bot's limit is 30.00%, so far 31.00%");
  expect(said('limit-price-collar', { level: 'server', use: 0.025, value: 0.02 })).toBe(
    "the server's limit is 2.00%, with this entry 2.50%",
  );
  expect(said('limit-open-orders', { level: 'server', use: 2001, value: 2000 })).toBe("the server's limit is 2000, with this entry 2001");
  expect(said('limit-leverage', { level: 'user', use: 20, value: 10 })).toBe("the owner's limit is 10x, with this entry 20x");
});
