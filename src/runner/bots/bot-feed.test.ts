import type { BotEvent } from '#engine/bot/event.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { Markets } from '#feeds/markets.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BotFeed } from './bot-feed.ts';
import { localSignals } from './runnable-strategy.ts';
import { SignalFeed } from './signal-feed.ts';
import { handExchange } from './testing/hand-exchange.ts';
import { aRowListener } from './testing/row-listener.ts';

const symbol = 'BTC/USDT';
const other = 'ETH/USDT';
const strategy: Strategy = { ...strategyOfClass('AlwaysFlat'), startupCandles: 3 };

const candlesOf = (events: readonly BotEvent[]) => events.flatMap((event) => (event.kind === 'candle-closed' ? [event] : []));

/** The feed of a bot on an exchange moved by hand; `traded` may name symbols that the exchange does not have. */
function feedOf(
  traded: readonly string[] = [symbol, other],
  marketType: 'spot' | 'futures' = 'spot',
  signalsFrom = -Infinity,
  runs: Strategy = strategy,
) {
  const exchange = handExchange([symbol, other], marketType);
  const markets = new Markets([], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const events: BotEvent[] = [];
  const errors: string[] = [];
  const feed = new BotFeed(
    {
      market: (exchangeId, type) => markets.market(exchangeId, type),
      signals: new SignalFeed(windows, (error) => errors.push(String(error))),
      funding: new FundingFeed(markets, exchange.now),
      now: exchange.now,
    },
    {
      listener: aRowListener(),
      exchangeId: 'sandbox',
      marketType,
      symbols: traded,
      timeframe: '1m',
      signals: localSignals(runs),
      parameters: {},
      signalsFrom,
    },
    { onEvent: (event) => void events.push(event), onError: (error) => void errors.push(String(error)) },
  );
  return { exchange, feed, events, errors };
}

describe('prices', () => {
  test('are reported as they come, with the time they came', async () => {
    const { exchange, feed, events } = feedOf();
    await feed.open();
    expect([feed.lastPriceAt, feed.lastPrice(symbol)]).toEqual([0, undefined]);
    feed.watchPrices([symbol]);
    expect(exchange.subscriptions()).toEqual([{ symbol, timeframes: [], quotes: true }]);
    exchange.pass(5);
    exchange.quote(symbol, 101);
    exchange.quote(other, 102);
    expect(events).toEqual([{ kind: 'market', view: { symbol, bid: 100.99, ask: 101.01, last: 101, time: exchange.now() } }]);
    expect([feed.lastPriceAt, feed.lastPrice(symbol), feed.lastPrice(other)]).toEqual([exchange.now(), 101, undefined]);
  });

  test('of a symbol that the exchange does not have are reported as an error, and the others are watched', async () => {
    const { exchange, feed, events, errors } = feedOf();
    await feed.open();
    feed.watchPrices(['NONE/USDT', symbol]);
    expect(errors).toEqual(['Error: sandbox does not have NONE/USDT']);
    exchange.quote(symbol, 101);
    expect(events).toHaveLength(1);
    // That it is watched for its return ends with the feed, too.
    expect(exchange.subscriptions()).toContainEqual({ symbol: 'NONE/USDT', timeframes: [], quotes: false });
    // What is watched already is watched once, and said once.
    feed.watchPrices(['NONE/USDT', symbol]);
    expect([errors.length, exchange.subscriptions().length]).toEqual([1, 2]);
    feed.end();
    expect(exchange.subscriptions()).toEqual([]);
  });

  test('of a market that is not open are not watched, and its books cannot be had', async () => {
    const { exchange, feed, errors } = feedOf();
    feed.watchPrices([symbol]);
    expect([exchange.watchers(symbol), errors]).toEqual([0, []]);
    await expect(feed.book(symbol)).rejects.toThrow('The market of the bot is not open');
    await feed.checkFunding([]);
  });

  test('of a symbol are not to be had where the exchange does not have it, or none came for five minutes since it is watched', async () => {
    const { exchange, feed } = feedOf(['NONE/USDT', symbol, other]);
    expect(feed.isPriceless('NONE/USDT')).toBe(false); // nothing is known before the market is open
    await feed.open();
    expect(feed.isPriceless(symbol)).toBe(false); // nobody has asked for any
    feed.watchPrices(['NONE/USDT', symbol, other]);
    exchange.quote(other, 102);
    exchange.pass(5 * minuteMs - 1);
    expect(['NONE/USDT', symbol, other].map((each) => feed.isPriceless(each))).toEqual([true, false, false]);
    exchange.pass(1);
    expect(['NONE/USDT', symbol, other].map((each) => feed.isPriceless(each))).toEqual([true, true, false]);
    exchange.quote(symbol, 101);
    expect(feed.isPriceless(symbol)).toBe(false);
  });

  test('a book is that of now, with the last price that was seen', async () => {
    const { exchange, feed } = feedOf();
    await feed.open();
    feed.watchPrices([symbol]);
    expect(await feed.book(symbol)).toMatchObject({ last: 100, time: exchange.now() });
    exchange.quote(symbol, 103);
    exchange.pass(7);
    expect(await feed.book(symbol)).toMatchObject({ last: 103, asks: [[103.01, 1_000]], time: exchange.now() });
  });
});

describe('signals', () => {
  test('come with each closed candle of each symbol, with the newest prices at the time of now', async () => {
    const { exchange, feed, events } = feedOf();
    await feed.open();
    feed.watchPrices([symbol, other]);
    exchange.quote(symbol, 101);
    await feed.watchSignals();
    expect(candlesOf(events).map((event) => [event.symbol, event.candleTime, event.view])).toEqual([
      [symbol, exchange.now() - minuteMs, { symbol, bid: 100.99, ask: 101.01, last: 101, time: exchange.now() }],
      [other, exchange.now() - minuteMs, undefined],
    ]);
    events.length = 0;
    exchange.closeMinute();
    const time = exchange.now();
    expect(candlesOf(events)).toMatchObject([
      { symbol, time, candleTime: time - minuteMs, view: { last: 101, time } },
      { symbol: other, time, candleTime: time - minuteMs },
    ]);
  });

  test('of candles that opened before the bot had its parameters or timeframe are not reported; the next ones are', async () => {
    const { exchange, feed, events } = feedOf([symbol], 'spot', 1_000_000 * hourMs - minuteMs);
    await feed.open();
    await feed.watchSignals();
    expect(candlesOf(events)).toEqual([]); // the newest candle opened at that very time
    exchange.closeMinute();
    expect(candlesOf(events).map(({ candleTime }) => candleTime)).toEqual([1_000_000 * hourMs]);
  });

  test('of a symbol whose source has fallen silent come without prices, until it sends again', async () => {
    const { exchange, feed, events } = feedOf([symbol]);
    await feed.open();
    feed.watchPrices([symbol]);
    await feed.watchSignals();
    exchange.quote(symbol, 101);
    exchange.silence(symbol, true);
    exchange.closeMinute();
    expect(candlesOf(events).at(-1)?.view).toBeUndefined();
    exchange.silence(symbol, false);
    exchange.closeMinute();
    expect(candlesOf(events).at(-1)?.view).toMatchObject({ last: 101 });
  });

  test('of a symbol that the exchange does not have are not asked for', async () => {
    const { feed, events, errors } = feedOf([symbol, 'NONE/USDT']);
    await feed.open();
    await feed.watchSignals();
    expect(candlesOf(events).map((event) => event.symbol)).toEqual([symbol]);
    expect(errors).toEqual([]);
  });

  test('are of an instrument with its leverage tiers, where the exchange gives them one by one', async () => {
    const { exchange, feed } = feedOf();
    await feed.open();
    const plain = feed.instruments.get(other);
    const tiered = anInstrument({ symbol, maxLeverage: 7 });
    exchange.market.instrument = async (of) => (of === symbol ? tiered : null);
    await feed.watchSignals();
    expect(feed.instruments.get(symbol)).toBe(tiered);
    expect(feed.instruments.get(other)).toBe(plain);
  });

  describe('that cannot be had', () => {
    afterEach(() => void vi.useRealTimers());

    test('are tried again after longer and longer pauses; the other symbols continue', async () => {
      vi.useFakeTimers();
      const { exchange, feed, events, errors } = feedOf();
      await feed.open();
      exchange.faults.candles.add(symbol);
      await feed.watchSignals();
      expect(candlesOf(events).map((event) => event.symbol)).toEqual([other]);
      expect(errors).toEqual([`Error: ${symbol}: no candles today`]);
      await vi.advanceTimersByTimeAsync(999);
      expect(errors).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(errors).toHaveLength(2);
      await vi.advanceTimersByTimeAsync(1_999);
      expect(errors).toHaveLength(2);
      exchange.faults.candles.clear();
      await vi.advanceTimersByTimeAsync(1);
      expect(candlesOf(events).map((event) => event.symbol)).toEqual([other, symbol]);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(errors).toHaveLength(2);
    });

    test('are not tried again once the feed has ended', async () => {
      vi.useFakeTimers();
      const { exchange, feed, errors } = feedOf([symbol]);
      await feed.open();
      exchange.faults.candles.add(symbol);
      await feed.watchSignals();
      feed.end();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(errors).toHaveLength(1);
      // Nor is a failure reported that comes after the end.
      await feed.watchSignals();
      expect(errors).toHaveLength(1);
    });
  });
});

describe('what the exchange does not list', () => {
  afterEach(() => void vi.useRealTimers());
  const back = 'NEW/USDT';

  test('is followed once it is listed: its instrument, prices and signals; what was refused by the list of the start is not for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { exchange, feed, events, errors } = feedOf([symbol, back]);
    await feed.open();
    feed.watchPrices([symbol, back]);
    await feed.watchSignals();
    expect([exchange.watchers(back), errors]).toEqual([0, [`Error: sandbox does not have ${back}`]]);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect([exchange.watchers(back), feed.isPriceless(back)]).toEqual([0, true]);
    events.length = 0;
    exchange.list([symbol, back]);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(feed.instruments.get(back)).toMatchObject({ symbol: back });
    expect([exchange.watchers(symbol), exchange.watchers(back), feed.isPriceless(back)]).toEqual([1, 1, false]);
    exchange.quote(back, 55);
    exchange.closeMinute();
    expect(events.filter((event) => 'symbol' in event && event.symbol === back).at(-1)).toMatchObject({
      kind: 'candle-closed',
      view: { symbol: back, last: 55 },
    });
    // Nothing is asked for any more, nor said twice.
    const asked = vi.spyOn(exchange.market, 'instruments');
    await vi.advanceTimersByTimeAsync(10 * minuteMs);
    expect([exchange.watchers(back), errors.length, asked.mock.calls.length]).toEqual([1, 1, 0]);
  });

  test('of a bot that only closes what it holds has its prices watched, and no signals', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { exchange, feed, events } = feedOf([back]);
    await feed.open();
    feed.watchPrices([back]);
    exchange.list([back]);
    await vi.advanceTimersByTimeAsync(minuteMs);
    exchange.quote(back, 55);
    exchange.closeMinute();
    expect(events.map(({ kind }) => kind)).toEqual(['market']);
  });

  test('a list that cannot be had is reported, and asked for again; none is once the feed has ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { exchange, feed, errors } = feedOf([back]);
    await feed.open();
    feed.watchPrices([back]);
    vi.spyOn(exchange.market, 'instruments').mockRejectedValueOnce(new Error('no list today'));
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(errors.at(-1)).toBe('Error: no list today');
    exchange.list([back]);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(exchange.watchers(back)).toBe(1);

    const other = feedOf([back]);
    await other.feed.open();
    other.feed.watchPrices([back]);
    other.feed.end();
    const asked = vi.spyOn(other.exchange.market, 'instruments');
    await vi.advanceTimersByTimeAsync(10 * minuteMs);
    expect(asked).not.toHaveBeenCalled();
  });

  test('and the strategy reads beside the traded pair is known once it is listed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reading: Strategy = { ...strategy, series: [{ symbol: back }] };
    const { exchange, feed, events, errors } = feedOf([symbol], 'spot', -Infinity, reading);
    await feed.open();
    feed.watchPrices([symbol]);
    await feed.watchSignals();
    expect(errors[0]).toContain(`The strategy reads ${back}, which sandbox does not have`);
    exchange.list([symbol, back]);
    await vi.advanceTimersByTimeAsync(10 * minuteMs);
    expect(candlesOf(events).length).toBeGreaterThan(0);
    expect(exchange.watchers(back)).toBe(0); // its prices are nobody's concern
  });

  test('and the strategy reads beside the traded pairs is looked for as long as that takes, and leaves nothing more to end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reading: Strategy = { ...strategy, series: [{ symbol: back }] };
    /** What a feed of two pairs that has looked for so long stops at its end, and how often it has looked by then. */
    const endedAfter = async (ms: number) => {
      const { feed, errors } = feedOf([symbol, other], 'spot', -Infinity, reading);
      await feed.open();
      await feed.watchSignals();
      await vi.advanceTimersByTimeAsync(ms);
      const looked = errors.length;
      const stopping = vi.spyOn(globalThis, 'clearTimeout');
      feed.end();
      const stopped = stopping.mock.calls.length;
      stopping.mockRestore();
      expect(vi.getTimerCount()).toBe(0); // nothing waits
      return { looked, stopped };
    };
    const soon = await endedAfter(0);
    expect(soon.looked).toBe(2);
    const late = await endedAfter(5 * hourMs);
    expect(late.looked).toBeGreaterThan(500);
    expect(late.stopped).toBe(soon.stopped);
  });
});

