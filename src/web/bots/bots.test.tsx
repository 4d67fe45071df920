import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import { otherMode, otherStatus } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { expectToGoAfter, holdMoments } from '../testing/held-time.ts';
import { says } from '../testing/on-page.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aNoStop } from '../testing/samples/no-stop.ts';
import { aTradingView, setSince } from '../testing/samples/trading.ts';
import { anApiKey, aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { cardsPerStep } from './bot-cards.tsx';

let network: Answerer;
const open = async (bots: Bot[], role: Role = 'trader', answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(
    answerFor(aUser(role))
      .on('listBots', bots)
      .on('liveStatus', liveOf(bots.filter((bot) => role !== 'trader' || bot.user_id === idOf(1)).map((bot) => asLive(bot))))
      .on('listExchanges', {
        exchanges: [
          { id: 'sandbox', name: 'Sandbox' },
          { id: 'binance', name: 'Binance' },
        ],
      }),
  );
  startPage('/');
  const screen = await render(<TestPage path="/" search="?tab=bot_control" />);
  await expect.poll(() => network.of('listBots').length).toBeGreaterThan(0);
  return screen;
};
/** From now on the server has these bots, in the list and in the live status. */
const serve = (bots: Bot[]) => network.on('listBots', bots).on('liveStatus', liveOf(bots.map((bot) => asLive(bot))));
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const card = (name: string) => page.getByRole('article', { name, exact: true });
const inCard = (name: string, button: string) => card(name).getByRole('button', { name: button, exact: true });
const dialog = (title: string) => page.getByRole('dialog', { name: title, exact: true });
const names = () =>
  page
    .getByRole('article')
    .elements()
    .map((element) => element.getAttribute('aria-label'));
const choose = async (name: string, option: string) => {
  await page.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const theirs = { user_id: idOf(9) };
const whose = (label: string) => page.getByRole('radiogroup', { name: 'Whose bots' }).getByText(label, { exact: true });

describe('the list', () => {
  test('BOTS-01, BOTS-11, API-31, DATA-02, CONST-01, OP-68 a card shows what there is to know', async () => {
    await open([aBot(1, { nickname: 'Night', email: 'me@flotilla.example', total_pnl: -1234.5, stake_amount: 250 })]);
    await expect.element(page.getByRole('tablist', { name: 'Bots' }).getByRole('tab', { name: 'Bots' })).toBeVisible();
    for (const text of ['Night', 'active', 'me@flotilla.example', 'Sandbox', 'paper', '250.00 USDT', 'BTC/USDT, ETH/USDT', '-$1234.50']) {
      await expect.element(card('Night').getByText(text, { exact: true })).toBeVisible();
    }
    const color = getComputedStyle(card('Night').getByText('-$1234.50').element()).color;
    expect(color).toBe('rgb(255, 107, 104)');
  });

  test('a bot in bitcoins has its amounts in bitcoins on its card and in the totals, none of them in dollars', async () => {
    await open([
      aBot(1, {
        stake_currency: 'BTC',
        trading_pairs: ['ETH/BTC'],
        stake_amount: 0.05,
        total_pnl: -0.5,
        current_balance: 2,
        starting_balance: 2.5,
      }),
    ]);
    const totals = page.getByRole('region', { name: 'Totals' });
    for (const text of ['-0.500000 BTC', '0.050000 BTC'])
      await expect.element(card('Bot 1').getByText(text, { exact: true })).toBeVisible();
    for (const text of ['-0.500000 BTC', '2.000000 BTC']) await expect.element(totals.getByText(text, { exact: true })).toBeVisible();
    for (const shown of [card('Bot 1'), totals]) expect(shown.element().textContent).not.toContain('$');
  });

  test('BOTS-19, OP-29 active bots come first', async () => {
    await open([aBot(1, { nickname: 'c', status: 'stopped' }), aBot(2, { nickname: 'b', status: 'paused' }), aBot(3, { nickname: 'a' })]);
    await expect.poll(names).toEqual(['a', 'b', 'c']);
  });

  test('BOTS-05, BOTS-06, BOTS-07, BOTS-08, BOTS-09, OP-28, API-28 search and filters narrow the list', async () => {
    await open([
      aBot(1, { nickname: 'Alpha' }),
      aBot(2, { nickname: 'Beta', status: 'paused', mode: 'live' }),
      aBot(3, { nickname: 'Gamma', status: 'stopped', exchange_id: 'binance' }),
    ]);
    await expect.poll(names).toEqual(['Alpha', 'Beta', 'Gamma']);
    const search = page.getByPlaceholder('Search by name or nickname');
    await search.fill('MM');
    await expect.poll(names).toEqual(['Gamma']);
    await search.fill('');
    await choose('Status', 'paused');
    await expect.poll(names).toEqual(['Beta']);
    await choose('Status', 'All Statuses');
    await choose('Mode', 'paper');
    await expect.poll(names).toEqual(['Alpha', 'Gamma']);
    await choose('Mode', 'All Modes');
    await choose('Exchange', 'Binance');
    await expect.poll(names).toEqual(['Gamma']);
    await choose('Exchange', 'All Exchanges');
    await expect.poll(names).toEqual(['Alpha', 'Beta', 'Gamma']);
  });

  test('BOTS-10 Refresh loads the bots again', async () => {
    await open([aBot(1, { nickname: 'old' })]);
    await expect.poll(names).toEqual(['old']);
    serve([aBot(1, { nickname: 'new' })]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(names).toEqual(['new']);
  });

  test('BOTS-16, BOTS-17, ROLE-01 an empty list invites those who may create bots', async () => {
    for (const role of ['admin', 'trader', 'investor', 'operator'] as const) {
      const screen = await open([], role);
      await says('No bots found');
      const invited = role === 'admin' || role === 'trader';
      expect(page.getByText('Create a new bot to get started').elements()).toHaveLength(invited ? 1 : 0);
      await screen.unmount();
      network.stop();
    }
  });

  test('without a connection the list says that, as the header does', async () => {
    await open([], 'trader', (net) => net.on('listBots', noAnswer));
    await expect.element(page.getByText('Failed to load bots: Network error: Unable to connect to the server')).toBeVisible();
  });

  test('BOTS-18, ERR-14, API-62 a list that does not load says so in red above it', async () => {
    await open([], 'trader', (net) => net.on('listBots', problem(403, 'Account is closed')));
    const banner = page.getByText('Failed to load bots: Account is closed');
    await expect.element(banner).toBeVisible();
    expect(getComputedStyle(banner.element()).color).toBe('rgb(255, 123, 120)');
    expect(page.getByText('No bots found').elements()).toEqual([]);
    network.on('listBots', [aBot(1)]);
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(card('Bot 1')).toBeVisible();
    await expect.element(banner).not.toBeInTheDocument();
  });

  test('New Bot leads to the empty form, for those who may create bots', async () => {
    for (const role of ['investor', 'trader'] as const) {
      const screen = await open([aBot(1)], role);
      await expect.element(card('Bot 1')).toBeVisible();
      const button = page.getByRole('button', { name: 'New Bot', exact: true });
      expect(button.elements()).toHaveLength(role === 'trader' ? 1 : 0);
      if (role === 'trader') {
        await button.click();
        await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).toBeVisible();
      }
      await screen.unmount();
      network.stop();
    }
  });

  test('the badge of a bot names a kill switch that leaves less than its status says, on the card and beside the tabs', async () => {
    const held = (level: 'bot' | 'user', id: string, state: 'halted' | 'reducing') => ({
      level,
      id,
      name: null,
      state,
      set_by: null,
      ...setSince('2026-11-20T00:00:00.000Z'),
      reason: 'person' as const,
      may_re_arm: true,
      closing_all: null,
    });
    const bots = [aBot(1), aBot(2), aBot(3, { status: 'paused' }), aBot(4, theirs), aBot(5, { status: 'stopped' })];
    const switches = [held('bot', idOf(101), 'halted'), held('user', idOf(1), 'reducing')];
    await open(bots, 'admin', (net) => net.on('getTradingState', aTradingView({ switches })));
    await page.getByText('All', { exact: true }).first().click();
    const badge = (name: string) => card(name).element().querySelector('.fl-status')?.textContent;
    await expect.poll(() => bots.map(({ nickname }) => badge(nickname))).toEqual(['halted', 'reducing', 'paused', 'active', 'stopped']);
    await inCard('Bot 1', 'Bot 1').click();
    await expect.element(page.getByRole('group', { name: 'Selected bot' }).getByText('halted')).toBeVisible();
  });

  test('of two bots the one with an open trade without a stop is marked, and no other', async () => {
    const bare = {
      trade_id: idOf(900),
      bot_id: idOf(102),
      nickname: 'Bot 2',
      exchange_id: 'sandbox',
      symbol: 'BTC/USDT',
      direction: 'long',
      amount: 1,
      close_asked_at: null,
      ...aNoStop(),
    } as const;
    await open([aBot(1), aBot(2)], 'trader', (net) => net.on('listDifferences', { open: [], unprotected: [bare], ended: [] }));
    await expect.element(card('Bot 2').getByText('1 without stop')).toBeVisible();
    expect(
      card('Bot 1')
        .getByText(/without stop/u)
        .elements(),
    ).toEqual([]);
  });

  test('ERR-21 exchanges that do not load are logged only; cards show the id', async () => {
    await open([aBot(1)], 'trader', (net) => net.on('listExchanges', problem(403)));
    await expect.element(card('Bot 1').getByText('sandbox', { exact: true })).toBeVisible();
    expect(page.getByRole('alert').elements()).toEqual([]);
  });

  test('a list of 500 bots is drawn a step at a time and searched as a whole', async () => {
    await open(Array.from({ length: 500 }, (_, i) => aBot(i, { nickname: `Bot ${String(i).padStart(3, '0')}` })));
    await expect.poll(() => names().length).toBe(cardsPerStep);
    await says(`${cardsPerStep} of 500 bots`);
    await page.getByRole('button', { name: 'Show More' }).click();
    await expect.poll(() => names().length).toBe(2 * cardsPerStep);
    await page.getByRole('textbox', { name: 'Search bots' }).fill('bot');
    await expect.poll(() => names().length).toBe(cardsPerStep); // another search begins with the first cards
    await page.getByPlaceholder('Search by name or nickname').fill('499');
    await expect.poll(names).toEqual(['Bot 499']);
  });

  test('markup in names is shown as text', async () => {
    const nickname = '<img src=x onerror="document.title=1">';
    await open([aBot(1, { nickname })]);
    await expect.element(card(nickname).getByText(nickname)).toBeVisible();
    expect(document.querySelector('article img')).toBeNull();
  });

  test('long names and many pairs stay inside a card 390 px wide', async () => {
    await page.viewport(390, 844);
    await open([
      aBot(1, {
        nickname: 'N'.repeat(60),
        email: `${'m'.repeat(60)}@flotilla.example`,
        total_pnl: -123_456_789.12,
        trading_pairs: Array.from({ length: 40 }, (_, i) => `TOKEN${i}/USDT:USDT`),
      }),
    ]);
    await expect.element(card('N'.repeat(60))).toBeVisible();
    await says('TOKEN0/USDT:USDT, TOKEN1/USDT:USDT, TOKEN2/USDT:USDT, TOKEN3/USDT:USDT +36');
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    await page.viewport(1440, 900);
  });
});

describe('whose bots', () => {
  test('OP-29 one begins with the own ones; all are a click away, each list by status and nickname, with its own totals', async () => {
    const bots = [
      aBot(1, { nickname: 'zebra' }),
      aBot(2, { nickname: 'Ant', status: 'paused' }),
      aBot(3, { ...theirs, nickname: 'bee' }),
      aBot(4, { ...theirs, nickname: 'Cat', status: 'paused' }),
    ];
    await open(bots, 'admin');
    await expect.poll(names).toEqual(['zebra', 'Ant']);
    await expect.element(page.getByRole('radio', { name: 'Mine' })).toBeChecked();
    await whose('All').click();
    await expect.poll(names).toEqual(['bee', 'zebra', 'Ant', 'Cat']);
    await whose('Mine').click();
    await page.getByRole('textbox', { name: 'Search bots' }).fill('bee');
    await says('No bot matches the search and filters.');
    await page.getByRole('button', { name: 'Show All Bots' }).click();
    await expect.poll(names).toEqual(['bee', 'zebra', 'Ant', 'Cat']);
  });

  test('is not a question for who has none, or sees no others', async () => {
    for (const bots of [
      [aBot(1, theirs), aBot(2, theirs)],
      [aBot(1), aBot(2)],
    ]) {
      const screen = await open(bots, 'admin');
      await expect.poll(names).toEqual(['Bot 1', 'Bot 2']);
      expect(page.getByRole('radio').elements()).toEqual([]);
      await screen.unmount();
      network.stop();
    }
  });
});

describe('who may do what', () => {
  test('BOTS-20, BOTS-21, BOTS-22 bots of others are shown but inert', async () => {
    for (const role of ['trader', 'investor', 'operator'] as const) {
      const screen = await open([aBot(1), aBot(2, theirs)], role);
      await whose('All').click();
      await expect.element(inCard('Bot 1', 'Pause')).toBeEnabled();
      await expect.element(inCard('Bot 1', 'Switch to Live')).toBeEnabled();
      await expect.element(inCard('Bot 2', 'Pause')).toBeDisabled();
      await expect.element(inCard('Bot 2', 'Switch to Live')).toBeDisabled();
      await expect.element(inCard('Bot 2', 'Bot 2')).not.toBeInTheDocument();
      await card('Bot 2').click();
      expect(page.getByRole('dialog').elements()).toEqual([]);
      await screen.unmount();
      network.stop();
    }
  });

  test('BOTS-20, BOTS-21, ROLE-12 admins control every bot; a selected one is marked', async () => {
    await open([aBot(1, theirs), aBot(2, theirs)], 'admin');
    await expect.element(inCard('Bot 1', 'Pause')).toBeEnabled();
    await inCard('Bot 1', 'Bot 1').click();
    await expect.element(inCard('Bot 1', 'Bot 1')).toHaveAttribute('aria-pressed', 'true');
    await inCard('Bot 2', 'Bot 2').click();
    await expect.element(inCard('Bot 1', 'Bot 1')).toHaveAttribute('aria-pressed', 'false');
  });
});

describe('status changes', () => {
  test('BOTS-12, BOTS-23, BOTS-24, BOTS-25, BOTS-26, BOTS-27, API-35, ERR-39, OP-34, STATE-14 pausing is asked, done, confirmed and the list reloads', async () => {
    await open([aBot(1)]);
    network.on('toggleBot', aBot(1, { status: 'paused' }));
    await inCard('Bot 1', 'Pause').click();
    await expect.element(dialog('Pause Bot').getByText('Are you sure you want to pause this bot?')).toBeVisible();
    expect(network.of('toggleBot')).toEqual([]);
    serve([aBot(1, { status: 'paused' })]);
    await expectToast('Bot paused successfully', () => dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click());
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    expect(network.of('toggleBot')[0]).toMatchObject({ path: `/bots/${idOf(101)}/toggle`, query: { status: 'paused', was: 'active' } });
    expect(network.of('toggleBot')[0]?.query).not.toHaveProperty('mode'); // a pause is not refused for it,
    expect(network.of('toggleBot')[0]?.headers.has('if-match')).toBe(false); // nor for other settings
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    expect(network.of('listBots')).toHaveLength(2);
  });

  test('BOTS-24, API-35 activating says which mode was confirmed, so that no other one is started', async () => {
    await open([aBot(1, { status: 'paused', mode: 'paper' })]);
    network.on('toggleBot', problem(409, otherMode));
    await inCard('Bot 1', 'Activate').click();
    await expect.element(dialog('Activate Bot').getByText('Its orders are simulated.')).toBeVisible();
    await expectToast(`Failed to toggle bot: ${otherMode}`, () => dialog('Activate Bot').getByRole('button', { name: 'Confirm' }).click());
    expect(network.of('toggleBot')[0]?.query).toEqual({ status: 'active', was: 'paused', mode: 'paper' });
  });

  test.each([otherMode, otherStatus, texts.changedMeanwhile])(
    'API-35 after "%s" the bots are loaded again, and a second press is about what is there now',
    async (refusal) => {
      await open([aBot(1, { status: 'paused', version: 4 })]);
      network.on('toggleBot', problem(409, refusal));
      await inCard('Bot 1', 'Activate').click();
      serve([aBot(1, { status: 'stopped', mode: 'live', exchange_id: 'binance', version: 5 })]);
      await expectToast(`Failed to toggle bot: ${refusal}`, () => dialog('Activate Bot').getByRole('button', { name: 'Confirm' }).click());
      await expect.element(dialog('Activate Bot')).not.toBeInTheDocument();
      expect(network.of('toggleBot')[0]?.headers.get('if-match')).toBe('"4"');
      await expect.poll(() => document.querySelector('.fl-banner-error')?.textContent).toBe(`Failed to toggle bot: ${refusal}`); // it stays
      await inCard('Bot 1', 'Activate').click();
      await expect.element(dialog('Activate Bot').getByText('From then on it sends real orders with real money.')).toBeVisible();
      network.on('toggleBot', aBot(1));
      await expectToast('Bot active successfully', () => dialog('Activate Bot').getByRole('button', { name: 'Confirm' }).click());
      expect(network.of('toggleBot')[1]?.query).toEqual({ status: 'active', was: 'stopped', mode: 'live' });
      expect(network.of('toggleBot')[1]?.headers.get('if-match')).toBe('"5"');
    },
  );

  test('STATE-14 a list that was asked for before the change and comes after it does not bring the old status back', async () => {
    await open([aBot(1)]);
    const held: (() => void)[] = [];
    network.on('listBots', () => new Promise((resolve) => held.push(() => resolve([aBot(1)]))));
    await page.getByRole('button', { name: 'Refresh', exact: true }).first().click();
    await expect.poll(() => held.length).toBe(1);
    network.on('toggleBot', aBot(1, { status: 'paused' }));
    await inCard('Bot 1', 'Pause').click();
    serve([aBot(1, { status: 'paused' })]);
    await dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click();
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    for (const release of held) release();
    await expect.poll(() => network.of('listBots').length).toBeGreaterThanOrEqual(3);
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    await expect.element(inCard('Bot 1', 'Pause')).not.toBeInTheDocument();
  });

  test('BOTS-13, BOTS-26, OP-27 a paused or stopped bot is activated; cancelling sends nothing', async () => {
    await open([aBot(1, { status: 'stopped' })]);
    await inCard('Bot 1', 'Activate').click();
    await expect.element(dialog('Activate Bot').getByText('Are you sure you want to activate this bot?')).toBeVisible();
    await dialog('Activate Bot').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog('Activate Bot')).not.toBeInTheDocument();
    expect(network.of('toggleBot')).toEqual([]);
  });

  test('ERR-17, OP-80 a failed change is a banner and a toast, and the dialog closes; the toast goes after 2 seconds', async () => {
    await open([aBot(1, { status: 'paused', mode: 'live' })], 'trader', (net) =>
      net.on('toggleBot', problem(400, 'API key and secret are required for live mode')),
    );
    await inCard('Bot 1', 'Activate').click();
    holdMoments();
    await dialog('Activate Bot').getByRole('button', { name: 'Confirm' }).click();
    const text = page.getByText('Failed to toggle bot: API key and secret are required for live mode');
    await expect.poll(() => text.elements().length).toBe(2);
    await expect.element(dialog('Activate Bot')).not.toBeInTheDocument();
    await expectToGoAfter(2000, text, 1); // the banner stays
    expect(network.of('listBots')).toHaveLength(1);
  });

  test('API-54, ERR-17 without an answer the change is tried again under the same key, then the general text is shown', async () => {
    await open([aBot(1)], 'trader', (net) => net.on('toggleBot', noAnswer));
    await inCard('Bot 1', 'Pause').click();
    await dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click();
    await expect.element(dialog('Pause Bot').getByRole('button', { name: 'Confirm' })).toBeDisabled();
    await expect.element(page.getByText('Failed to toggle bot: Something went wrong. Please try again.').first()).toBeVisible();
    expect(new Set(network.of('toggleBot').map((call) => call.headers.get('idempotency-key'))).size).toBe(1);
    expect(network.of('toggleBot')).toHaveLength(4);
  });
});

describe('mode changes', () => {
  test('BOTS-14, BOTS-28, BOTS-29, BOTS-30, API-36, ERR-40, OP-27 switching to live warns, is done, confirmed and the list reloads', async () => {
    await open([aBot(1)]);
    network.on('changeBotMode', aBot(1, { mode: 'live', status: 'paused' }));
    await inCard('Bot 1', 'Switch to Live').click();
    const asked = dialog('Change Bot Mode');
    await expect.element(asked.getByText('Are you sure you want to change the bot mode to live?')).toBeVisible();
    await expect.element(asked.getByText('Ensure API key is valid')).toBeVisible();
    serve([aBot(1, { mode: 'live', status: 'paused' })]);
    await expect.element(asked.getByRole('button', { name: 'Confirm' })).toBeDisabled();
    await asked.getByLabelText("Type the bot's name").fill('Bot 1');
    await expectToast('Bot mode changed to live', () => asked.getByRole('button', { name: 'Confirm' }).click());
    await expect.element(inCard('Bot 1', 'Switch to Paper')).toBeVisible();
    expect(network.of('changeBotMode')[0]).toMatchObject({ path: `/bots/${idOf(101)}/mode`, query: { mode: 'live' } });
    expect(network.of('changeBotMode')[0]?.headers.get('if-match')).toBe('"1"'); // the settings that the question has shown
  });

  test('API-36 with other settings than the question has shown no bot goes live; the list is loaded again', async () => {
    await open([aBot(1)]);
    network.on('changeBotMode', problem(409, texts.changedMeanwhile));
    await inCard('Bot 1', 'Switch to Live').click();
    const asked = dialog('Change Bot Mode');
    await asked.getByLabelText("Type the bot's name").fill('Bot 1');
    serve([aBot(1, { stake_amount: 5000, version: 2 })]);
    await expectToast(`Failed to change bot mode: ${texts.changedMeanwhile}`, () => asked.getByRole('button', { name: 'Confirm' }).click());
    await inCard('Bot 1', 'Switch to Live').click();
    await expect.element(asked.getByText(/^5000.00 USDT per trade/u)).toBeVisible();
  });

  test('API-36 back to paper is not refused for other settings', async () => {
    await open([aBot(1, { mode: 'live' })]);
    network.on('changeBotMode', aBot(1));
    await inCard('Bot 1', 'Switch to Paper').click();
    await expectToast('Bot mode changed to paper', () => dialog('Change Bot Mode').getByRole('button', { name: 'Confirm' }).click());
    expect(network.of('changeBotMode')[0]?.headers.has('if-match')).toBe(false);
  });

  test('BOTS-15, BOTS-29 switching to paper needs no warning; cancelling sends nothing', async () => {
    await open([aBot(1, { mode: 'live' })]);
    await inCard('Bot 1', 'Switch to Paper').click();
    const asked = dialog('Change Bot Mode');
    await expect.element(asked.getByText('Are you sure you want to change the bot mode to paper?')).toBeVisible();
    await expect.element(asked.getByText('Ensure API key is valid')).not.toBeInTheDocument();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('changeBotMode')).toEqual([]);
  });

  test('ERR-18, OP-80 a failed change is a toast and closes the dialog', async () => {
    await open([aBot(1)], 'trader', (net) => net.on('changeBotMode', problem(409, 'Bot has open trades')));
    await inCard('Bot 1', 'Switch to Live').click();
    await dialog('Change Bot Mode').getByLabelText("Type the bot's name").fill('Bot 1');
    holdMoments();
    await dialog('Change Bot Mode').getByRole('button', { name: 'Confirm' }).click();
    const text = page.getByText('Failed to change bot mode: Bot has open trades');
    await expect.element(text).toBeVisible();
    await expect.element(dialog('Change Bot Mode')).not.toBeInTheDocument();
    await expectToGoAfter(2000, text);
  });
});

