import type { BotEvent } from '#engine/bot/event.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { BotFeed } from './bot-feed.ts';
import { localSignals } from './runnable-strategy.ts';
import { SignalFeed } from './signal-feed.ts';
import { aRowListener } from './testing/row-listener.ts';

vi.useFakeTimers({ toFake: ['performance'], shouldAdvanceTime: true }); // which gives the age of a list
afterAll(() => void vi.useRealTimers());

const [symbol, left] = ['BTC/USDT', 'ETH/USDT'];
const market = await startMarket(240);
const strategy: Strategy = { ...strategyOfClass('AlwaysFlat'), startupCandles: 3 };

/** A feed of two pairs, begun while the exchange does not list one of them, in so many answers at most. */
async function begunWithout(times?: number) {
  const { sandbox } = market;
  const list = (await (await fetch(`${sandbox.url}/api/v3/exchangeInfo`)).json()) as { symbols: { symbol: string }[] };
  const body = JSON.stringify({ ...list, symbols: list.symbols.filter((listed) => listed.symbol !== 'ETHUSDT') });
  const fault = { path: '/api/v3/exchangeInfo', fault: { kind: 'body', body } } as const;
  const listAgain = sandbox.faults.add(times === undefined ? fault : { ...fault, times });
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const events: BotEvent[] = [];
  const errors: string[] = [];
  const feed = new BotFeed(
    {
      market: (exchangeId, type) => markets.market(exchangeId, type),
      signals: new SignalFeed(windows, (error) => errors.push(String(error))),
      funding: new FundingFeed(markets, market.now),
      now: market.now,
    },
    {
      listener: aRowListener(),
      exchangeId: 'sandbox',
      marketType: 'spot',
      symbols: [symbol, left],
      timeframe: '1m',
      signals: localSignals(strategy),
      parameters: {},
      signalsFrom: -Infinity,
    },
    { onEvent: (event) => void events.push(event), onError: (error) => void errors.push(String(error)) },
    { relistMs: 200 },
  );
  onTestFinished(() => {
    feed.end();
    windows.close();
  });
  const of = (wanted: string, kind: BotEvent['kind']): number =>
    events.filter(
      (event) => event.kind === kind && (event.kind === 'market' ? event.view.symbol : 'symbol' in event && event.symbol) === wanted,
    ).length;
  await feed.open();
  feed.watchPrices([symbol, left]);
  await feed.watchSignals();
  await eventually(() => expect(Math.min(of(symbol, 'candle-closed'), of(symbol, 'market'))).toBeGreaterThan(2));
  expect([errors, of(left, 'market'), feed.isPriceless(left)]).toEqual([['Error: sandbox does not have ETH/USDT'], 0, true]);
  return { feed, listAgain, of };
}

const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

test('a pair that the exchange lists again is traded by a bot that runs: its prices and candles come without a start', async () => {
  const { feed, listAgain, of } = await begunWithout();
  listAgain();
  vi.advanceTimersByTime(hourMs + 1); // the list is old
  await eventually(() => expect(Math.min(of(left, 'candle-closed'), of(left, 'market'))).toBeGreaterThan(2));
  expect([feed.isPriceless(left), feed.instruments.get(left)?.symbol]).toEqual([false, left]);
});

test('a pair that one list lacked when a bot began is looked for after a minute, although the list is new', async () => {
  const { feed, of } = await begunWithout(1);
  vi.advanceTimersByTime(minuteMs + 1);
  await eventually(() => expect(Math.min(of(left, 'candle-closed'), of(left, 'market'))).toBeGreaterThan(2));
  expect(feed.isPriceless(left)).toBe(false);
});