describe('the terms of an instrument', () => {
  afterEach(() => void vi.useRealTimers());

  test('are those of now, not those of the start of the bot; its own leverage tiers stay', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { exchange, feed, errors } = feedOf([symbol], 'futures');
    await feed.open();
    const { instruments } = feed;
    const tiers = [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 5, maintenanceRate: 0.01, maintenanceAmount: 0 }];
    instruments.set(symbol, { ...instruments.get(symbol)!, leverageTiers: tiers });
    exchange.relist(symbol, { priceTick: 0.5, amountStep: 0.25 });
    await vi.advanceTimersByTimeAsync(31 * minuteMs);
    expect(instruments.get(symbol)).toMatchObject({ priceTick: 0.5, amountStep: 0.25, leverageTiers: tiers });
    vi.spyOn(exchange.market, 'instruments').mockRejectedValueOnce(new Error('no list today'));
    await vi.advanceTimersByTimeAsync(30 * minuteMs);
    expect(errors).toEqual(['Error: no list today']);
    feed.end();
    exchange.relist(symbol, { priceTick: 1 });
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(instruments.get(symbol)?.priceTick).toBe(0.5);
  });

  test('are not asked for by a feed that has ended while it opened', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { feed } = feedOf();
    const opening = feed.open();
    feed.end();
    await opening;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a feed that has ended reports nothing any more, also what it was still asking for', async () => {
  const { exchange, feed, events } = feedOf();
  await feed.open();
  feed.watchPrices([symbol]);
  const listening = feed.watchSignals();
  feed.end();
  await listening;
  const before = events.length;
  exchange.quote(symbol, 101);
  exchange.closeMinute();
  feed.watchPrices([symbol]);
  exchange.quote(symbol, 102);
  expect(events.slice(before)).toEqual([]);
});