describe('a list that is watched', () => {
  const kebab = (name: string) => card(name).getByRole('button', { name: `More for ${name}` });

  test('OP-27, BOTS-24, API-35 a bot is stopped from its menu; the dialog says what is closed, and focus returns', async () => {
    await open([aBot(1)]);
    network.on('liveStatus', liveOf([asLive(aBot(1), { open_trades: 2 })])).on('toggleBot', aBot(1, { status: 'stopped' }));
    await expect.element(card('Bot 1').getByText('2 of 3')).toBeVisible();
    await kebab('Bot 1').click();
    await page.getByRole('menuitem', { name: 'Stop Bot' }).click();
    const asked = dialog('Stop Bot');
    await expect.element(asked.getByText('Are you sure you want to stop this bot?')).toBeVisible();
    await expect
      .element(asked.getByText('Open orders are cancelled and open trades are closed at market. It holds 2 open trades.'))
      .toBeVisible();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(kebab('Bot 1')).toHaveFocus();
    expect(network.of('toggleBot')).toEqual([]);

    await kebab('Bot 1').click();
    await page.getByRole('menuitem', { name: 'Stop Bot' }).click();
    serve([aBot(1, { status: 'stopped' })]);
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    expect(network.of('toggleBot')[0]?.query).toEqual({ status: 'stopped', was: 'active' });
    expect(network.of('toggleBot')[0]?.headers.has('if-match')).toBe(false);
    await kebab('Bot 1').click();
    await expect.element(page.getByRole('menuitem', { name: 'Show on Status' })).toBeVisible();
    await expect.element(page.getByRole('menuitem', { name: 'Stop Bot' })).not.toBeInTheDocument();
  });

  test('OP-29 a card stays where it is after its status has changed; Refresh sorts again; focus stays on its button', async () => {
    await open([aBot(1), aBot(2), aBot(3)]);
    await expect.poll(names).toEqual(['Bot 1', 'Bot 2', 'Bot 3']);
    serve([aBot(2), aBot(3), aBot(1, { status: 'paused' })]).on('toggleBot', aBot(1, { status: 'paused' }));
    await inCard('Bot 1', 'Pause').click();
    await dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click();
    await expect.element(inCard('Bot 1', 'Activate')).toHaveFocus();
    expect(names()).toEqual(['Bot 1', 'Bot 2', 'Bot 3']);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(names).toEqual(['Bot 2', 'Bot 3', 'Bot 1']);
  });

  test('the figures of a bot that goes live elsewhere are those of real money at once, not with the next look at the list', async () => {
    await open([aBot(1, { total_pnl: 12 })]);
    await expect.element(card('Bot 1').getByText('+$12.00')).toBeVisible();
    const lists = network.of('listBots').length;
    serve([aBot(1, { mode: 'live', total_pnl: -3 })]);
    await expect.element(card('Bot 1').getByText('-$3.00')).toBeVisible();
    expect(network.of('listBots')).toHaveLength(lists + 1);
  });

  test('what somebody else changes is seen without a reload: by the live status', async () => {
    await open([aBot(1)]);
    await expect.element(inCard('Bot 1', 'Pause')).toBeVisible();
    network.on('liveStatus', liveOf([asLive(aBot(1, { status: 'paused' }), { open_trades: 1 })]));
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    await expect.element(card('Bot 1').getByText('1 of 3')).toBeVisible();
    expect(network.of('listBots')).toHaveLength(1);
  });

  test('ADD-bot-decisions a card says how the last hour and day were; a bot that begins to trade is asked about at once', async () => {
    const quiet = { candles: 60, signals: 0, entered: 0, nearest: null };
    const counted = { last_hour: quiet, last_day: { ...quiet, candles: 1440, signals: 3, entered: 1 } };
    const answer = (bots: Bot[]) => (call: { query: Readonly<Record<string, string>> }) =>
      liveOf(bots.map((bot) => asLive(bot, call.query['hour'] !== undefined && bot.status === 'active' ? counted : {})));
    await open([aBot(1, { status: 'paused' })], 'trader', (net) => net.on('liveStatus', answer([aBot(1, { status: 'paused' })])));
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    await expect.poll(() => network.of('liveStatus').filter(({ query }) => query['hour'] !== undefined).length).toBe(1);
    expect(card('Bot 1').getByText('Last hour', { exact: false }).elements()).toEqual([]);
    network.on('liveStatus', answer([aBot(1)]));
    await expect
      .element(card('Bot 1').getByText('Last hour 60 candles, no signal. Last day 1,440 candles, 3 signals, 1 entered.'))
      .toBeVisible();
    expect(network.of('liveStatus').filter(({ query }) => query['hour'] !== undefined)).toHaveLength(2);
  });

  test('BOTS-14 Switch to Live is off with its reason while there is no key', async () => {
    await open([aBot(1)]);
    network.on('liveStatus', liveOf([asLive(aBot(1), { live_obstacle: 'no-api-key', open_trades: 1 })]));
    await expect.element(card('Bot 1').getByText('Needs an API key: add one on Configure Bot or in your account settings.')).toBeVisible();
    await expect.element(inCard('Bot 1', 'Switch to Live')).toBeDisabled();
    await expect
      .element(inCard('Bot 1', 'Switch to Live'))
      .toHaveAccessibleDescription('Needs an API key: add one on Configure Bot or in your account settings.');
    await inCard('Bot 1', 'add one on Configure Bot').click();
    await expect.element(page.getByRole('heading', { name: 'Edit Bot' })).toBeVisible();
  });

  test('a bot without a key takes a stored one of its exchange from its card, or a new one of the sandbox in one press', async () => {
    holdMoments(2000);
    const used = { id: idOf(102), nickname: 'Bot 2', mode: 'live', status: 'active' } as const;
    const keys = [
      anApiKey(7, { exchange: 'sandbox', label: 'main', bots: [used] }),
      anApiKey(8, { exchange: 'kraken', label: 'elsewhere' }),
    ];
    await open([aBot(1)], 'trader', (net) => net.on('listApiKeys', keys));
    network.on('liveStatus', liveOf([asLive(aBot(1), { live_obstacle: 'no-api-key' })]));
    await inCard('Bot 1', 'Choose a Stored Key').click();
    await expect.element(page.getByRole('menuitem', { name: /elsewhere/u })).not.toBeInTheDocument();
    network.on('updateBot', aBot(1));
    await page.getByRole('menuitem', { name: 'main (****b07e), account of Bot 2' }).click();
    await says('Bot 1 has its API key');
    expect(network.of('updateBot').map(({ path, body }) => ({ path, body }))).toEqual([
      { path: `/bots/${idOf(101)}`, body: { api_key_id: idOf(957) } },
    ]);
    network
      .on('newSandboxKey', { key: 'sandbox key', secret: 'sandbox secret' })
      .on('addApiKey', { id: idOf(9), exchange: 'sandbox', label: 'Bot 1', last_used: null });
    await inCard('Bot 1', 'Get a Sandbox Key').click();
    await expect
      .poll(() => network.of('addApiKey').map(({ body }) => body))
      .toEqual([{ key: 'sandbox key', secret: 'sandbox secret', exchange_id: 'sandbox', label: 'Bot 1', bot_id: idOf(101) }]);
  });

  test('the card says whose account a bot shares; its key changes after a question, and not under open trades', async () => {
    const having = (n: number) => ({ id: idOf(100 + n), nickname: `Bot ${n}`, mode: 'live', status: 'active' }) as const;
    const keys = [
      anApiKey(7, { exchange: 'sandbox', label: 'main', bots: [having(1), having(2)] }),
      anApiKey(8, { exchange: 'sandbox', label: 'other' }),
    ];
    const live = aBot(1, { mode: 'live' });
    await open([live], 'trader', (net) => net.on('listApiKeys', keys));
    network.on('liveStatus', liveOf([asLive(live, { open_trades: 1 })]));
    await expect.element(card('Bot 1').getByText('API key main (****b07e), shares its account with Bot 2')).toBeVisible();
    await expect.element(inCard('Bot 1', 'Change Key')).toBeDisabled();
    network.on('liveStatus', liveOf([asLive(live, { open_trades: 0 })]));
    await expect.element(inCard('Bot 1', 'Change Key')).toBeEnabled();
    await inCard('Bot 1', 'Change Key').click();
    await page.getByRole('menuitem', { name: 'other (****b07e)' }).click();
    await expect
      .element(dialog('Change API Key').getByText(/Bot 1 trades with other \(\*{4}b07e\) from then on. It is paused/u))
      .toBeVisible();
    expect(network.of('updateBot')).toEqual([]);
    network.on('updateBot', problem(409, 'Bot has open trades'));
    await expectToast('Failed to give the API key: Bot has open trades', () =>
      dialog('Change API Key').getByRole('button', { name: 'Change Key' }).click(),
    );
    expect(network.of('updateBot').map(({ query, body }) => [query, body])).toEqual([[{ mode: 'live' }, { api_key_id: idOf(958) }]]);
  });

  test('a change of the key that is cancelled while it is sent does not go out again', async () => {
    const live = aBot(1, { mode: 'live' });
    const bots = [{ id: idOf(101), nickname: 'Bot 1', mode: 'live', status: 'active' } as const];
    const keys = [anApiKey(7, { exchange: 'sandbox', label: 'main', bots }), anApiKey(8, { exchange: 'sandbox', label: 'other' })];
    await open([live], 'trader', (net) => net.on('listApiKeys', keys));
    network.on('liveStatus', liveOf([asLive(live, { open_trades: 0 })]));
    await inCard('Bot 1', 'Change Key').click();
    await page.getByRole('menuitem', { name: 'other (****b07e)' }).click();
    await expectNoFurtherTry(network, 'updateBot', {
      confirm: () => dialog('Change API Key').getByRole('button', { name: 'Change Key' }).click(),
      cancel: () => dialog('Change API Key').getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The change of the API key of Bot 1 may have been done already: check the bot.',
    });
  });

  test('BOTS-29 the dialog promises nothing false: an active bot is paused, and a simulated market takes no real money', async () => {
    await open([aBot(1), aBot(2, { exchange_id: 'binance', status: 'paused' })]);
    await inCard('Bot 1', 'Switch to Live').click();
    const asked = dialog('Change Bot Mode');
    await expect
      .element(
        asked.getByText(
          'The bot is paused by this change. Once you activate it, it sends its orders to the simulated market; no real money is used.',
        ),
      )
      .toBeVisible();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await inCard('Bot 2', 'Switch to Live').click();
    await expect
      .element(asked.getByText('The bot stays paused. Once you activate it, it sends real orders with real money.'))
      .toBeVisible();
  });

  test('BOTS-17 a filter that hides all bots does not ask for a new one', async () => {
    await open([aBot(1)]);
    await page.getByPlaceholder('Search by name or nickname').fill('nobody');
    await says('No bots found');
    await says('No bot matches the search and filters.');
    await expect.element(page.getByText('Create a new bot to get started')).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Show All Bots' }).click();
    await expect.element(card('Bot 1')).toBeVisible();
  });

  test('BOTS-31, BOTS-32 a selected bot is in the address and beside the tabs, and can be deselected', async () => {
    await open([aBot(1), aBot(2)]);
    await inCard('Bot 2', 'Bot 2').click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining(`bot=${idOf(102)}`));
    const selected = page.getByRole('group', { name: 'Selected bot' });
    await expect.element(selected.getByText('Bot 2')).toBeVisible();
    await selected.getByRole('button', { name: 'Deselect bot' }).click();
    await says('No bot is selected');
    await inCard('Bot 2', 'Bot 2').click();
    await selected.getByRole('button', { name: 'Show on Status' }).click();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toHaveAttribute('aria-selected', 'true');
  });

  test('BOTS-01, BOTS-02, BOTS-03, BOTS-04 the tabs about a bot, for those who may use them', async () => {
    const tabs = () =>
      page
        .getByRole('tablist', { name: 'Bots' })
        .getByRole('tab')
        .elements()
        .map((tab) => tab.textContent);
    for (const role of ['admin', 'trader'] as const) {
      const screen = await open([aBot(1)], role);
      await expect.poll(tabs).toEqual(['Bots', 'Configure Bot', 'Trades', 'PNL']);
      await screen.unmount();
      network.stop();
    }
    await open([aBot(1), aBot(2, theirs)], 'investor');
    await inCard('Bot 1', 'Bot 1').click();
    await expect.poll(tabs).toEqual(['Bots', 'Configure Bot', 'Trades', 'PNL']);
    await page.getByRole('tab', { name: 'PNL' }).click();
    await says('No PNL snapshots found');
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('view=pnl'));
    await page.getByRole('group', { name: 'Selected bot' }).getByRole('button', { name: 'Deselect bot' }).click();
    await expect.poll(tabs).toEqual(['Bots']);
  });

  test('totals keep live and paper apart; a card names its strategy, PnL in per cent and fees', async () => {
    await open([aBot(1), aBot(2, { mode: 'live', exchange_id: 'binance', total_pnl: -3, total_pnl_pct: -1 })]);
    const totals = page.getByRole('region', { name: 'Totals' });
    await expect.element(totals).toBeVisible();
    await expect.poll(() => totals.element().textContent).toMatch(/live1 bot, 1 activeTotal PnL, live-\$3\.00 -1\.00%/u);
    expect(totals.element().textContent).toMatch(/paper1 bot, 1 activeTotal PnL, paper\+\$12\.30 \+4\.10%/u);
    for (const text of ['EMA Cross', '+4.10%', 'Fees: maker 0.10%, taker 0.10%'])
      await expect.element(card('Bot 1').getByText(text, { exact: true })).toBeVisible();
    await expect.element(card('Bot 1').getByRole('img', { name: '7-day PnL -$0.50' })).toBeVisible();
  });
});
