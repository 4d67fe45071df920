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
  test('on a phone each decision is in sight, below the time of its candle', async () => {
    await page.viewport(390, 844);
    try {
      await open();
      await expect
        .poll(() => table().getByRole('row').nth(1).getByRole('cell').first().element().textContent)
        .toBe('2026-11-21 04:30No entry in BTC/USDT long: no free slot (3 of 3 open)');
      expect(
        table()
          .getByRole('columnheader')
          .elements()
          .map(({ textContent }) => textContent),
      ).not.toContain('Pair');
    } finally {
      await page.viewport(1440, 1000);
    }
  });

  test('the way to the What-If of the bot is there without a check that is chosen', async () => {
    await open(undefined, (net) => net.on('whatIf', problem(404, 'Bot not found')));
    await page.getByRole('button', { name: 'Open in What-If' }).click();
    await expect.poll(() => network.of('whatIf').at(-1)?.query['bot']).toBe(idOf(101));
  });

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

  test('of a bot that has run for less than an hour nothing is said twice', async () => {
    await open(undefined, (net) => net.on('botDecisions', aReply({ funnels: { hour: none, day: none, range: none } })));
    await expect.element(page.getByText('Last hour and day: 60 candles, 0 signals.')).toBeVisible();
    expect(page.getByText(/^Last day/u).elements()).toEqual([]);
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

describe('ADD-replay-refused', () => {
  type ReplayReply = CallReply<'replayRefused'>;
  const gate = `?why=${idOf(101)}&gate=slots-full`;
  const entry = (minute: number, changes: object = {}) => ({
    candle_time: aDecision(minute).candle_time,
    symbol: 'BTC/USDT',
    direction: 'long' as const,
    outcome: 'closed' as const,
    why: null,
    profit: -5.9,
    closed_at: aDecision(50).candle_time,
    exit_reason: 'stop_loss',
    ...changes,
  });
  const replayed = (changes: Partial<NonNullable<ReplayReply['replay']>> = {}): ReplayReply => ({
    state: 'done',
    why: null,
    replay: {
      from: aReply().from,
      to: aReply().to,
      until: aReply().to,
      refused: 215,
      left_out: 15,
      entries: [
        entry(30),
        entry(28, { outcome: 'open', profit: 1.25, closed_at: null, exit_reason: null }),
        entry(27, { outcome: 'not-made', why: 'unfilled', profit: null }),
      ],
      sums: [{ currency: 'USDT', profit: -4.65, won: 1, lost: 1, open: 1, open_profit: 1.25 }],
      ...changes,
    },
  });
  const panel = () => page.getByRole('region', { name: 'Replay of refused entries' });
  const press = (name = 'Replay Without This Check') => panel().getByRole('button', { name }).click();
  const two = aReply({ decisions: [aDecision(30), aDecision(28), aDecision(27)] });

  test('a press replays what a check has refused: the sum in a sentence, and beside each candle what it would have made', async () => {
    let release: (reply: ReplayReply) => void = () => {};
    await open(gate, (net) => net.on('botDecisions', two).on('replayRefused', () => new Promise((resolve) => (release = resolve))));
    await expect.element(panel().getByText('What would these entries have made?', { exact: false })).toBeVisible();
    expect(network.of('replayRefused')).toHaveLength(0);
    await press();
    await expect.element(panel().getByText('Replaying the refused entries ...')).toBeVisible();
    await expect.poll(() => network.of('replayRefused').map(({ body }) => body)).toEqual([{ gate: 'slots-full' }]);
    release(replayed());
    await expect
      .element(panel().getByRole('status'))
      .toHaveTextContent(
        'Without this check, each as a single trade: -$4.65. Replayed on candles, not real: they would have been 1 won, 1 lost, after fees.' +
          '1 is still open and counted at the newest candle: +$1.25. 1 not made: the order was not filled. Of 215 refused entries the oldest 15 are left out.',
      );
    await expect.element(table().getByText('-$5.90, stop loss')).toBeVisible();
    await expect.element(table().getByText('+$1.25, still open')).toBeVisible();
    await expect.element(table().getByText('not made: the order was not filled')).toBeVisible();
  });

  test('it belongs to what is chosen: another period asks again, and signals that were not refused offer none', async () => {
    await open(gate, (net) => net.on('replayRefused', replayed()));
    await press();
    await expect.element(panel().getByText('-$4.65', { exact: false })).toBeVisible();
    await page.getByText('7 days').click();
    await expect.element(panel().getByRole('button', { name: 'Replay Without This Check' })).toBeVisible();
    await press();
    await expect.poll(() => Object.keys(network.of('replayRefused').at(-1)?.body ?? {}).sort()).toEqual(['from', 'gate']);
    await step(/Entered/u).click();
    await expect.element(panel()).not.toBeInTheDocument();
  });

  test('a failure is said and tried again; what cannot be replayed says why; candles on their way are waited for; nothing refused is said', async () => {
    await open(gate, (net) => net.on('replayRefused', problem(409, 'A newer replay has replaced this one')));
    await press();
    await expect.element(panel().getByText('The replay has failed: A newer replay has replaced this one')).toBeVisible();
    network.on('replayRefused', { state: 'unavailable', why: 'The exchange does not give the candles of these pairs.', replay: null });
    await press('Replay Again');
    await expect
      .element(panel().getByText('They cannot be replayed. The exchange does not give the candles of these pairs.'))
      .toBeVisible();
    let reply: ReplayReply = { state: 'downloading', why: 'The candles of 1 of 3 pairs are there.', replay: null };
    network.on('replayRefused', () => reply);
    await press('Replay Again');
    await expect.element(panel().getByText('Downloading candles. The candles of 1 of 3 pairs are there.')).toBeVisible();
    reply = replayed({ entries: [], sums: [], refused: 0, left_out: 0 });
    await expect.element(panel().getByText('This check has refused no entry in this time: there is nothing to replay.')).toBeVisible();
  });
});
