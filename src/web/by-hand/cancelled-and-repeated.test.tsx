import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { texts } from '#contract/errors.ts';
import type { CallReply } from '#contract/client.ts';
import { askForPasswordBy } from '../api/password-needed.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { aBot, aBotConfig, asMonitored } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { somePnl } from '../testing/samples/monitoring.ts';
import { someTradeOrders } from '../testing/samples/trade-orders.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';

type Action = CallReply<'manualActions'>['actions'][number];
type Asked = 'addToTrade' | 'takeOutOfTrade' | 'moveStop' | 'enterByHand' | 'closeTrade';

let network: Answerer;
const trade = someTradeOrders();
const perpetuals = aBot(1, { margin_mode: 'futures', trading_pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT'] });
const asked: CallReply<'enterByHand'> = { action_id: idOf(700), expires_in_ms: 30_000 };
const closeAsked: CallReply<'closeTrade'> = { trade_id: trade.trade_id, close_asked_at: '2026-11-21T19:04:00.000Z' };
const anAction = (changes: Partial<Action>): Action => ({
  action_id: idOf(700),
  kind: 'add',
  symbol: 'ETH/USDT',
  trade_id: trade.trade_id,
  direction: null,
  stake: 1000,
  share: null,
  stop_price: null,
  asked_by: 'Mara',
  asked_by_you: true,
  asked_at: '2026-11-21T19:03:58.000Z',
  state: 'waiting',
  refusal: null,
  order_id: null,
  ended_at: null,
  ...changes,
});

beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const mayBeSent = /may have been sent/u;

/** Every question that is asked by hand: how it is opened, what it is called, its button, and the call that it makes. */
const questions: [title: string, opens: string, confirms: string, call: Asked][] = [
  ['Enter by Hand', 'Enter by Hand', 'Enter', 'enterByHand'],
  ['Add', 'Add', 'Add', 'addToTrade'],
  ['Take Out', 'Take Out', 'Take Out', 'takeOutOfTrade'],
  ['Move Stop', 'Move Stop', 'Move Stop', 'moveStop'],
  ['Close Trade', 'Close now', 'Confirm', 'closeTrade'],
];

/** Opens a question of `questions`, with the calls answered as `answer` says. */
async function openQuestion(title: string, answers: (network: Answerer) => Answerer = (same) => same): Promise<void> {
  network = answers(
    answerFor(aUser('trader'))
      .on('tradeOrders', trade)
      .on('pnlMetrics', somePnl({ current_price: 2080, unrealized_pnl: 9, position_size: 0.4853 }))
      .on('availableBots', { data: [{ ...asMonitored(aBot(1)), may_change: true }] })
      .on('getBot', aBotConfig(perpetuals))
      .on('manualActions', { actions: [] }),
  );
  startPage('/');
  await render(<TestPage path="/" search={title === 'Enter by Hand' ? '' : `?order=${trade.trade_id}`} />);
  const [, opens = ''] = questions.find(([name]) => name === title) ?? [];
  await button(opens).click();
  if (title === 'Enter by Hand') await expect.element(dialog(title).getByRole('textbox', { name: /^Stake/u })).toBeVisible();
}
const bodiesOf = (call: Asked) => network.of(call).map(({ body }) => body);
const keys = (call: Asked) => network.of(call).map(({ headers }) => headers.get('idempotency-key'));
const succeed = (call: Asked) => (call === 'closeTrade' ? network.on(call, closeAsked) : network.on(call, asked));

describe('cancelled while it is being sent', () => {
  test.each(questions)('%s: nothing goes out afterwards, and it is said that it may have been sent', async (title, _, confirms, call) => {
    await openQuestion(title, (net) => net.on(call, noAnswer));
    holdMoments();
    await dialog(title).getByRole('button', { name: confirms, exact: true }).click();
    await expect.poll(() => network.of(call).length).toBe(1);
    await dialog(title).getByRole('button', { name: 'Cancel' }).click();
    succeed(call);
    for (let second = 0; second < 5; second++) await pass(1000);
    expect(network.of(call)).toHaveLength(1);
    await expect.element(dialog(title).getByText(mayBeSent)).toBeVisible();
    await dialog(title).getByRole('button', { name: 'Close', exact: true }).last().click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    expect(network.of(call)).toHaveLength(1);
  });

  test('Escape does the same, also while the first request is on its way', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', () => new Promise<never>(() => undefined)));
    await dialog('Add').getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => network.of('addToTrade').length).toBe(1);
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog('Add')).not.toBeInTheDocument();
  });

  test('a request that waits for the session to be renewed does not go out any more', async () => {
    let renew = () => undefined as void;
    await openQuestion('Add', (net) => net.on('addToTrade', problem(401, texts.notAuthenticated)));
    network.on('refreshSession', () => new Promise((resolve) => (renew = () => resolve({ status: 'Session refreshed' }))));
    await dialog('Add').getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => network.of('refreshSession').length).toBe(1);
    await dialog('Add').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    succeed('addToTrade');
    const polls = network.of('tradeOrders').length;
    renew();
    await expect.poll(() => network.of('tradeOrders').length).toBeGreaterThan(polls + 1); // these waited for the same session
    expect(network.of('addToTrade')).toHaveLength(1);
  });

  test('what had reached the trade all the same is shown, and what came of it', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', () => new Promise<never>(() => undefined)));
    const old = anAction({ action_id: idOf(699), state: 'refused', refusal: 'slots-full' });
    network.on('tradeOrders', someTradeOrders({ by_hand: [old] }));
    await expect.element(page.getByRole('list', { name: 'By hand' })).toBeInTheDocument();
    await dialog('Add').getByRole('button', { name: 'Add', exact: true }).click();
    await dialog('Add').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    await expect.element(dialog('Add').getByText('Not done: no free slot.')).not.toBeInTheDocument();
    const others = [
      anAction({ action_id: idOf(698), kind: 'move-stop', stake: null, stop_price: 2050, state: 'done' }),
      anAction({ action_id: idOf(697), asked_by: 'Ida', asked_by_you: false, state: 'done' }),
      anAction({ action_id: idOf(696), stake: 1001, state: 'done' }),
    ];
    network.on('tradeOrders', someTradeOrders({ by_hand: [...others, old] }));
    await expect.element(page.getByRole('list', { name: 'By hand' }).getByText('Move the stop to $2050.00')).toBeInTheDocument();
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({}), ...others, old] }));
    await expect.element(dialog('Add').getByText('It was sent: Add 1000.00 USDT')).toBeVisible();
    await expect.element(dialog('Add').getByText('Waiting for the bot')).toBeVisible();
    await expect.element(dialog('Add').getByText(mayBeSent)).not.toBeInTheDocument();
    await expect.element(dialog('Add').getByRole('button', { name: 'Add', exact: true })).toBeDisabled();
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({ state: 'done' }), ...others, old] }));
    await expect.element(dialog('Add').getByText('Ordered')).toBeVisible();
  });

  test.each<[title: string, call: Asked, mine: Partial<Action>, other: Partial<Action>]>([
    ['Take Out', 'takeOutOfTrade', { kind: 'take-out', share: 0.5, stake: null }, { share: 0.25 }],
    ['Move Stop', 'moveStop', { kind: 'move-stop', stop_price: 1234.5, stake: null }, { stop_price: null }],
  ])('%s: neither another amount nor what somebody else has asked for is taken for it', async (title, call, mine, other) => {
    await openQuestion(title, (net) => net.on(call, () => new Promise<never>(() => undefined)));
    if (title === 'Move Stop')
      await dialog(title)
        .getByRole('textbox', { name: /^Stop Price/u })
        .fill('1234.5');
    await dialog(title).getByRole('button', { name: title, exact: true }).click();
    await expect.poll(() => network.of(call).length).toBe(1);
    await dialog(title).getByRole('button', { name: 'Cancel' }).click();
    const others = [
      anAction({ ...mine, ...other, action_id: idOf(698), state: 'done' }),
      anAction({ ...mine, action_id: idOf(697), asked_by: 'Ida', asked_by_you: false, state: 'done' }),
    ];
    network.on('tradeOrders', someTradeOrders({ by_hand: others }));
    await expect.element(page.getByRole('list', { name: 'By hand' })).toBeInTheDocument();
    await expect.element(dialog(title).getByText(mayBeSent)).toBeVisible();
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction(mine), ...others] }));
    await expect.element(dialog(title).getByText(/^It was sent: /u)).toBeVisible();
  });

  test('of two amounts that were sent without an answer the one that had reached the trade is shown', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', problem(503)));
    const add = dialog('Add').getByRole('button', { name: 'Add', exact: true });
    for (const [amount, calls] of [
      ['1000', 1],
      ['200', 2],
    ] as const) {
      await dialog('Add').getByRole('textbox', { name: 'Stake (USDT)' }).fill(amount);
      await add.click();
      await expect.poll(() => network.of('addToTrade').length).toBe(calls);
      await expect.element(add).toBeEnabled();
    }
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({})] }));
    await expect.element(dialog('Add').getByText('It was sent: Add 1000.00 USDT')).toBeVisible();
  });

  test('the refusal of another amount does not say that the first one has not arrived: it is warned of, and shown once it is there', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', problem(503)));
    const add = dialog('Add').getByRole('button', { name: 'Add', exact: true });
    const stake = dialog('Add').getByRole('textbox', { name: 'Stake (USDT)' });
    await stake.fill('1000');
    await add.click();
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    network.on('addToTrade', problem(409, 'Something else waits to be done with this trade'));
    await stake.fill('200');
    await add.click();
    await expect.element(dialog('Add').getByText('Something else waits to be done with this trade')).toBeVisible();
    await expect.element(dialog('Add').getByText(/^What was asked for before may have been sent already/u)).toBeVisible();
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({ state: 'done' })] }));
    await expect.element(dialog('Add').getByText('It was sent: Add 1000.00 USDT')).toBeVisible();
    await expect.element(add).toBeDisabled();
  });

  test('that another amount is accepted does not hide that the first one may have been sent, too', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', problem(503)));
    const add = dialog('Add').getByRole('button', { name: 'Add', exact: true });
    const stake = dialog('Add').getByRole('textbox', { name: 'Stake (USDT)' });
    await stake.fill('1000');
    await add.click();
    await expect.element(dialog('Add').getByText(mayBeSent)).toBeVisible();
    succeed('addToTrade');
    await stake.fill('200');
    await expectToast("Add: what was asked for before may have been sent already, too. Check the bot's trades.", () => add.click());
    await expect.element(dialog('Add')).not.toBeInTheDocument();
  });

  test('of two entries that were sent without an answer the one that had reached the bot is shown', async () => {
    await openQuestion('Enter by Hand', (net) => net.on('enterByHand', problem(503)));
    await expect.poll(() => network.of('manualActions').length).toBe(1);
    const asking = dialog('Enter by Hand');
    for (const amount of ['100', '200']) {
      await asking.getByRole('textbox', { name: /^Stake/u }).fill(amount);
      await asking.getByRole('button', { name: 'Enter', exact: true }).click();
      await expect.poll(() => bodiesOf('enterByHand').at(-1)).toMatchObject({ stake: Number(amount) });
      await expect.element(asking.getByText(mayBeSent)).toBeVisible();
    }
    const entry = { kind: 'enter', symbol: 'BTC/USDT:USDT', direction: 'long', stake: 100, share: null, trade_id: null } as const;
    network.on('manualActions', { actions: [anAction(entry)] });
    await expect.element(asking.getByText('Enter BTC/USDT:USDT long with 100.00 USDT')).toBeVisible();
  });

  test('the refusal of another entry keeps the warning of the first one, which is shown once it is there', async () => {
    await openQuestion('Enter by Hand', (net) => net.on('enterByHand', problem(503)));
    await expect.poll(() => network.of('manualActions').length).toBe(1);
    const asking = dialog('Enter by Hand');
    const stake = asking.getByRole('textbox', { name: /^Stake/u });
    const enter = asking.getByRole('button', { name: 'Enter', exact: true });
    await stake.fill('100');
    await enter.click();
    await expect.element(asking.getByText(mayBeSent)).toBeVisible();
    network.on('enterByHand', problem(409, texts.changedMeanwhile));
    await stake.fill('200');
    await enter.click();
    await expect.element(asking.getByText(/were changed meanwhile: nothing was entered/u)).toBeVisible();
    await expect.element(asking.getByText(/What was asked for before may have been sent already/u)).toBeVisible();
    const entry = { kind: 'enter', symbol: 'BTC/USDT:USDT', direction: 'long', stake: 100, share: null, trade_id: null } as const;
    network.on('manualActions', { actions: [anAction(entry)] });
    await expect.element(asking.getByText('Enter BTC/USDT:USDT long with 100.00 USDT')).toBeVisible();
  });

  test('an entry that had reached the bot all the same is shown, and no other one', async () => {
    const entry = { kind: 'enter', symbol: 'BTC/USDT:USDT', direction: 'long', stake: 50, share: null, trade_id: null } as const;
    const old = anAction({ ...entry, action_id: idOf(699), state: 'refused', refusal: 'slots-full' });
    await openQuestion('Enter by Hand', (net) =>
      net.on('enterByHand', () => new Promise<never>(() => undefined)).on('manualActions', { actions: [old] }),
    );
    await expect.poll(() => network.of('manualActions').length).toBe(1);
    await dialog('Enter by Hand')
      .getByRole('textbox', { name: /^Stake/u })
      .fill('50');
    await dialog('Enter by Hand').getByRole('button', { name: 'Enter', exact: true }).click();
    const others = [
      anAction({ ...entry, action_id: idOf(701), direction: 'short' }),
      anAction({ ...entry, action_id: idOf(702), stake: 51 }),
      anAction({ ...entry, action_id: idOf(703), symbol: 'ETH/USDT:USDT' }),
      anAction({ ...entry, action_id: idOf(704), stop_price: 90 }),
      anAction({ ...entry, action_id: idOf(705), asked_by: 'Ida', asked_by_you: false }),
    ];
    network.on('manualActions', { actions: [...others, old] });
    await dialog('Enter by Hand').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog('Enter by Hand').getByText(mayBeSent)).toBeVisible();
    await expect.poll(() => network.of('manualActions').length).toBeGreaterThan(2);
    await expect.element(dialog('Enter by Hand').getByText(mayBeSent)).toBeVisible();
    network.on('manualActions', { actions: [...others, anAction(entry), old] });
    await expect.element(dialog('Enter by Hand').getByText('Enter BTC/USDT:USDT long with 50.00 USDT')).toBeVisible();
    await expect.element(dialog('Enter by Hand').getByText('Waiting for the bot')).toBeVisible();
  });

  test('a short that had reached the bot all the same and was refused comes back as it was typed, with its stop', async () => {
    await openQuestion('Enter by Hand', (net) => net.on('enterByHand', () => new Promise<never>(() => undefined)));
    await expect.poll(() => network.of('manualActions').length).toBe(1);
    const asking = dialog('Enter by Hand');
    const stake = asking.getByRole('textbox', { name: /^Stake/u });
    const stop = asking.getByRole('textbox', { name: /^Stop Price/u });
    const enter = asking.getByRole('button', { name: 'Enter', exact: true });
    await asking.getByRole('combobox', { name: 'Trading Pair' }).click();
    await page.getByRole('option', { name: 'ETH/USDT:USDT' }).click();
    await asking.getByText('Short', { exact: true }).click();
    await stake.fill('75');
    await stop.fill('2100.5');
    await enter.click();
    await expect.poll(() => network.of('enterByHand').length).toBe(1);
    const entry = { symbol: 'ETH/USDT:USDT', direction: 'short', stake: 75, stop_price: 2100.5 } as const;
    const refused = anAction({ ...entry, kind: 'enter', trade_id: null, state: 'refused', refusal: 'slots-full' });
    network.on('manualActions', { actions: [refused] });
    await asking.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(asking.getByText('Not done: no free slot.')).toBeVisible();
    await asking.getByRole('button', { name: 'Change It' }).click();
    await expect.element(asking.getByRole('radio', { name: 'Short' })).toBeChecked();
    await expect.element(stake).toHaveValue('75');
    await expect.element(stop).toHaveValue('2100.5');
    succeed('enterByHand');
    await enter.click();
    const body = { ...entry, mode: 'paper' };
    await expect.poll(() => network.of('enterByHand').map((call) => call.body)).toEqual([body, body]);
  });

  test('who cancels after it was accepted, while the trade is loaded again, is shown that', async () => {
    await openQuestion('Close Trade', (net) => net.on('closeTrade', closeAsked));
    network.on('tradeOrders', () => new Promise<never>(() => undefined));
    const before = network.of('tradeOrders').length;
    await dialog('Close Trade').getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => network.of('tradeOrders').length).toBeGreaterThan(before);
    await expect.element(dialog('Close Trade').getByRole('button', { name: 'Confirm' })).toBeDisabled();
    await expectToast('Close Trade: it was accepted already.', () => dialog('Close Trade').getByRole('button', { name: 'Cancel' }).click());
    await expect.element(dialog('Close Trade')).not.toBeInTheDocument();
  });

  test('who leaves the page meanwhile is shown that, and nothing goes out any more', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', noAnswer));
    holdMoments();
    await dialog('Add').getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => network.of('addToTrade').length).toBe(1);
    await expectToast("Add: it may have been sent already. Check the bot's trades.", async () => {
      network.on('tradeOrders', someTradeOrders({ may_close: false })); // the question goes with its buttons
      await expect.element(dialog('Add')).not.toBeInTheDocument();
    });
    for (let second = 0; second < 5; second++) await pass(1000);
    expect(network.of('addToTrade')).toHaveLength(1);
  });
});

