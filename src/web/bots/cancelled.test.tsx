import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { changeAddress } from '../address/address.ts';
import { askForPasswordBy } from '../api/password-needed.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { aBot, aBotConfig, asLive, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aStrategy } from '../testing/samples/strategies.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';

let network: Answerer;
const open = async (bots: Bot[], search = '') => {
  network = answerFor(aUser('trader'))
    .on('listStrategies', { strategies: [aStrategy(1)] })
    .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] })
    .on('stakeCurrencies', { stake_currencies: ['USDT'] })
    .on('tradingPairs', { trading_pairs: ['BTC/USDT'] })
    .on('getBot', ({ path }) => aBotConfig(bots.find(({ id }) => path.includes(id)) ?? aBot(1)));
  serve(bots);
  startPage('/');
  await render(<TestPage path="/" search={`?tab=bot_control${search}`} />);
};
/** From now on the server has these bots, in the list and in the live status. */
const serve = (bots: Bot[]) => network.on('listBots', bots).on('liveStatus', liveOf(bots.map((bot) => asLive(bot))));
const formOf = (bot: number) => `&view=configure&bot=${idOf(100 + bot)}`;
const never = () => new Promise<never>(() => undefined);
beforeAll(() => page.viewport(1440, 1100));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const inCard = (button: string) => page.getByRole('article', { name: 'Bot 1', exact: true }).getByRole('button', { name: button });
const dialog = (title: string) => page.getByRole('dialog', { name: title, exact: true });
const inDialog = (title: string, button: string) => dialog(title).getByRole('button', { name: button, exact: true });
const banners = () => [...document.querySelectorAll('.fl-banner-error')].map(({ textContent }) => textContent);
const cancelled = (may: string, saved = '') => `Cancelled: nothing more is sent. ${saved}${may} may have been done already: check the bot.`;
/** Time enough for every further try. */
const passTries = async () => {
  for (let second = 0; second < 5; second++) await pass(1000);
};
type Change = 'toggleBot' | 'changeBotMode' | 'updateBot' | 'addApiKey' | 'changeBots';
const sent = (name: Change) => expect.poll(() => network.of(name).length).toBe(1);

