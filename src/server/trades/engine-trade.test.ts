import { toStoredTrade } from '#engine/bot/stored-state.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { expect, test } from 'vitest';
import { engineTrade } from './engine-trade.ts';

test('a stored trade is read as it was, with what else is kept beside it left out', () => {
  const trade = aTrade({ id: 7, amount: 2 });
  const stored = JSON.parse(JSON.stringify({ ...toStoredTrade(trade), confidence: 0.4 })) as Record<string, unknown>;
  expect(engineTrade(stored)).toEqual(JSON.parse(JSON.stringify(trade)));
  expect(engineTrade(stored)).toBe(engineTrade(stored));
});

test.each([[null], [{}], [{ version: 99 }], [{ version: 2, id: 7 }]])('what cannot be read is no trade: %j', (stored) => {
  expect(engineTrade(stored)).toBeNull();
});
