import { expect, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { choosePairs } from './choose-pairs.ts';

const instruments = ['BTC/USDT', 'ETH/USDT', 'DOGE/USDT'].map((symbol) => anInstrument({ symbol, base: symbol.split('/')[0] ?? '' }));
const none = { closed: [], open: [] };

test('what the configuration excludes is not traded, whether it is named or fits a pattern', () => {
  const chosen = (pairs: string[], excluded: string[]) =>
    choosePairs({ pairs, excluded, stakeCurrency: 'USDT' }, none, instruments, 'binance').chosen;
  expect(chosen(['.*/USDT'], [])).toEqual(['BTC/USDT', 'ETH/USDT', 'DOGE/USDT']);
  expect(chosen(['.*/USDT'], ['DOGE/.*'])).toEqual(['BTC/USDT', 'ETH/USDT']);
  expect(chosen(['BTC/USDT', 'DOGE/USDT'], ['DOGE/USDT'])).toEqual(['BTC/USDT']);
});
