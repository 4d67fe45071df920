import type { MarketData } from '#engine/ports/market-data.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { expect, test } from 'vitest';
import { Markets } from './markets.ts';

const instrument = anInstrument({ symbol: 'BTC/USDT' });
const offered = [
  { id: 'sandbox', name: 'Sandbox' },
  { id: 'binance', name: 'Binance' },
];

/** Market data that knows one instrument and counts how often it was closed. */
function openable() {
  const opened: string[] = [];
  const closed: string[] = [];
  const open = async (exchangeId: string, marketType: string): Promise<MarketData> => {
    opened.push(`${exchangeId} ${marketType}`);
    return {
      exchangeId,
      marketType,
      instrument: async (symbol: string) => (symbol === instrument.symbol ? instrument : null),
      close: async () => void closed.push(`${exchangeId} ${marketType}`),
    } as unknown as MarketData;
  };
  return { open, opened, closed };
}

test('an exchange is found by its id and by its name, and one that is not offered is not found', () => {
  const markets = new Markets(offered, openable().open);
  expect(markets.find('binance')).toBe(offered[1]);
  expect(markets.find('Binance')).toBe(offered[1]);
  expect(markets.find('kraken')).toBeUndefined();
});

test('the market data of an exchange and market type is opened once, also for two that ask at once', async () => {
  const { open, opened } = openable();
  const markets = new Markets(offered, open);
  const [one, two] = await Promise.all([markets.market('sandbox', 'spot'), markets.market('sandbox', 'spot')]);
  expect(one).toBe(two);
  expect(await markets.market('sandbox', 'futures')).not.toBe(one);
  expect(opened).toEqual(['sandbox spot', 'sandbox futures']);
});

test('a market that could not be opened is opened again by the next who asks', async () => {
  const { open } = openable();
  let failures = 1;
  const markets = new Markets(offered, async (...of) => {
    if (failures-- > 0) throw new Error('not reachable');
    return open(...of);
  });
  await expect(markets.market('sandbox', 'spot')).rejects.toThrow('not reachable');
  expect(await markets.market('sandbox', 'spot')).toMatchObject({ exchangeId: 'sandbox' });
});

test('an instrument is that of its exchange, or null', async () => {
  const markets = new Markets(offered, openable().open);
  expect(await markets.instrument('sandbox', 'spot', 'BTC/USDT')).toBe(instrument);
  expect(await markets.instrument('sandbox', 'spot', 'NOPE/USDT')).toBeNull();
});

test('closing closes every market that was opened, once, whatever became of the others', async () => {
  const { open, closed } = openable();
  const markets = new Markets(offered, async (exchangeId, marketType) => {
    if (marketType !== 'margin') return open(exchangeId, marketType);
    const data = await open(exchangeId, marketType);
    return { ...data, close: () => Promise.reject(new Error('it is gone already')) };
  });
  for (const marketType of ['spot', 'margin', 'futures'] as const) await markets.market('sandbox', marketType);
  await markets.close();
  expect(closed).toEqual(['sandbox spot', 'sandbox futures']);
  await markets.close();
  expect(closed).toHaveLength(2);
});