describe('BOTS-26 a change of a bot that is cancelled in the list while it is sent', () => {
  const stop = async () => {
    await page.getByRole('button', { name: 'More for Bot 1' }).click();
    await page.getByRole('menuitem', { name: 'Stop Bot' }).click();
  };
  const toLive = async () => {
    await inCard('Switch to Live').click();
    await dialog('Change Bot Mode').getByLabelText("Type the bot's name").fill('Bot 1');
  };
  test.each<
    [title: string, before: Partial<Bot>, ask: () => Promise<void>, call: Change, after: Partial<Bot>, shows: string, what: string]
  >([
    ['Activate Bot', { status: 'stopped' }, () => inCard('Activate').click(), 'toggleBot', { status: 'active' }, 'Pause', 'active'],
    ['Pause Bot', {}, () => inCard('Pause').click(), 'toggleBot', { status: 'paused' }, 'Activate', 'paused'],
    ['Stop Bot', {}, stop, 'toggleBot', { status: 'stopped' }, 'Activate', 'stopped'],
    ['Change Bot Mode', {}, toLive, 'changeBotMode', { mode: 'live' }, 'Switch to Paper', 'live'],
  ])('%s: nothing goes out afterwards, that is said, and the list shows what is', async (title, before, ask, call, after, shows, what) => {
    await open([aBot(1, before)]);
    network.on(call, noAnswer);
    await ask();
    holdMoments();
    await inDialog(title, 'Confirm').click();
    await sent(call);
    serve([aBot(1, after)]); // the first request had arrived
    network.on(call, aBot(1, after));
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    await expect.element(inCard(shows)).toBeVisible();
    await passTries();
    expect(network.of(call)).toHaveLength(1);
    expect(banners()).toEqual([cancelled(`The change of Bot 1 to ${what}`)]);
  });

  test('Escape does the same; where the bots cannot be loaded either, both are said', async () => {
    await open([aBot(1)]);
    network.on('toggleBot', never);
    await inCard('Pause').click();
    await inDialog('Pause Bot', 'Confirm').click();
    await sent('toggleBot');
    network.on('listBots', problem(503, 'The database is away.'));
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    await expect.poll(banners).toEqual(['Failed to load bots: The database is away.', cancelled('The change of Bot 1 to paused')]);
    serve([aBot(1)]);
    await page.getByRole('button', { name: 'Refresh', exact: true }).first().click();
    await expect.poll(banners).toEqual([]);
  });

  test('a request that waits for the session to be renewed does not go out any more', async () => {
    await open([aBot(1)]);
    let renew = () => undefined as void;
    network.on('toggleBot', problem(401, texts.notAuthenticated));
    network.on('refreshSession', () => new Promise((resolve) => (renew = () => resolve({ status: 'Session refreshed' }))));
    await inCard('Pause').click();
    await inDialog('Pause Bot', 'Confirm').click();
    await expect.poll(() => network.of('refreshSession').length).toBe(1);
    const lists = network.of('listBots').length;
    await inDialog('Pause Bot', 'Cancel').click();
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    network.on('toggleBot', aBot(1));
    renew();
    await expect.poll(() => network.of('listBots').length).toBeGreaterThan(lists); // which waited for the same session
    await pass(0);
    expect(network.of('toggleBot')).toHaveLength(1);
  });

  test('it does not wait for the password that was asked for, and when that is given nothing goes out', async () => {
    await open([aBot(1)]);
    const password = Promise.withResolvers<boolean>();
    let wasAsked = false;
    network.on('toggleBot', problem(403, texts.passwordNeeded));
    await inCard('Pause').click();
    const stopAsking = askForPasswordBy(() => {
      wasAsked = true;
      return password.promise;
    });
    await inDialog('Pause Bot', 'Confirm').click();
    await expect.poll(() => wasAsked).toBe(true);
    await inDialog('Pause Bot', 'Cancel').click();
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    await expect.poll(banners).toEqual([cancelled('The change of Bot 1 to paused')]);
    network.on('toggleBot', aBot(1));
    password.resolve(true);
    await pass(0);
    stopAsking();
    expect(network.of('toggleBot')).toHaveLength(1);
  });

  test('after it was done, while the list is loaded again, the dialog just closes', async () => {
    await open([aBot(1)]);
    await inCard('Pause').click();
    network.on('toggleBot', aBot(1, { status: 'paused' })).on('listBots', never);
    await expectToast('Bot paused successfully', () => inDialog('Pause Bot', 'Confirm').click());
    await inDialog('Pause Bot', 'Cancel').click();
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    expect(banners()).toEqual([]);
  });

  test('who cancels another question does not cancel it', async () => {
    await open([aBot(1), aBot(2)]);
    const answer = Promise.withResolvers<Bot>();
    network.on('toggleBot', () => answer.promise);
    await inCard('Pause').click();
    await inDialog('Pause Bot', 'Confirm').click();
    await sent('toggleBot');
    changeAddress({ view: 'configure', bot: idOf(102) }); // as by the Back button
    await press('Stop Bot');
    await inDialog('Stop Bot', 'Cancel').click();
    await expect.element(dialog('Stop Bot')).not.toBeInTheDocument();
    await expectToast('Bot paused successfully', () => Promise.resolve(answer.resolve(aBot(1, { status: 'paused' }))));
    expect(banners()).toEqual([]);
  });
});

