import { expect, test } from 'vitest';
import { OrderMemory } from './order-memory.ts';

test('orders of two symbols that have the same number are two', () => {
  const memory = new OrderMemory();
  memory.note('BTC/USDT', '7', { clientOrderId: 'bitcoin', createdTime: 1 });
  memory.note('ETH/USDT', '7', { clientOrderId: 'ether', createdTime: 2 });
  expect(memory.of('BTC/USDT', '7')).toEqual({ clientOrderId: 'bitcoin', createdTime: 1 });
  expect(memory.of('ETH/USDT', '7')).toEqual({ clientOrderId: 'ether', createdTime: 2 });
  expect(memory.of('SOL/USDT', '7')).toBeNull();
  expect(memory.hasClientId('BTC/USDT', 'bitcoin')).toBe(true);
  expect(memory.hasClientId('ETH/USDT', 'bitcoin')).toBe(false);
});
