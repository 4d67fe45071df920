import { dayMs } from '#engine/market/durations.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { Markets } from '#feeds/markets.ts';
import { afterAll, expect, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { startMarket } from '../../../test/support/market.ts';
import { RecentHistory } from './recent-history.ts';

const market = await startMarket(1);
const { db } = await freshDatabase();
const asked: string[] = [];
const real = market.connect();
// The real connections; what is asked of them is written down.
const markets = new Markets(real.exchanges, async (exchangeId, marketType) => {
  const data = await real.market(exchangeId, marketType);
  return new Proxy(data, {
    get(target, name: keyof MarketData) {
      if (name !== 'candles') return typeof target[name] === 'function' ? target[name].bind(target) : target[name];
      return async (...of: Parameters<MarketData['candles']>) => {
        asked.push(`${of[0]} ${new Date(of[2]).toISOString().slice(0, 10)}`);
        return target.candles(...of);
      };
    },
  });
});
const history = new RecentHistory({ db, markets, disk: ampleDisk, now: market.now });
afterAll(() => history.close());

const to = Math.floor(Date.now() / dayMs) * dayMs;
const request = { candles: { from: to - 5 * dayMs, to }, funding: null };
const series = (symbol: string) => ({ exchangeId: 'sandbox', marketType: 'spot', symbol, timeframe: '5m' });
const never = { signal: new AbortController().signal, onPair: () => undefined };

test('a pair that several questions need at the same time is downloaded once', async () => {
  const pairs = [series('BTC/USDT'), series('ETH/USDT')];
  const found = await Promise.all([history.fetch(pairs, request, never), history.fetch([pairs[1], pairs[0]], request, never)]);
  expect(found.map((instruments) => instruments.map(({ symbol }) => symbol))).toEqual([
    ['BTC/USDT', 'ETH/USDT'],
    ['ETH/USDT', 'BTC/USDT'],
  ]);
  const from = new Date(request.candles.from).toISOString().slice(0, 10);
  expect(asked.toSorted()).toEqual([`BTC/USDT ${from}`, `ETH/USDT ${from}`]);
  const [instrument] = found[0];
  expect((await history.load(pairs[0], instrument, request)).candles.openTime).toHaveLength(5 * 288);
});

test('a download is finished also when nobody waits for it any more; no further pair is begun', async () => {
  asked.length = 0;
  const gone = new AbortController();
  const pairs = ['SOL/USDT', 'BNB/USDT', 'XRP/USDT', 'ADA/USDT', 'DOGE/USDT', 'LINK/USDT'].map(series);
  const fetching = history.fetch(pairs, request, { signal: gone.signal, onPair: () => undefined });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  gone.abort(new Error('overtaken'));
  await expect(fetching).rejects.toThrow('overtaken');
  const begun = asked.length;
  expect(begun).toBeLessThan(pairs.length);
  // What was begun is there for the next question, which asks for the rest alone.
  const instruments = await history.fetch(pairs, request, never);
  expect(instruments).toHaveLength(pairs.length);
  expect(new Set(asked).size).toBe(asked.length);
});