describe('BOTS-26 a change that is cancelled in the form while it is sent', () => {
  test.each([
    ['Activate', 'Activate Bot', 'paused', 'active'],
    ['Stop Bot', 'Stop Bot', 'active', 'stopped'],
  ] as const)('%s: nothing goes out afterwards, and that is said', async (button, title, before, after) => {
    await open([aBot(1, { status: before })], formOf(1));
    network.on('toggleBot', noAnswer);
    await press(button);
    holdMoments();
    await inDialog(title, 'Confirm').click();
    await sent('toggleBot');
    network.on('toggleBot', aBot(1, { status: after }));
    const lists = network.of('listBots').length;
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    await expect.poll(banners).toEqual([cancelled(`The change of Bot 1 to ${after}`)]);
    await passTries();
    expect(network.of('toggleBot')).toHaveLength(1);
    expect(network.of('listBots').length).toBeGreaterThan(lists);
  });

  const stored = { trading_pairs: ['BTC/USDT'], version: 7 };
  const title = 'Change Bot Mode';
  const steps: Change[] = ['updateBot', 'addApiKey', 'changeBotMode'];
  const askToGoLive = async () => {
    await page.getByRole('combobox', { name: 'Trading Mode', exact: true }).click();
    await page.getByRole('option', { name: 'live', exact: true }).click();
    await page.getByLabelText('Key', { exact: true }).fill('the key');
    await page.getByLabelText('Secret', { exact: true }).fill('the secret');
    await press('Update Bot');
    await dialog(title).getByLabelText("Type the bot's name").fill('Bot 1');
  };
  const answerSteps = () =>
    network
      .on('updateBot', aBot(1, { ...stored, version: 8 }))
      .on('addApiKey', { id: idOf(7), exchange: 'sandbox', label: null, last_used: null, bot_version: 9 })
      .on('changeBotMode', aBot(1, { ...stored, mode: 'live', status: 'paused', version: 9 }));

  test.each<[at: Change, done: number, says: string]>([
    ['updateBot', 0, cancelled('The change of the settings')],
    ['addApiKey', 1, cancelled('The change of the API key', 'Already saved: the settings. ')],
    ['changeBotMode', 2, cancelled('The change of the mode', 'Already saved: the settings and the API key. ')],
  ])('Switch to live, at %s: no further try and no further step, and it is said what is saved', async (at, done, text) => {
    await open([aBot(1, stored)], formOf(1));
    await askToGoLive();
    answerSteps().on(at, noAnswer);
    holdMoments();
    await inDialog(title, 'Confirm').click();
    await sent(at);
    answerSteps();
    const loads = ['listBots', 'getBot'].map((name) => network.of(name as 'getBot').length);
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    await expect.poll(banners).toEqual([text]);
    await passTries();
    expect(steps.map((step) => network.of(step).length)).toEqual(steps.map((_, step) => (step <= done ? 1 : 0)));
    expect(network.of('listBots').length).toBeGreaterThan(loads[0] ?? 0);
    expect(network.of('getBot').length).toBeGreaterThan(loads[1] ?? 0);
    await expect.element(page.getByRole('button', { name: 'Load Newest Values' })).toBeVisible();
    await expect.element(page.getByRole('combobox', { name: 'Trading Mode', exact: true })).toHaveValue('live'); // what was typed stays
  });

  test('Switch to live: a key that is sent again is the same one, and the stored keys are loaded again', async () => {
    await open([aBot(1, stored)], formOf(1));
    await askToGoLive();
    answerSteps().on('addApiKey', never);
    await inDialog(title, 'Confirm').click();
    await sent('addApiKey');
    const lists = network.of('listApiKeys').length;
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    await expect.poll(() => network.of('listApiKeys').length).toBeGreaterThan(lists);
    answerSteps();
    await press('Update Bot');
    await dialog(title).getByLabelText("Type the bot's name").fill('Bot 1');
    await inDialog(title, 'Confirm').click();
    await expect.poll(() => network.of('addApiKey').length).toBe(2);
    const [first, second] = network.of('addApiKey').map(({ headers }) => headers.get('idempotency-key'));
    expect(second).toBe(first); // the server stores it once
  });

  test('Switch to live: a step that waits for the password does not go out, nor any after it', async () => {
    await open([aBot(1, stored)], formOf(1));
    await askToGoLive();
    const password = Promise.withResolvers<boolean>();
    const stopAsking = askForPasswordBy(() => password.promise);
    answerSteps().on('addApiKey', problem(403, texts.passwordNeeded));
    await inDialog(title, 'Confirm').click();
    await sent('addApiKey');
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    await expect.poll(banners).toEqual([cancelled('The change of the API key', 'Already saved: the settings. ')]);
    answerSteps();
    password.resolve(true);
    await pass(0);
    stopAsking();
    expect(steps.map((step) => network.of(step).length)).toEqual([1, 1, 0]);
  });

  test('Switch to live: after all is saved, while it is loaded again, the dialog just closes', async () => {
    await open([aBot(1, stored)], formOf(1));
    await askToGoLive();
    const held = Promise.withResolvers<Bot[]>();
    answerSteps().on('listBots', () => held.promise);
    await expectToast('Bot updated successfully', () => inDialog(title, 'Confirm').click());
    await inDialog(title, 'Cancel').click();
    await expect.element(dialog(title)).not.toBeInTheDocument();
    expect(banners()).toEqual([]);
    held.resolve([aBot(1, { ...stored, mode: 'live', status: 'paused', version: 9 })]);
  });

  test('what is done closes no other question, which was asked while the bots were loaded again', async () => {
    await open([aBot(1)], formOf(1));
    const loaded = Promise.withResolvers<Bot[]>();
    await press('Stop Bot');
    network.on('toggleBot', aBot(1, { status: 'stopped' })).on('listBots', () => loaded.promise);
    await expectToast('Bot stopped successfully', () => inDialog('Stop Bot', 'Confirm').click());
    await inDialog('Stop Bot', 'Cancel').click();
    await expect.element(dialog('Stop Bot')).not.toBeInTheDocument();
    await press('Stop Bot');
    await expect.element(inDialog('Stop Bot', 'Confirm')).toBeDisabled();
    loaded.resolve([aBot(1)]);
    await expect.element(inDialog('Stop Bot', 'Confirm')).toBeEnabled();
    await pass(0);
    await expect.element(dialog('Stop Bot')).toBeVisible();
  });
});

