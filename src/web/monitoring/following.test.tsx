import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { HeldLines } from '../testing/held-lines.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { someCandles, someOrders } from '../testing/samples/monitoring.ts';
import { aTradingView, setSince } from '../testing/samples/trading.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

const time = 1_763_683_200_000;
const full = {
  ...someCandles(60, 105, time),
  cursor: 'first',
  price_tick: 0.01,
  price_time: time,
  overlays_version: 'o1',
  trades_version: 't1',
};
const last = full.candles.at(-1);
if (last === undefined) throw new Error('There are candles');
const oneCandle = last;

/** A line about the chart: the newest candle as it is now, `ms` after the first answer. */
const priced = (close: number, ms: number, more: object = {}): CallReply<'followStatus'> => ({
  chart: {
    candles: [{ ...oneCandle, close, low: 90, high: 120 }],
    timeframe: '5m',
    is_partial: true,
    price_time: time + ms,
    avwap: [],
    overlays_version: 'o1',
    trades_version: 't1',
    ...more,
  },
});

let network: Answerer;
let held: HeldLines;
let polled: number;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const costs = (text: string) => expect.poll(() => page.getByText(text, { exact: true }).elements().length).toBe(2);
const count = (name: Parameters<Answerer['of']>[0]) => network.of(name).length;

beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => {
  held = new HeldLines();
  polled = 105;
});
afterEach(async () => {
  await cleanup();
  network.stop();
});

async function open(): Promise<void> {
  const answer = ({ query }: ArrivedCall) => (query['after'] === undefined ? full : (priced(polled, 60_000).chart ?? full));
  network = answerFor(aUser())
    .on('followStatus', () => held)
    .on('orderMetrics', someOrders({ trades_version: 't1' }))
    .on('chartCandles', answer)
    .on('chartOverlays', { trades: [], stops: [], avwap: [], version: 'o1', indicators: [] });
  startPage('/');
  await render(<TestPage path="/" />);
  await costs('$105.00');
  await expect.poll(() => held.isRead).toBe(true);
}

test('what the server sends is shown and not asked for: the price, the live state, the pulse', async () => {
  await open();
  held.send(priced(106.25, 2_000));
  await costs('$106.25');
  expect(network.of('followStatus').map(({ query }) => query)).toEqual([expect.objectContaining({ symbol: 'BTC/USDT', after: 'first' })]);
  // The code that a busy machine loads late has asked its first questions.
  for (let known = -1; known < network.calls.length; await pause(1_500)) {
    known = network.calls.length;
    held.send({});
  }
  const before = [
    count('chartCandles'),
    count('pulse'),
    network.of('liveStatus').filter(({ query }) => Object.keys(query).length === 0).length,
  ];
  for (let second = 0; second < 11; second += 1) {
    held.send({});
    await pause(1_000);
  }
  held.send({
    ...priced(107.5, 4_000),
    live: liveOf([aBot(1, { nickname: 'Renamed' }), aBot(2, { status: 'paused', mode: 'live' })].map((bot) => asLive(bot))),
  });
  await costs('$107.50');
  await expect.element(page.getByRole('table', { name: 'Fleet' }).getByText('Renamed')).toBeVisible();
  expect([
    count('chartCandles'),
    count('pulse'),
    network.of('liveStatus').filter(({ query }) => Object.keys(query).length === 0).length,
  ]).toEqual(before);
  held.send(priced(108, 6_000, { trades_version: 't2' })); // a trade was made
  await expect.poll(() => count('orderMetrics')).toBe(2);
}, 40_000);

test('a line that was overtaken on its way does not take the price back', async () => {
  await open();
  held.send(priced(106.25, 4_000));
  await costs('$106.25');
  held.send(priced(99, 2_000));
  held.send({});
  await pause(500);
  await costs('$106.25');
});

