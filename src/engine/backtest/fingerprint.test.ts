import { expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { fingerprintLines } from './fingerprint.ts';

test('a line names what must be the same in two runs; what is not known yet counts as 0', () => {
  const closed = aTrade({
    openTime: 1,
    closeTime: 2,
    openRate: 100.5,
    closeRate: 99.123456789,
    amount: 3,
    exitReason: 'roi',
    profit: -1.5,
  });
  expect(fingerprintLines([closed, aTrade({ direction: 'short' })])).toEqual([
    'BTC/USDT,long,1,2,100.50000000,99.12345679,3.00000000,roi,-1.50000000',
    'BTC/USDT,short,0,,100.00000000,0.00000000,0.00000000,,0.00000000',
  ]);
});