test('a feed that ends reports no signal any more', async () => {
  const { exchange, feed, events } = feedOf();
  await feed.open();
  await feed.watchSignals();
  feed.end();
  events.length = 0;
  exchange.closeMinute();
  expect(events).toEqual([]);
});

describe('funding', () => {
  const payment = (exchange: ReturnType<typeof handExchange>) => exchange.now() - 8 * 60 * minuteMs;
  const futures = (isReachable = true) => {
    const made = feedOf([symbol], 'futures');
    const trade = aTrade({ symbol, marketType: 'futures', amount: 1, openTime: payment(made.exchange) - 1 });
    Object.assign(made.exchange.market, {
      async funding(_symbol: string, from: number, to: number) {
        if (!isReachable) throw new Error('no funding today');
        return [{ time: payment(made.exchange), rate: 0.01, mark: 100 }].filter(({ time }) => time >= from && time < to);
      },
    });
    return { ...made, trade };
  };

  test('that a trade has not accounted for is an event, at once and when it is time to check', async () => {
    const { exchange, feed, events, errors, trade } = futures();
    const paid = { kind: 'funding', symbol, time: payment(exchange), rate: 0.01, mark: 100 };
    await feed.open();
    expect(await feed.unpaidFunding([trade])).toEqual([paid]);
    expect(events).toEqual([]);
    await feed.checkFunding([trade]);
    expect([events, errors]).toEqual([[paid], []]);
  });

  test('that cannot be had is reported, and holds up nothing', async () => {
    const { feed, errors, trade } = futures(false);
    await feed.open();
    expect(await feed.unpaidFunding([trade])).toEqual([]);
    expect(errors).toEqual(['Error: no funding today']);
  });

  test('is never asked for on spot, nor before the market is open', async () => {
    const { feed, events, errors } = feedOf([symbol], 'spot');
    await feed.open();
    expect(await feed.unpaidFunding([aTrade({ symbol, marketType: 'spot', amount: 1 })])).toEqual([]);
    const { feed: closed, trade, events: none } = futures();
    await closed.checkFunding([trade]);
    expect([events, errors, none]).toEqual([[], [], []]);
  });
});
