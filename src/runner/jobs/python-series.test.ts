import { expect, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { startMarket } from '../../../test/support/market.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { Markets } from '#feeds/markets.ts';
import { pythonSeries } from './python-series.ts';

const { db } = await freshDatabase();
const startTime = Date.UTC(2026, 2, 3, 12, 5);
const market = await startMarket(0, 7, startTime);
const work = { signal: new AbortController().signal, progress: async () => undefined };
const noExchange = new Markets([{ id: 'sandbox', name: 'Sandbox' }], () => Promise.reject(new Error('the exchange does not answer')));
const name = { symbol: 'ETH/USDT', timeframe: '1h', kind: 'spot' };
const span = { from: startTime - 6 * hourMs, to: startTime };

/** The series over `span`, from these markets. */
const read = (markets: Markets, wanted = name, startupCandles = 2) =>
  pythonSeries(
    { db, markets, disk: ampleDisk, now: market.now, log: () => undefined, cacheFolder: null },
    'sandbox',
    wanted,
    span,
    startupCandles,
    work,
  );

test('has the candles that had closed at the end of the run, and is read without an exchange once it is stored', async () => {
  const { candles, notes } = await read(market.connect());
  const first = startTime - 5 * minuteMs - 7 * hourMs; // two before the run, which begins at five past six
  expect([...candles.openTime]).toEqual([0, 1, 2, 3, 4, 5, 6].map((hour) => first + hour * hourMs));
  expect(notes).toEqual([]);
  market.sandbox.clock.advance(3 * hourMs); // what was open then has closed by now, and is none of this run
  expect(await read(noExchange)).toEqual({ candles, notes });
  await expect(read(noExchange, name, 3)).rejects.toThrow('the exchange does not answer');
});
