import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

type Reply = CallReply<'botDecisions'>;
const none = { candles: 60, signals: 0, refused: [], entered: 0, closed: 0, won: 0 };
const day = { candles: 1440, signals: 3, refused: [{ gate: 'slots-full', count: 2 }], entered: 1, closed: 4, won: 3 };
const aDecision = (minute: number, changes: Partial<Reply['decisions'][number]> = {}): Reply['decisions'][number] => ({
  candle_time: new Date(Date.UTC(2026, 10, 21, 4, minute)).toISOString(),
  symbol: 'BTC/USDT',
  action: 'none',
  gate: 'slots-full',
  direction: 'long',
  tag: 'cross',
  confidence: 0.75,
  price: 2049.26,
  ...changes,
});
const aReply = (changes: Partial<Reply> = {}): Reply => ({
  from: '2026-11-20T05:00:00.000Z',
  to: '2026-11-21T05:00:00.000Z',
  decisions: [aDecision(30), aDecision(29, { gate: 'no-signal', direction: null })],
  next: null,
  funnels: { hour: none, day, range: day },
  nearest: { hour: null, day: null },
  ...changes,
});

let network: Answerer;
const open = async (search = `?why=${idOf(101)}`, answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('admin')).on('botDecisions', aReply()));
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const address = () => expect.element(page.getByTestId('address'));
const table = () => page.getByRole('table', { name: 'Decisions' });
const step = (name: RegExp) => page.getByRole('region', { name: 'Funnel' }).getByRole('button', { name });

describe('ADD-bot-decisions', () => {
  test('the answer comes first: the last hour and day in a sentence; below it each decision with its reason', async () => {
    await open();
    await expect.element(page.getByText('Last hour: 60 candles, 0 signals.')).toBeVisible();
    await expect
      .element(page.getByText('Last day: 1,440 candles, 3 signals, 2 refused (no free slot (3 of 3 open)), 1 entered.'))
      .toBeVisible();
    const row = table().getByRole('row').filter({ hasText: '2026-11-21 04:30' });
    await expect.element(row.getByText('No entry in BTC/USDT long: no free slot (3 of 3 open)')).toBeVisible();
    await expect.element(row.getByText('$2049.26')).toBeVisible();
    await expect.element(page.getByText('Trades closed: 4, won: 3')).toBeVisible();
  });

  test('an hour without a signal names the candle that was nearest to one; each decision says what was seen', async () => {
    const near = { candle_time: '2026-11-21T04:25:00.000Z', symbol: 'ETH/USDT', name: 'RSI', value: 31, threshold: 30 };
    const seen = { values: { rsi: 31, filter: 84120.5 }, price: 2050, price_age_ms: 2_400, numbers: { open: 3, most: 3 } };
    const reply = aReply({ nearest: { hour: near, day: near }, decisions: [aDecision(30, { price: null, seen })] });
    await open(undefined, (net) => net.on('botDecisions', reply));
    await expect
      .element(page.getByText('Last hour: 60 candles, 0 signals; the nearest was 04:25 in ETH/USDT, RSI 31 of 30.'))
      .toBeVisible();
    await expect.element(table().getByText('3 of 3 trades open; rsi 31, filter 84120.5; price 2.4 s old')).toBeVisible();
    await expect.element(table().getByText('$2050.00')).toBeVisible();
  });

  test('a click on a step of the funnel lists its candles, and the address names it', async () => {
    await open();
    await step(/no free slot/u).click();
    await address().toHaveAttribute('data-search', expect.stringContaining('gate=slots-full'));
    await expect.poll(() => network.of('botDecisions').at(-1)?.query).toEqual({ gate: 'slots-full' });
    await step(/Entered/u).click();
    await expect.poll(() => network.of('botDecisions').at(-1)?.query).toEqual({ action: 'enter' });
    await step(/Signals/u).click();
    await expect.poll(() => network.of('botDecisions').at(-1)?.query).toEqual({ signals: 'only' });
  });

  test('the pair and the period are chosen, and stay in the address', async () => {
    await open();
    await page.getByRole('combobox', { name: 'Pair' }).click();
    await page.getByRole('option', { name: 'ETH/USDT' }).click();
    await expect.poll(() => network.of('botDecisions').at(-1)?.query).toEqual({ symbol: 'ETH/USDT' });
    await page.getByText('7 days').click();
    await expect.poll(() => Object.keys(network.of('botDecisions').at(-1)?.query ?? {}).sort()).toEqual(['from', 'symbol']);
    await address().toHaveAttribute('data-search', expect.stringContaining('days=7&symbol=ETH%2FUSDT'));
  });

  test('older decisions follow those that are shown, of the same range', async () => {
    const older = aReply({ decisions: [aDecision(10)], funnels: null });
    await open(undefined, (net) => net.on('botDecisions', ({ query }) => (query['before'] === 'x' ? older : aReply({ next: 'x' }))));
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.element(table().getByText('2026-11-21 04:10')).toBeVisible();
    await expect.element(table().getByText('2026-11-21 04:30')).toBeVisible();
    const { from, to } = aReply();
    expect(network.of('botDecisions').at(-1)?.query).toEqual({ from, to, before: 'x' });
    await expect.element(page.getByRole('button', { name: 'Older' })).toBeDisabled();
  });

  test('nothing decided is said, and so is a failure, which can be tried again', async () => {
    await open(undefined, (net) => net.on('botDecisions', problem(403, 'You do not have access to this bot')));
    await expect.element(page.getByText('You do not have access to this bot')).toBeVisible();
    network.on('botDecisions', aReply({ decisions: [], funnels: { hour: none, day: none, range: none } }));
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByText('No candle was decided in this time')).toBeVisible();
  });

  test('the last decision in the Fleet leads to it, and Back returns', async () => {
    const last = { time: '2026-11-21T04:30:00.000Z', symbol: 'BTC/USDT', action: 'none', gate: 'slots-full', direction: 'long' } as const;
    await open('', (net) => net.on('liveStatus', liveOf([asLive(aBot(1), { last_decision: last })])));
    await page.getByRole('button', { name: /^No entry in BTC\/USDT long/u }).click();
    await expect.element(page.getByRole('heading', { name: 'Why Bot 1 Did or Did Not Trade' })).toBeVisible();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.element(page.getByRole('region', { name: 'Fleet', exact: true })).toBeVisible();
  });
});
