import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { holdBeats, pass } from '../../testing/held-time.ts';
import { aBot, asLive, liveOf } from '../../testing/samples/bots.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { expectToast } from '../../testing/toasts.ts';

let network: Answerer;
interface Opened {
  role?: Role;
  kept?: object; // what the browser remembers of an earlier visit
  openTrades?: Record<string, number>; // by nickname
}
const open = async (bots: Bot[], { role = 'trader', kept = {}, openTrades = {} }: Opened = {}) => {
  network = answerFor(aUser(role))
    .on('listBots', bots)
    .on(
      'liveStatus',
      liveOf(bots.map((bot) => asLive(bot, { open_trades: openTrades[bot.nickname] ?? 0, unrealized_pnl: bot.total_trades }))),
    );
  startPage('/');
  localStorage.setItem('bot-list', JSON.stringify(kept));
  await render(<TestPage path="/" search="?tab=bot_control" />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const asTable = { kept: { layout: 'table' } };
const table = () => page.getByRole('table', { name: 'Bots', exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const names = () =>
  table()
    .getByRole('row')
    .elements()
    .slice(1)
    .map((row) => row.querySelector('.fl-pick')?.textContent);
const headers = () =>
  table()
    .getByRole('columnheader')
    .elements()
    .map((each) => each.textContent)
    .filter((text) => text !== '');
const bulk = (name: string) => page.getByRole('region', { name: 'Chosen bots' }).getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const bots = [
  aBot(1, { nickname: 'b', total_pnl: 5, total_trades: 3, tags: ['night'] }),
  aBot(2, { nickname: 'A', total_pnl: -7, total_trades: 1 }),
  aBot(3, { nickname: 'c', status: 'paused', total_pnl: 1, total_trades: 2 }),
];

describe('bots as a table', () => {
  test('are shown by a switch, in the order of the cards, and the browser remembers it', async () => {
    await open(bots);
    await expect.element(page.getByRole('article', { name: 'A', exact: true })).toBeVisible();
    await button('Show Table').click();
    await expect.poll(names).toEqual(['A', 'b', 'c']);
    await cleanup();
    await render(<TestPage path="/" search="?tab=bot_control" />);
    await expect.poll(names).toEqual(['A', 'b', 'c']);
    expect(page.getByRole('article').elements()).toHaveLength(0);
  });

  test('are sorted by a column, and stay where they are while figures change', async () => {
    await open(bots, asTable);
    await expect.poll(names).toEqual(['A', 'b', 'c']);
    await button('Total PnL').click();
    await expect.poll(names).toEqual(['A', 'c', 'b']);
    network.on('listBots', [aBot(1, { ...bots[0], total_pnl: -99 }), ...bots.slice(1)]);
    await button('Unrealized').click();
    await expect.poll(names).toEqual(['A', 'c', 'b']);
    await button('Unrealized').click();
    await expect.poll(names).toEqual(['b', 'c', 'A']);
    network.on('liveStatus', liveOf(bots.map((bot) => asLive(bot, { unrealized_pnl: bot.nickname === 'b' ? -50 : 0 }))));
    await expect.element(table().getByText('-$50.00')).toBeVisible();
    expect(names()).toEqual(['b', 'c', 'A']);
    await button('Refresh').click();
    await expect.poll(() => names().at(-1)).toBe('b');
    expect(JSON.parse(localStorage.getItem('bot-list') ?? '')).toMatchObject({ sortedBy: { key: 'unrealized', descending: true } });
  });

  test('in bitcoins have their amounts in bitcoins, none of them in dollars', async () => {
    const inBitcoins = aBot(1, { stake_currency: 'BTC', trading_pairs: ['ETH/BTC'], total_pnl: -0.75 });
    await open([inBitcoins], asTable);
    network.on('liveStatus', liveOf([asLive(inBitcoins, { unrealized_pnl: -0.5, today_pnl: -0.25 })]));
    for (const text of ['-0.750000 BTC', '-0.500000 BTC', '-0.250000 BTC']) {
      await expect.element(table().getByText(text, { exact: true })).toBeVisible();
    }
    expect(table().element().textContent).not.toContain('$');
  });

  test('as cards on a phone are sorted too, stay where they are, and the browser remembers it', async () => {
    const cards = () =>
      page
        .getByRole('article')
        .elements()
        .map((card) => card.getAttribute('aria-label'));
    await page.viewport(390, 844);
    try {
      await open(bots);
      await expect.poll(cards).toEqual(['A', 'b', 'c']);
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: 'Total PnL', exact: true }).click();
      await expect.poll(cards).toEqual(['A', 'c', 'b']);
      await button('Ascending').click();
      await expect.poll(cards).toEqual(['b', 'c', 'A']);
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: 'Open Trades', exact: true }).click();
      await expect.poll(cards).toEqual(['A', 'b', 'c']);
      network.on('liveStatus', liveOf(bots.map((bot) => asLive(bot, { open_trades: bot.nickname === 'A' ? 3 : 0 }))));
      await expect.element(page.getByRole('article', { name: 'A', exact: true }).getByText('3 of 3')).toBeVisible();
      expect(cards()).toEqual(['A', 'b', 'c']);
      await button('Refresh').click();
      await expect.poll(cards).toEqual(['b', 'c', 'A']);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
      expect(JSON.parse(localStorage.getItem('bot-list') ?? '')).toMatchObject({ sortedBy: { key: 'open', descending: false } });
    } finally {
      await page.viewport(1440, 900);
    }
  });

  test('have the columns that were chosen', async () => {
    await open(bots, asTable);
    await expect.poll(headers).toContain('Drawdown');
    expect(headers()).not.toContain('Owner');
    await button('Columns').click();
    await page.getByRole('checkbox', { name: 'Drawdown', exact: true }).click();
    await expect.poll(headers).not.toContain('Drawdown');
    expect(page.getByRole('checkbox', { name: 'Owner', exact: true }).elements()).toHaveLength(0);
    expect(JSON.parse(localStorage.getItem('bot-list') ?? '').columns).not.toContain('drawdown');
  });

  test('say to an admin whose a bot is', async () => {
    await open(bots, { ...asTable, role: 'admin' });
    await expect.poll(headers).toContain('Owner');
  });

  test('are searched and filtered by tag as the cards are; where none is left the page says so', async () => {
    await open(bots, asTable);
    await expect.poll(names).toHaveLength(3);
    await page.getByRole('combobox', { name: 'Tag', exact: true }).click();
    await page.getByRole('option', { name: 'night', exact: true }).click();
    await expect.poll(names).toEqual(['b']);
    await page.getByPlaceholder('Search by name or nickname').fill('zzz');
    await expect.element(page.getByText('No bots found')).toBeVisible();
  });

  test('of two hundred only the rows in sight are drawn', async () => {
    await open(
      Array.from({ length: 200 }, (_, i) => aBot(i)),
      asTable,
    );
    await expect.poll(() => names().length).toBeGreaterThan(10);
    expect(names().length).toBeLessThan(60);
  });
});