test('a line that comes just after the page has asked may be older than the answer: it is not shown, and the page asks once more', async () => {
  await open();
  await expect.poll(() => count('pulse')).toBeGreaterThan(0);
  const before: CallReply<'pulse'> = { alarms: [], trading: aTradingView(), differences: { open: [], unprotected: [], ended: [] } };
  const banner = page.getByText(/Whole server: trading is halted/u);
  const serverHalted = {
    level: 'server',
    id: null,
    name: null,
    set_by: 'kim@flotilla.example',
    ...setSince('2026-11-22T09:30:00.000Z'),
  } as const;
  const halt = { state: 'halted', reason: 'person', may_re_arm: false, closing_all: null } as const;
  network.on('getTradingState', aTradingView({ own: 'halted', server: 'halted', switches: [{ ...serverHalted, ...halt }] }));
  for (let answeredAt = -Infinity; Date.now() - answeredAt > 1_000;) {
    const asked = count('pulse');
    window.dispatchEvent(new Event('visibilitychange')); // as when the tab comes into sight
    await expect.poll(() => count('pulse')).toBeGreaterThan(asked);
    answeredAt = Date.now();
    await expect.element(banner).toBeVisible();
  }
  const asked = count('pulse');
  held.send({ pulse: before });
  await expect.poll(() => count('pulse')).toBe(asked + 1);
  await expect.element(banner).toBeVisible();
  await pause(2_500);
  held.send({ pulse: before }); // by now it is newer than any answer
  await expect.element(banner).not.toBeInTheDocument();
  expect(count('pulse')).toBe(asked + 1);
}, 40_000);

test('a question that is under way when a line comes is not given up for it', async () => {
  await open();
  const pulse: CallReply<'pulse'> = { alarms: [], trading: aTradingView(), differences: { open: [], unprotected: [], ended: [] } };
  const { promise, resolve } = Promise.withResolvers<CallReply<'pulse'>>();
  const asked = count('pulse');
  network.on('pulse', () => promise);
  await expect
    .poll(() => {
      window.dispatchEvent(new Event('visibilitychange'));
      return count('pulse');
    })
    .toBeGreaterThan(asked);
  const underWay = count('pulse');
  for (let line = 0; line < 3; line += 1) {
    held.send({ pulse });
    await pause(300);
  }
  expect(count('pulse')).toBe(underWay);
  resolve(pulse);
}, 40_000);

test('lines that break off are replaced by polls at once, and come again', async () => {
  await open();
  held.send(priced(106.25, 2_000));
  await costs('$106.25');
  const before = count('chartCandles');
  polled = 107;
  held.breakOff();
  await costs('$107.00');
  expect(count('chartCandles')).toBeGreaterThan(before);
  await expect.poll(() => held.isRead).toBe(true);
  expect(count('followStatus')).toBe(2);
}, 30_000);

test('a connection that falls silent is not believed: after five seconds the page asks by itself', async () => {
  await open();
  held.send(priced(106.25, 2_000));
  await costs('$106.25');
  polled = 107;
  await costs('$107.00');
}, 30_000);

test('a server that is gone is said as without lines, and the panels go to half strength', async () => {
  await open();
  held.send(priced(106.25, 2_000));
  await costs('$106.25');
  for (const name of ['chartCandles', 'followStatus', 'liveStatus', 'pulse'] as const) network.on(name, noAnswer);
  held.breakOff();
  await expect.element(page.getByText('No connection')).toBeVisible();
  await expect.poll(() => document.querySelectorAll('.mon-late').length).toBe(2);
}, 30_000);

test('MON-33 where nothing can be followed the chart is asked for every two seconds', async () => {
  network = answerFor(aUser()).on('followStatus', problem(404));
  network.on('chartCandles', ({ query }) => (query['after'] === undefined ? full : (priced(polled, 60_000).chart ?? full)));
  startPage('/');
  await render(<TestPage path="/" />);
  await costs('$105.00');
  polled = 106;
  await costs('$106.00');
  const before = count('chartCandles');
  await expect.poll(() => count('chartCandles') - before).toBeGreaterThanOrEqual(2);
}, 30_000);
