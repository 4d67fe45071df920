import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { aBot, aUser, idOf } from '../testing/samples.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { cardsPerStep } from './bot-cards.tsx';

let network: Answerer;
const open = async (bots: Bot[], role: Role = 'trader', answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(
    answerFor(aUser(role))
      .on('listBots', bots)
      .on('listExchanges', {
        exchanges: [
          { id: 'sandbox', name: 'Sandbox' },
          { id: 'binance', name: 'Binance' },
        ],
      }),
  );
  startPage('/');
  const screen = await render(<TestPage path="/" />);
  await page.getByRole('tablist', { name: 'Dashboard' }).getByRole('tab', { name: 'Bots' }).click();
  return screen;
};
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
const says = (text: string) => expect.element(page.getByText(text, { exact: true })).toBeVisible();
const choose = async (name: string, option: string) => {
  await page.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const theirs = { user_id: idOf(9) };

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
    network.on('listBots', [aBot(1, { nickname: 'new' })]);
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

  test('BOTS-18, ERR-14, API-62 a list that does not load says so in red above it', async () => {
    await open([], 'trader', (net) => net.on('listBots', problem(403, 'Account is closed')));
    const banner = page.getByText('Failed to load bots: Account is closed');
    await expect.element(banner).toBeVisible();
    expect(getComputedStyle(banner.element()).color).toBe('rgb(255, 123, 120)');
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

describe('who may do what', () => {
  test('BOTS-20, BOTS-21, BOTS-22 bots of others are shown but inert', async () => {
    for (const role of ['trader', 'investor', 'operator'] as const) {
      const screen = await open([aBot(1), aBot(2, theirs)], role);
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
  test('BOTS-12, BOTS-23, BOTS-24, BOTS-25, BOTS-26, BOTS-27, API-35, ERR-39, OP-34, STATE-14 pausing is asked, done, told and the list reloads', async () => {
    await open([aBot(1)]);
    network.on('toggleBot', aBot(1, { status: 'paused' }));
    await inCard('Bot 1', 'Pause').click();
    await expect.element(dialog('Pause Bot').getByText('Are you sure you want to pause this bot?')).toBeVisible();
    expect(network.of('toggleBot')).toEqual([]);
    network.on('listBots', [aBot(1, { status: 'paused' })]);
    await dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click();
    await says('Bot paused successfully');
    await expect.element(inCard('Bot 1', 'Activate')).toBeVisible();
    expect(network.of('toggleBot')[0]).toMatchObject({ path: `/bots/${idOf(101)}/toggle`, query: { status: 'paused' } });
    await expect.element(dialog('Pause Bot')).not.toBeInTheDocument();
    expect(network.of('listBots')).toHaveLength(2);
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
    await dialog('Activate Bot').getByRole('button', { name: 'Confirm' }).click();
    const text = page.getByText('Failed to toggle bot: API key and secret are required for live mode');
    await expect.poll(() => text.elements().length).toBe(2);
    await expect.element(dialog('Activate Bot')).not.toBeInTheDocument();
    await expect.poll(() => text.elements().length, { timeout: 4000 }).toBe(1);
    expect(network.of('listBots')).toHaveLength(1);
  });

  test('API-54, ERR-17 without an answer the change is tried again under the same key, then the general text is shown', async () => {
    await open([aBot(1)], 'trader', (net) => net.on('toggleBot', noAnswer));
    await inCard('Bot 1', 'Pause').click();
    await dialog('Pause Bot').getByRole('button', { name: 'Confirm' }).click();
    await expect.element(dialog('Pause Bot').getByRole('button', { name: 'Confirm' })).toBeDisabled();
    await expect
      .element(page.getByText('Failed to toggle bot: Something went wrong. Please try again.').first(), { timeout: 6000 })
      .toBeVisible();
    expect(new Set(network.of('toggleBot').map((call) => call.headers.get('idempotency-key'))).size).toBe(1);
    expect(network.of('toggleBot')).toHaveLength(4);
  });
});

describe('mode changes', () => {
  test('BOTS-14, BOTS-28, BOTS-29, BOTS-30, API-36, ERR-40, OP-27 switching to live warns, is done, told and the list reloads', async () => {
    await open([aBot(1)]);
    network.on('changeBotMode', aBot(1, { mode: 'live', status: 'paused' }));
    await inCard('Bot 1', 'Switch to Live').click();
    const asked = dialog('Change Bot Mode');
    await expect.element(asked.getByText('Are you sure you want to change the bot mode to live?')).toBeVisible();
    await expect.element(asked.getByText('Ensure API key is valid')).toBeVisible();
    network.on('listBots', [aBot(1, { mode: 'live', status: 'paused' })]);
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await says('Bot mode changed to live');
    await expect.element(inCard('Bot 1', 'Switch to Paper')).toBeVisible();
    expect(network.of('changeBotMode')[0]).toMatchObject({ path: `/bots/${idOf(101)}/mode`, query: { mode: 'live' } });
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
    await dialog('Change Bot Mode').getByRole('button', { name: 'Confirm' }).click();
    const text = page.getByText('Failed to change bot mode: Bot has open trades');
    await expect.element(text).toBeVisible();
    await expect.element(dialog('Change Bot Mode')).not.toBeInTheDocument();
    await expect.element(text, { timeout: 4000 }).not.toBeInTheDocument();
  });
});
