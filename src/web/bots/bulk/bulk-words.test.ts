import { expect, test } from 'vitest';
import { aBot } from '../../testing/samples/bots.ts';
import { bulkConsequence } from './bulk-words.ts';

test('activating says that orders with real money follow as soon as one of the bots is live', () => {
  const [paper, testnet, live] = [aBot(1), aBot(2, { mode: 'live' }), aBot(3, { mode: 'live', exchange_id: 'binance' })];
  const real = 'From then on the live ones send real orders with real money.';
  expect(bulkConsequence('activate', [paper, live], 0, 0)).toBe(real);
  expect(bulkConsequence('activate', [live], 0, 0)).toBe(real);
  expect(bulkConsequence('activate', [paper, testnet], 0, 0)).toBe('None of them sends orders with real money.');
});

test('stopping says that trades are closed wherever it is not known that there is none', () => {
  const bots = [aBot(1), aBot(2)];
  expect(bulkConsequence('stop', bots, 0, 0)).toBe('They hold no open trade, and open orders are cancelled.');
  expect(bulkConsequence('stop', bots, 1, 0)).toBe('1 open trade is closed at market, and open orders are cancelled.');
  expect(bulkConsequence('stop', bots, 0, 2)).toBe('Whatever they hold is closed at market, and open orders are cancelled.');
  expect(bulkConsequence('stop', bots, 3, 1)).toBe('Whatever they hold is closed at market, and open orders are cancelled.');
});