describe('OP-82 asked again', () => {
  test.each(questions)(
    '%s: what got no answer is asked again with its key, what was answered with a new one',
    async (title, _, confirms, call) => {
      await openQuestion(title, (net) => net.on(call, noAnswer));
      holdMoments();
      const confirm = dialog(title).getByRole('button', { name: confirms, exact: true });
      await confirm.click();
      for (let second = 0; second < 4; second++) await pass(1000);
      await expect.element(dialog(title).getByText(/Something went wrong. Please try again./u)).toBeVisible();
      await expect.element(dialog(title).getByText(mayBeSent)).toBeVisible();
      network.on(call, problem(504));
      await confirm.click(); // a proxy in front has given up, the server may not have
      await expect.poll(() => network.of(call).length).toBe(5);
      await expect.element(confirm).toBeEnabled();
      network.on(call, problem(409, 'Another order by hand of this pair has not ended yet. Wait a moment.'));
      await confirm.click();
      await expect.element(dialog(title).getByText(/Another order by hand of this pair has not ended yet. Wait a moment./u)).toBeVisible();
      await expect.element(dialog(title).getByText(mayBeSent)).not.toBeInTheDocument();
      succeed(call);
      await confirm.click();
      await expect.poll(() => network.of(call).length).toBe(7);
      const [first, ...others] = keys(call);
      expect(others.slice(0, 5)).toEqual([first, first, first, first, first]);
      expect(others[5]).not.toBe(first);
    },
  );

  test('another amount is another question; the one before keeps its key', async () => {
    await openQuestion('Add', (net) => net.on('addToTrade', problem(503)));
    const add = dialog('Add').getByRole('button', { name: 'Add', exact: true });
    const stake = dialog('Add').getByRole('textbox', { name: 'Stake (USDT)' });
    for (const [amount, calls] of [
      ['100', 1],
      ['200', 2],
      ['100', 3],
    ] as const) {
      await stake.fill(amount);
      await add.click();
      await expect.poll(() => network.of('addToTrade').length).toBe(calls);
      await expect.element(add).toBeEnabled();
    }
    const [first, second, third] = keys('addToTrade');
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  });

  test('once the password is given it is a new call: the refusal before is an answer, which the server would repeat', async () => {
    await openQuestion('Close Trade', (net) => net.on('closeTrade', problem(403, texts.passwordNeeded)));
    const stop = askForPasswordBy(() => {
      succeed('closeTrade');
      return Promise.resolve(true);
    });
    await dialog('Close Trade').getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => network.of('closeTrade').length).toBe(2);
    stop();
    const [first, second] = keys('closeTrade');
    expect(second).not.toBe(first);
  });
});