describe('BOTS-26 a change of several bots that is cancelled while it is sent', () => {
  const bots = [aBot(1), aBot(2)];
  const answers = (second: 'done' | 'failed') => ({
    results: bots.map(({ id, nickname }, number) => {
      const outcome = number === 0 ? ('done' as const) : second;
      return { bot_id: id, nickname, outcome, reason: outcome === 'done' ? null : 'This bot is archived.' };
    }),
  });
  const ask = async (action: string) => {
    await page.getByRole('region', { name: 'Chosen bots' }).getByRole('button', { name: action, exact: true }).click();
    await expect.element(dialog(`${action} Bots`)).toBeVisible();
  };
  const askToPause = async () => {
    await open(bots);
    await press('Choose Several');
    await press('Choose All 2');
    await ask('Pause');
  };

  test('nothing goes out afterwards; the dialog says that it may have been done, and the bots are loaded again', async () => {
    await askToPause();
    network.on('changeBots', noAnswer);
    holdMoments();
    await inDialog('Pause Bots', 'Pause').click();
    await sent('changeBots');
    network.on('changeBots', answers('done'));
    const lists = network.of('listBots').length;
    await inDialog('Pause Bots', 'Cancel').click();
    await expect
      .element(dialog('Pause Bots').getByRole('alert'))
      .toHaveTextContent('Cancelled: nothing more is sent. It may have been done already, to some of the bots or all: check them.');
    await passTries();
    expect(network.of('changeBots')).toHaveLength(1);
    expect(network.of('listBots').length).toBeGreaterThan(lists);
    await dialog('Pause Bots').getByRole('button', { name: 'Close', exact: true }).last().click();
    await expect.element(dialog('Pause Bots')).not.toBeInTheDocument();
  });

  test('which bots it failed for is shown as soon as that is known, not after the bots are loaded again', async () => {
    await askToPause();
    network.on('changeBots', answers('failed')).on('listBots', never);
    await inDialog('Pause Bots', 'Pause').click();
    await expect.element(dialog('Pause Bots').getByRole('listitem')).toHaveTextContent('Bot 2: This bot is archived.');
  });

  test('that is done closes no other question, which was asked while the bots were loaded again', async () => {
    await askToPause();
    const loaded = Promise.withResolvers<Bot[]>();
    network.on('changeBots', answers('done')).on('listBots', () => loaded.promise);
    await expectToast('2 bots paused', () => inDialog('Pause Bots', 'Pause').click());
    await inDialog('Pause Bots', 'Cancel').click();
    await expect.element(dialog('Pause Bots')).not.toBeInTheDocument();
    await ask('Stop');
    loaded.resolve(bots.map((bot) => ({ ...bot, status: 'paused' })));
    await expect.element(inCard('Activate')).toBeInTheDocument();
    await pass(0);
    await expect.element(dialog('Stop Bots')).toBeVisible();
  });
});
