import type { CallReply } from '#contract/client.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { aBot } from '../testing/samples/bots.ts';
import { aNoStop } from '../testing/samples/no-stop.ts';
import { aTradingView, setSince } from '../testing/samples/trading.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';

type Found = CallReply<'listDifferences'>;
const bot = aBot(1, { mode: 'live' });
const id = '00000000-0000-4000-8000-0000000000d1';
const difference = (given: Partial<Found['open'][number]> = {}): Found['open'][number] => ({
  id,
  bot_id: bot.id,
  nickname: bot.nickname,
  exchange_id: 'sandbox',
  owner: null,
  symbol: 'BTC/USDT:USDT',
  expected: 2,
  actual: 1.5,
  found_at: '2026-11-22T09:30:00.000Z',
  trade: { id: '00000000-0000-4000-8000-0000000000e1', direction: 'long', amount: 2 },
  exits: 'Its exits and stops are for what the account holds for the trade, and no more.',
  choices: [
    { how: 'adopt', may: true, text: '0.5 BTC of the trade are booked as sold outside.' },
    { how: 'ignore', may: true, text: 'The trade stays as it is.' },
    { how: 'close', may: false, text: 'No trade of this bot covers it.' },
  ],
  ...given,
});
const unprotected: Found['unprotected'][number] = {
  trade_id: '00000000-0000-4000-8000-0000000000e1',
  bot_id: bot.id,
  nickname: bot.nickname,
  exchange_id: 'sandbox',
  symbol: 'SOL/USDT:USDT',
  direction: 'short',
  amount: 7.7857,
  close_asked_at: null,
  ...aNoStop({ since: '2026-11-22T09:31:00.000Z' }),
};
let network: Answerer;
let found: Found;
const open = async (
  given: Partial<Found>,
  search = `?bot=${bot.id}`,
  set: Partial<CallReply<'getTradingState'>['switches'][number]> = {},
) => {
  found = { open: [], unprotected: [], ended: [], ...given };
  let view = aTradingView({
    switches: [
      {
        level: 'bot',
        id: bot.id,
        name: bot.nickname,
        state: 'reducing',
        set_by: null,
        ...setSince('2026-11-22T09:30:00.000Z'),
        reason: 'difference',
        may_re_arm: true,
        closing_all: null,
        ...set,
      },
    ],
  });
  network = answerFor(aUser('admin'))
    .on('listBots', [bot])
    .on('listDifferences', () => found)
    .on('getTradingState', () => view)
    .on('reArmTrading', () => {
      view = aTradingView();
      return { state: 'active' as const, bots: 1, open_trades: 1 };
    })
    .on('resolveDifference', ({ body }) => {
      found = { ...found, open: [] };
      return { outcome: (body as { how: string }).how === 'ignore' ? ('ignored' as const) : ('adopted' as const) };
    })
    .on('closeTrade', () => {
      const at = '2026-11-22T09:32:00.000Z';
      found = { ...found, unprotected: found.unprotected.map((each) => ({ ...each, close_asked_at: at })) };
      return { trade_id: unprotected.trade_id, close_asked_at: at };
    });
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const panel = () => page.getByRole('region', { name: 'The exchange holds something else: BTC/USDT:USDT' });
const strip = () => page.getByRole('region', { name: 'No stop at the exchange: SOL/USDT:USDT short' });
const dialog = () => page.getByRole('dialog');
const choose = (name: string) => panel().getByRole('button', { name, exact: true });

describe('ADD-differences on the page of the bot', () => {
  test('it says what the account holds, what the trades say, since when, and what each choice would do', async () => {
    await open({ open: [difference()] });
    await expect.element(panel().getByText(/Sandbox holds 0.5 BTC less than the trades say/u)).toBeVisible();
    for (const text of ['2 BTC', '1.5 BTC', '-0.5 BTC']) await expect.element(panel().getByText(text, { exact: true })).toBeVisible();
    await expect.element(panel().getByText(/found 2026-11-22 09:30:00 UTC/u)).toBeVisible();
    await expect.element(choose('Adopt')).toHaveAccessibleDescription('0.5 BTC of the trade are booked as sold outside.');
    await expect.element(choose('Close')).toBeDisabled();
    await expect.element(choose('Close')).toHaveAccessibleDescription('No trade of this bot covers it.');
  });

  test('it is not on the page of another bot', async () => {
    await open({ open: [difference({ bot_id: '00000000-0000-4000-8000-0000000000ff' })], unprotected: [unprotected] });
    await expect.element(strip()).toBeVisible();
    await expect.element(panel()).not.toBeInTheDocument();
  });

  test('a position without a stop is not on the page of another bot', async () => {
    const theirs = { ...unprotected, trade_id: '00000000-0000-4000-8000-0000000000e2', bot_id: '00000000-0000-4000-8000-0000000000ff' };
    await open({ unprotected: [{ ...theirs, symbol: 'XRP/USDT:USDT' }, unprotected] });
    await expect.element(strip()).toBeVisible();
    await expect.element(page.getByRole('region', { name: /^No stop at the exchange: XRP/u })).not.toBeInTheDocument();
  });

  test('the alarm leads to it', async () => {
    await open({ open: [difference()] }, '?tab=bot_control');
    await expect.poll(() => network.of('pulse').length).toBeGreaterThan(0);
    await expect.element(panel()).not.toBeInTheDocument();
    network.on('listAlarms', [
      {
        id,
        kind: 'difference',
        level: 'bot',
        target_id: bot.id,
        title: 'The account differs from the trades',
        what: '',
        count: 1,
        advice: '',
        owner: null,
        raised_at: '2026-11-22T09:30:00.000Z',
        acknowledged_at: null,
      },
    ]);
    await page.getByRole('button', { name: 'Decide: The account differs from the trades' }).click();
    await expect.element(panel()).toBeVisible();
  });

  test('a live bot says that nothing was found, or what has ended; a failed load can be tried again', async () => {
    const search = `?tab=bot_control&view=configure&bot=${bot.id}`;
    await open({}, search);
    const history = page.getByRole('region', { name: 'Account and Trades' });
    await expect.element(history.getByText('No difference was found so far.')).toBeVisible();
    await cleanup();
    network.stop();
    const { choices: _choices, trade: _trade, exits: _exits, ...ended } = difference();
    await open({ ended: [{ ...ended, ended_at: '2026-11-22T09:40:00.000Z', outcome: 'adopted', is_done: true }] }, search);
    await expect.element(history.getByText('trades 2 BTC, account 1.5 BTC')).toBeVisible();
    await expect.element(history.getByText('adopted 2026-11-22 09:40:00')).toBeVisible();
    await cleanup();
    network.stop();
    const waiting = (outcome: 'adopted' | 'closed') => ({
      ...ended,
      id: outcome,
      ended_at: '2026-11-22T09:40:00.000Z',
      outcome,
      is_done: false,
    });
    await open({ ended: [waiting('adopted'), waiting('closed')] }, search);
    await expect.element(history.getByText('to be adopted since 2026-11-22 09:40:00: its bot has not done it yet')).toBeVisible();
    await expect.element(history.getByText('to be closed since 2026-11-22 09:40:00: its bot has not done it yet')).toBeVisible();
    await cleanup();
    network.stop();
    await open({}, search);
    network.on('listDifferences', problem(500, 'Something went wrong. Please try again.'));
    await expect.element(page.getByText('The comparison could not be loaded.')).toBeVisible();
    const retry = page.getByRole('button', { name: 'Retry' }).element() as HTMLButtonElement;
    network.on('listDifferences', () => found);
    retry.click(); // at once: the page asks again by itself, too
    await expect.element(history.getByText('No difference was found so far.')).toBeVisible();
  });
});

describe('ADD-resolve-difference', () => {
  test('a decision sends the amounts that were seen, says that it is done, and offers to let the bot enter again', async () => {
    await open({ open: [difference()] });
    await choose('Adopt').click();
    await expect.element(dialog().getByText(/trades say 2 BTC, account holds 1.5 BTC/u)).toBeVisible();
    expect(network.of('resolveDifference')).toEqual([]);
    await dialog().getByRole('button', { name: 'Adopt', exact: true }).click();
    await expect.element(dialog().getByText(/The trade is being corrected/u)).toBeVisible();
    expect(network.of('resolveDifference').map(({ path, body }) => [path, body])).toEqual([
      [`/differences/${id}/resolve`, { how: 'adopt', expected: 2, actual: 1.5 }],
    ]);
    await expect.element(panel()).not.toBeInTheDocument();
    await dialog()
      .getByRole('button', { name: `Let it enter again: Bot ${bot.nickname}` })
      .click();
    await page.getByRole('button', { name: 'Re-arm', exact: true }).click();
    await expect
      .poll(() => network.of('reArmTrading')[0]?.body)
      .toEqual({ level: 'bot', id: bot.id, state: 'active', set_at: '2026-11-22T09:30:00.000Z' });
    await dialog().getByRole('button', { name: 'Done' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
  });

  test.each(['halted', 'reducing'] as const)('what a person has stopped (%s) is not lifted along with the difference', async (state) => {
    await open({ open: [difference()] }, undefined, { state, reason: 'person', set_by: 'somebody@harbour.example' });
    await choose('Adopt').click();
    await dialog().getByRole('button', { name: 'Adopt', exact: true }).click();
    await expect.element(dialog().getByText(/^Something else has stopped the bot\./u)).toBeVisible();
    await expect.element(dialog().getByRole('button', { name: /^Let it enter again/u })).not.toBeInTheDocument();
    await dialog().getByRole('button', { name: 'Done' }).click();
  });

  test('a decision that is cancelled while it is being sent is not sent again, and it is said that it may have been done', async () => {
    await open({ open: [difference()] });
    network.on('resolveDifference', noAnswer);
    await choose('Adopt').click();
    holdMoments();
    await dialog().getByRole('button', { name: 'Adopt', exact: true }).click();
    await expect.poll(() => network.of('resolveDifference').length).toBe(1);
    const seen = network.of('pulse').length;
    await expectToast('Cancelled: nothing more is sent. It may have been done already: check the differences of the bot.', () =>
      dialog().getByRole('button', { name: 'Cancel' }).click(),
    );
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.poll(() => network.of('pulse').length).toBeGreaterThan(seen);
    for (let second = 0; second < 5; second++) await pass(1000);
    expect(network.of('resolveDifference')).toHaveLength(1);
  });

  test('amounts that have changed are shown with the reason, and sent with the next press', async () => {
    await open({ open: [difference()] });
    await choose('Ignore').click();
    found = { ...found, open: [difference({ actual: 1.4 })] };
    network.on('resolveDifference', problem(409, 'The amounts have changed meanwhile. Look at the new ones and decide again.'));
    await dialog().getByRole('button', { name: 'Ignore', exact: true }).click();
    await expect.element(dialog().getByText(/The amounts have changed meanwhile/u)).toBeVisible();
    await expect.element(dialog().getByText(/account holds 1.4 BTC/u)).toBeVisible();
    network.on('resolveDifference', { outcome: 'ignored' });
    await dialog().getByRole('button', { name: 'Ignore', exact: true }).click();
    await expect.element(dialog().getByText('The difference is ignored.')).toBeVisible();
    expect(network.of('resolveDifference').map(({ body }) => (body as { actual: number }).actual)).toEqual([1.5, 1.4]);
  });
});

/** As long as an exchange may get, with a word that no line can hold. */
const longRefusal = `binance {"code":-4045,"msg":"Reach max stop order limit. ${'The account has too many conditional orders. '.repeat(8)}${'x'.repeat(180)}"}`;

test('a position without a stop says what the exchange has refused its newest stop with', async () => {
  const refusal =
    'sandbox failed to give an answer to the order fl-9: binance {"code":-2010,"msg":"Stop price would trigger immediately."}';
  await open({ unprotected: [{ ...unprotected, failed_at: '2026-11-22T09:31:40.000Z', refusal }] });
  await expect
    .element(
      strip().getByText(/The exchange refused the newest stop at 09:31:40 UTC: "Stop price would trigger immediately." \(-2010\)\./u),
    )
    .toBeVisible();
});

test.each([
  ['expired', 400, 'The exchange took the newest stop and ended it at once, at 09:31:40 UTC, as expired. It gave no reason.'],
  ['expired', 8_000, 'The exchange took the newest stop and ended it after 8s, at 09:31:40 UTC, as expired. It gave no reason.'],
  [
    'cancelled',
    400,
    'The exchange took the newest stop, and it was cancelled there at once, at 09:31:40 UTC, not by the bot. It gave no reason.',
  ],
] as const)('a position whose stop the exchange took and ended (%s, after %i ms) says so', async (ended_as, stood_ms, sentence) => {
  await open({ unprotected: [{ ...unprotected, failed_at: '2026-11-22T09:31:40.000Z', ended_as, stood_ms }] });
  await expect.element(strip().getByText(sentence, { exact: false })).toBeVisible();
});

test('a stop that was refused without a word says that no reason was given', async () => {
  await open({ unprotected: [{ ...unprotected, failed_at: '2026-11-22T09:31:40.000Z', refusal: ' ' }] });
  await expect
    .element(strip().getByText('The exchange refused the newest stop at 09:31:40 UTC and gave no reason.', { exact: false }))
    .toBeVisible();
});

describe('ADD-try-stop', () => {
  const failed = aNoStop({
    since: '2026-11-22T09:31:00.000Z',
    failed_at: '2026-11-22T09:31:40.000Z',
    refusal: 'Too many stops.',
    next_stop: 'pausing',
  });
  const pausing = { ...unprotected, ...failed };
  const tryNow = () => strip().getByRole('button', { name: 'Try the stop now: SOL/USDT:USDT short' });

  test('a stop that waits after a failed one is tried at a press, without a question; the strip says how it goes until the stop stands', async () => {
    await open({ unprotected: [pausing] });
    await expect.element(strip().getByText(/: Too many stops\. The next is tried within five minutes\.$/u)).toBeVisible();
    const answer = Promise.withResolvers<CallReply<'tryStop'>>();
    network.on('tryStop', () => answer.promise);
    await tryNow().click();
    await expect.element(tryNow()).toBeDisabled();
    expect(network.of('tryStop').map(({ path }) => path)).toEqual([`/trades/${unprotected.trade_id}/try-stop`]);
    const stop_asked_at = '2026-11-22T09:32:00.000Z';
    found = { ...found, unprotected: [{ ...pausing, next_stop: 'asked', stop_asked_at }] };
    const reload = Promise.withResolvers<Found>();
    const loads = network.of('pulse').length;
    network.on('listDifferences', () => reload.promise);
    answer.resolve({ trade_id: unprotected.trade_id, next_stop: 'asked', stop_asked_at });
    await expect.poll(() => network.of('pulse').length).toBeGreaterThan(loads);
    await expect.element(tryNow()).toBeDisabled(); // until it is shown what came of it
    network.on('listDifferences', () => found);
    reload.resolve(found);
    await expect.element(strip().getByText(/The next is tried now, as soon as the bot sees a price; asked 09:32:00\.$/u)).toBeVisible();
    await expect.element(tryNow()).not.toBeInTheDocument();
    found = { ...found, unprotected: [{ ...pausing, next_stop: 'on-its-way' }] };
    await expect.element(strip().getByText(/A stop is on its way to the exchange\.$/u)).toBeVisible();
    await expect.element(tryNow()).not.toBeInTheDocument();
    // It was refused again: when and why, and it can be asked for again.
    found = { ...found, unprotected: [{ ...pausing, failed_at: '2026-11-22T09:32:02.000Z', refusal: 'Still too many.' }] };
    await expect.element(strip().getByText(/at 09:32:02 UTC: Still too many\./u)).toBeVisible();
    await expect.element(tryNow()).toBeEnabled();
    found = { ...found, unprotected: [] };
    await expect.element(strip()).not.toBeInTheDocument();
    expect(network.of('tryStop')).toHaveLength(1);
  });

  test('a press that is refused says why, and can be repeated', async () => {
    await open({ unprotected: [pausing] });
    network.on('tryStop', problem(409, 'No stop of this trade waits to be tried again'));
    await tryNow().click();
    await expect
      .element(strip().getByRole('alert'))
      .toHaveTextContent('Failed to try the stop: No stop of this trade waits to be tried again');
    await expect.element(tryNow()).toBeEnabled();
  });

  test('it is not offered where no stop waits, nor while the trade is being closed', async () => {
    for (const given of [{ next_stop: null }, { close_asked_at: '2026-11-22T09:32:00.000Z' }] as const) {
      await open({ unprotected: [{ ...pausing, ...given }] });
      await expect.element(strip()).toBeVisible();
      await expect.element(tryNow()).not.toBeInTheDocument();
      await cleanup();
      network.stop();
    }
    await open({});
  });
});

test('a position that is too small to sell says so; closing it leaves what it holds in the account', async () => {
  await open({ unprotected: [{ ...unprotected, symbol: 'BTC/USDT', direction: 'long', amount: 0.00004, too_small: 'to-sell' }] });
  const small = page.getByRole('region', { name: 'Too small to sell: BTC/USDT long' });
  await expect.element(small.getByRole('heading', { name: 'BTC/USDT long is too small to sell' })).toBeVisible();
  await expect.element(small.getByText(/The exchange takes no order for so little/u)).toBeVisible();
  await small.getByRole('button', { name: 'Close now: BTC/USDT long' }).click();
  await expect.element(dialog().getByText(/the trade ends, and what it holds stays in the account/u)).toBeVisible();
});

test('a position without a stop stands in red above all, and is closed after a question', async () => {
  await open({ open: [difference()], unprotected: [unprotected] });
  await expect.element(strip().getByText(/7.7857 SOL, unprotected since 2026-11-22 09:31:00 UTC/u)).toBeVisible();
  const order = strip().element().compareDocumentPosition(panel().element());
  expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  await strip().getByRole('button', { name: 'Close now: SOL/USDT:USDT short' }).click();
  expect(network.of('closeTrade')).toEqual([]);
  await dialog().getByRole('button', { name: 'Confirm' }).click();
  await expect.element(strip().getByText(/Closing at market, asked 09:32:00/u)).toBeVisible();
  expect(network.of('closeTrade')).toHaveLength(1);
});

test('cancelled while it is being sent, nothing closes it afterwards, and it is said that it may have been sent', async () => {
  await open({ unprotected: [unprotected] });
  network.on('closeTrade', noAnswer);
  await strip().getByRole('button', { name: 'Close now: SOL/USDT:USDT short' }).click();
  holdMoments();
  await dialog().getByRole('button', { name: 'Confirm' }).click();
  await expect.poll(() => network.of('closeTrade').length).toBe(1);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect.element(dialog().getByText(/may have been sent/u)).toBeVisible();
  for (let second = 0; second < 5; second++) await pass(1000);
  expect(network.of('closeTrade')).toHaveLength(1);
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect.element(dialog()).not.toBeInTheDocument();
});

test.each([
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
  ['light', 1440],
] as const)('in the %s theme it has no findings and fits at %i px', async (theme, width) => {
  await page.viewport(width, 900);
  localStorage.setItem('theme', theme);
  try {
    const why = aNoStop({ failed_at: '2026-11-22T09:31:40.000Z', refusal: longRefusal, next_stop: 'pausing' });
    await open({ open: [difference()], unprotected: [{ ...unprotected, ...why }] });
    network.on('tryStop', problem(409, 'No stop of this trade waits to be tried again'));
    localStorage.setItem('theme', theme);
    applyTheme();
    await strip()
      .getByRole('button', { name: /^Try the stop now/u })
      .click();
    await expect.element(strip().getByRole('alert')).toBeVisible();
    for (const region of [panel(), strip()]) {
      await expect.element(region).toBeVisible();
      const { violations } = await axe.run(region.element(), { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
      expect(violations).toEqual([]);
    }
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    expect(strip().element().scrollWidth).toBeLessThanOrEqual(strip().element().clientWidth);
  } finally {
    await page.viewport(1440, 900);
  }
});