describe('several bots at once', () => {
  const choose = async (...some: string[]) => {
    await button('Choose Several').click();
    for (const name of some) await page.getByRole('checkbox', { name: `Choose ${name}`, exact: true }).click();
  };
  const live = aBot(4, { nickname: 'd', mode: 'live', exchange_id: 'binance' });
  const result = (bot: Bot | undefined, outcome: 'done' | 'failed', reason: string | null = null) => ({
    bot_id: bot?.id ?? '',
    nickname: bot?.nickname ?? null,
    outcome,
    reason,
  });

  test('are stopped after a question that says how many trades close and in which modes', async () => {
    await open([...bots, live], { ...asTable, openTrades: { b: 2, d: 1 } });
    await choose('b', 'c', 'd');
    await expect.element(page.getByText('3 of 4 bots chosen')).toBeVisible();
    await bulk('Stop').click();
    await expect.element(dialog('Stop Bots').getByText('3 open trades are closed at market, and open orders are cancelled.')).toBeVisible();
    await expect.element(dialog('Stop Bots').getByRole('listitem').first()).toHaveTextContent('live 1 bot, 1 open trade');
    await expect.element(dialog('Stop Bots').getByRole('listitem').last()).toHaveTextContent('paper 2 bots, 2 open trades');
    network.on('changeBots', { results: [bots[0], bots[2], live].map((bot) => result(bot, 'done')) });
    await expectToast('3 bots stopped', () => dialog('Stop Bots').getByRole('button', { name: 'Stop', exact: true }).click());
    expect(network.of('changeBots')[0]?.body).toEqual({
      bot_ids: [bots[0]?.id, live.id, bots[2]?.id],
      action: 'stop',
      statuses: Object.fromEntries([bots[0], live, bots[2]].map((bot) => [bot?.id, bot?.status])),
    });
  });

  test('are activated in the modes, from the status and with the settings that were confirmed', async () => {
    const waiting = [bots[0], live].map((bot) => ({ ...bot, status: 'paused' as const }));
    await open(waiting, asTable);
    await choose(...waiting.map(({ nickname }) => nickname));
    await bulk('Activate').click();
    network.on('changeBots', { results: waiting.map((bot) => result(bot, 'done')) });
    await expectToast('2 bots activated', () => dialog('Activate Bots').getByRole('button', { name: 'Activate', exact: true }).click());
    const modes = Object.fromEntries(waiting.map(({ id, mode }) => [id, mode]));
    const statuses = Object.fromEntries(waiting.map(({ id }) => [id, 'paused']));
    const versions = Object.fromEntries(waiting.map(({ id, version }) => [id, version]));
    expect(network.of('changeBots')[0]?.body).toMatchObject({ action: 'activate', modes, statuses, versions });
    expect(Object.values(modes).sort()).toEqual(['live', 'paper']);
  });

  test('that are activated are those that were asked about: one that is stopped while the question is open is not started', async () => {
    holdBeats();
    const waiting = [1, 2].map((number) => aBot(number, { nickname: `waiting ${number}`, status: 'paused' }));
    const third = aBot(3, { nickname: 'third' });
    await open([...waiting, third], asTable);
    await choose('waiting 1', 'waiting 2', 'third');
    await bulk('Activate').click();
    const asking = dialog('Activate Bots');
    await expect.element(asking.getByText('Are you sure you want to activate these 2 bots?')).toBeVisible();
    network.on('listBots', [...waiting, { ...third, status: 'stopped' as const }]);
    await pass(30_000);
    await expect.poll(() => table().element().textContent).toContain('stopped');
    network.on('changeBots', { results: waiting.map((bot) => result(bot, 'done')) });
    await asking.getByRole('button', { name: 'Activate', exact: true }).click();
    await expect
      .poll(() => network.of('changeBots').map(({ body }) => body))
      .toMatchObject([{ action: 'activate', bot_ids: waiting.map(({ id }) => id) }]);
  });

  test('that were refused are listed by name with the reason; a press that fails stays in its dialog', async () => {
    await open(bots);
    await choose('b', 'A');
    await bulk('Pause').click();
    network.on('changeBots', problem(503, 'Something went wrong. Please try again.'));
    const pause = dialog('Pause Bots').getByRole('button', { name: 'Pause', exact: true });
    await pause.click();
    await expect.element(page.getByRole('alert').getByText('Failed to pause the bots', { exact: false })).toBeVisible();
    network.on('changeBots', { results: [result(bots[0], 'done'), result(bots[1], 'failed', 'This bot is archived.')] });
    await pause.click();
    await expect.element(page.getByText('1 bot paused; 1 bot could not be.')).toBeVisible();
    await expect.element(dialog('Pause Bots').getByRole('listitem')).toHaveTextContent('A: This bot is archived.');
  });

  test('are tagged; a bot that the filter hides is not changed unseen, nor one of somebody else', async () => {
    await open([...bots, aBot(5, { nickname: 'theirs', user_id: idOf(9) })], asTable);
    await button('Choose Several').click();
    await button('Choose All 3').click();
    await page.getByPlaceholder('Search by name or nickname').fill('b');
    await expect.element(page.getByText('1 of 1 bot chosen')).toBeVisible();
    await bulk('Add Tags').click();
    await dialog('Add Tags').getByLabelText('Tags').click();
    await userEvent.keyboard('scalp{Enter}');
    network.on('changeBots', { results: [result(bots[0], 'done')] });
    await expectToast('1 bot tagged', () => dialog('Add Tags').getByRole('button', { name: 'Add', exact: true }).click());
    expect(network.of('changeBots')[0]?.body).toEqual({ bot_ids: [bots[0]?.id], action: 'tag', tags: ['scalp'] });
  });
});
