import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { secondMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { StreamSubscriptions } from './stream-subscriptions.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const everything = ['watchOHLCVForSymbols', 'watchTickers', 'watchBidsAsks', 'unWatchOHLCVForSymbols', 'unWatchTickers', 'unWatchBidsAsks'];

/** A client that writes down its calls; the end of a stream is confirmed when the test lets it. */
function clientWith(methods: readonly string[] = everything) {
  const calls: [method: string, streams: unknown][] = [];
  const confirmations: (() => Promise<void>)[] = [];
  const failed: unknown[] = [];
  const never = new Promise<never>(() => {});
  const method = (name: string) => [
    name,
    (...streams: unknown[]) => {
      calls.push([name, name === 'watchOHLCV' ? streams : streams[0]]);
      if (!name.startsWith('un')) return never;
      return new Promise<void>((resolve) => {
        confirmations.push(async () => {
          resolve();
          await vi.advanceTimersByTimeAsync(100);
        });
      });
    },
  ];
  const client = {
    id: 'binance',
    has: Object.fromEntries(methods.map((name) => [name, true])),
    clients: { 'ws://there': {} },
    ohlcvs: { 'BTC/USDT': { '1m': [[1]] } },
    tickers: { 'BTC/USDT': {} },
    bidsasks: { 'BTC/USDT': {} },
    ...Object.fromEntries(methods.map(method)),
  } as unknown as CcxtClient;
  const streams = new StreamSubscriptions(client, (error) => failed.push(error));
  const taken = async () => {
    await vi.advanceTimersByTimeAsync(100);
    return calls.splice(0);
  };
  return { client, streams, taken, confirmations, failed };
}

const minute = (symbol: string) => [symbol, '1m' satisfies Timeframe] as const;

describe('subscriptions', () => {
  test('requests close together are sent as one, and no stream twice', async () => {
    const { streams, taken } = clientWith();
    streams.want([minute('BTC/USDT')], []);
    streams.want([minute('BTC/USDT'), minute('ETH/USDT')], ['BTC/USDT']);
    expect(await taken()).toEqual([
      [
        'watchOHLCVForSymbols',
        [
          ['BTC/USDT', '1m'],
          ['ETH/USDT', '1m'],
        ],
      ],
      ['watchTickers', ['BTC/USDT']],
      ['watchBidsAsks', ['BTC/USDT']],
    ]);
    streams.want([minute('BTC/USDT'), minute('SOL/USDT')], ['BTC/USDT']);
    expect(await taken()).toEqual([['watchOHLCVForSymbols', [['SOL/USDT', '1m']]]]);
  });

  test('a message holds a hundred streams at most', async () => {
    const { streams, taken } = clientWith();
    streams.want(
      [],
      Array.from({ length: 250 }, (_, i) => `SIM${i}/USDT`),
    );
    const tickers = (await taken()).filter(([method]) => method === 'watchTickers');
    expect(tickers.map(([, symbols]) => (symbols as string[]).length)).toEqual([100, 100, 50]);
  });

  test('an exchange that takes one stream at a time is asked for one at a time', async () => {
    const { streams, taken } = clientWith(['watchOHLCV', 'watchTicker']);
    streams.want([minute('BTC/USDT'), minute('ETH/USDT')], ['BTC/USDT']);
    expect(await taken()).toEqual([
      ['watchOHLCV', ['BTC/USDT', '1m']],
      ['watchOHLCV', ['ETH/USDT', '1m']],
      ['watchTicker', 'BTC/USDT'],
    ]);
  });

  test('after a loss everything is subscribed again', async () => {
    const { streams, taken } = clientWith();
    streams.want([minute('BTC/USDT')], []);
    await taken();
    streams.forget();
    streams.want([minute('BTC/USDT')], []);
    expect(await taken()).toEqual([['watchOHLCVForSymbols', [['BTC/USDT', '1m']]]]);
  });

  test('a failure is reported', async () => {
    const { client, streams, taken, failed } = clientWith();
    client.watchTickers = () => Promise.reject(new Error('refused'));
    streams.want([], ['BTC/USDT']);
    await taken();
    expect(failed).toEqual([new Error('refused')]);
  });
});

describe('the end of a stream', () => {
  test('is sent once, and what ccxt keeps of it is removed', async () => {
    const { client, streams, taken } = clientWith();
    streams.want([minute('BTC/USDT')], ['BTC/USDT']);
    await taken();
    streams.dropCandles('BTC/USDT', '1m');
    streams.dropQuotes('BTC/USDT');
    streams.dropQuotes('ETH/USDT'); // was never subscribed
    expect(await taken()).toEqual([
      ['unWatchOHLCVForSymbols', [['BTC/USDT', '1m']]],
      ['unWatchTickers', ['BTC/USDT']],
      ['unWatchBidsAsks', ['BTC/USDT']],
    ]);
    expect([client.ohlcvs, client.tickers, client.bidsasks]).toEqual([{ 'BTC/USDT': {} }, {}, {}]);
  });

  test('must be confirmed before the same stream is subscribed again; others are not held up', async () => {
    const { streams, taken, confirmations } = clientWith();
    streams.want([minute('BTC/USDT')], []);
    await taken();
    streams.dropCandles('BTC/USDT', '1m');
    await taken();
    streams.want([minute('BTC/USDT'), minute('ETH/USDT')], []);
    expect(await taken()).toEqual([['watchOHLCVForSymbols', [['ETH/USDT', '1m']]]]);
    await confirmations[0]();
    expect(await taken()).toEqual([['watchOHLCVForSymbols', [['BTC/USDT', '1m']]]]);
  });

  test('is not sent without a socket: it would open one', async () => {
    const { client, streams, taken } = clientWith();
    streams.want([], ['BTC/USDT']);
    await taken();
    client.clients = {};
    streams.dropQuotes('BTC/USDT');
    await vi.advanceTimersByTimeAsync(secondMs);
    expect(await taken()).toEqual([]);
  });
});

describe('a symbol that has left', () => {
  const others = (symbol: string) => [`ohlcv::${symbol}::1m`, `ticker:miniTicker@${symbol}`, `ticker:${symbol}`];
  const atBinance = ['ohlcv::BTC/USDT::1m', 'ticker:miniTicker@BTC/USDT', 'bidask:bookTicker@BTC/USDT'];
  const elsewhere = ['ticker:BTC/USDT', 'bidask::BTC/USDT', 'BTC/USDT'];
  const spot = [...atBinance, ...elsewhere];
  const perpetual = spot.map((stream) => stream.replace('BTC/USDT', 'BTC/USDT:USDT'));
  const unlike = ['tickers', ...['WBTC/USDT', 'BTC/USDTX', 'BTC/USD', 'ETH/USDT', 'BTC/USDT:BTC'].flatMap(others)];

  test.each([
    ['BTC/USDT', spot, perpetual],
    ['BTC/USDT:USDT', perpetual, spot],
  ])('%s has no stream that counts as running, on any socket; those of others stay', async (symbol, its, namesakes) => {
    const { client, streams } = clientWith();
    const stay = [...namesakes, ...unlike];
    const socket = () => ({ subscriptions: Object.fromEntries([...its, ...stay].map((stream) => [stream, {}])) });
    Object.assign(client, { clients: { 'ws://one': socket(), 'ws://two': socket() } });
    streams.forgetSymbol(symbol);
    for (const { subscriptions } of Object.values(client.clients)) expect(Object.keys(subscriptions)).toEqual(stay);
  });

  test('counts as running where a message that names a running stream is refused as a whole', () => {
    const { client, streams } = clientWith();
    Object.assign(client, { id: 'bybit', clients: { 'ws://one': { subscriptions: { 'ticker:BTC/USDT': {} } } } });
    streams.forgetSymbol('BTC/USDT');
    expect(streams.endSilently('BTC/USDT')).toBe(false);
    expect(Object.values(client.clients)).toEqual([{ subscriptions: { 'ticker:BTC/USDT': {} } }]);
  });

  test('is subscribed again once for all its watchers when it is back', async () => {
    const { client, streams, taken } = clientWith();
    Object.assign(client, { clients: { 'ws://there': { subscriptions: {} } } });
    streams.want([minute('BTC/USDT'), minute('ETH/USDT')], []);
    await taken();
    streams.forgetSymbol('BTC/USDT');
    streams.want([minute('ETH/USDT')], []);
    expect(await taken()).toEqual([]);
    for (let watchers = 1; watchers <= 2; watchers++) streams.want([minute('BTC/USDT'), minute('ETH/USDT')], []);
    expect(await taken()).toEqual([['watchOHLCVForSymbols', [['BTC/USDT', '1m']]]]);
    streams.want([minute('BTC/USDT'), minute('ETH/USDT')], []);
    expect(await taken()).toEqual([]);
  });
});
