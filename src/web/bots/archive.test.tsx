import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { pass } from '../testing/held-time.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (bots: Bot[], archived: Bot[] = [], search = '?tab=bot_control') => {
  network = answerFor(aUser('trader'))
    .on('listBots', bots)
    .on('listArchivedBots', archived)
    .on('liveStatus', liveOf(bots.map((bot) => asLive(bot))));
  startPage('/');
  await render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const card = (name: string) => page.getByRole('article', { name, exact: true });
const more = async (name: string, item: string) => {
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};
const press = (dialog: string, button: string) =>
  page.getByRole('dialog', { name: dialog, exact: true }).getByRole('button', { name: button, exact: true }).click();
const since = '2026-11-20T10:00:00.000Z';

describe('archiving', () => {
  test('a stopped bot is archived after a question, and leaves the list', async () => {
    await open([aBot(1, { nickname: 'Old', status: 'stopped' }), aBot(2, { nickname: 'Kept' })]);
    await more('Old', 'Archive Bot');
    expect(network.of('archiveBot')).toEqual([]);
    network.on('archiveBot', aBot(1, { status: 'stopped', archived_at: since })).on('listBots', [aBot(2, { nickname: 'Kept' })]);
    await press('Archive Bot', 'Archive');
    await expect.poll(() => card('Old').elements()).toHaveLength(0);
    await expect.element(card('Kept')).toBeVisible();
    expect(network.of('archiveBot').map(({ path }) => path)).toEqual([`/bots/${idOf(101)}/archive`]);
  });

  test.each([
    ['Archive Bot', 'Archive', 'archiveBot', 'Old may be archived already'],
    ['Delete Bot', 'Delete', 'deleteBot', 'Old may be deleted already'],
  ] as const)('%s, cancelled while it is sent, does not go out again', async (title, button, call, may) => {
    await open([aBot(1, { nickname: 'Old', status: 'stopped', total_trades: 0 })]);
    await more('Old', title);
    const lists = network.of('listBots').length;
    await expectNoFurtherTry(network, call, {
      confirm: () => press(title, button),
      cancel: () => press(title, 'Cancel'),
      says: `Cancelled: nothing more is sent. ${may}: check the list.`,
    });
    expect(network.of('listBots').length).toBeGreaterThan(lists);
  });

  test('what is done closes no other question, which was asked while the bots were loaded again', async () => {
    await open([aBot(1, { nickname: 'Old', status: 'stopped' }), aBot(2, { nickname: 'Next', status: 'stopped' })]);
    const loaded = Promise.withResolvers<Bot[]>();
    await more('Old', 'Archive Bot');
    network.on('archiveBot', aBot(1, { status: 'stopped', archived_at: since })).on('listBots', () => loaded.promise);
    await press('Archive Bot', 'Archive');
    await expect.poll(() => network.of('archiveBot').length).toBe(1);
    await press('Archive Bot', 'Cancel');
    await more('Old', 'Archive Bot');
    loaded.resolve([aBot(1, { nickname: 'Old', status: 'stopped' })]);
    await expect.poll(() => card('Next').elements()).toHaveLength(0);
    await pass(0);
    await expect.element(page.getByRole('dialog', { name: 'Archive Bot', exact: true })).toBeVisible();
  });

  test('a refusal is said in the dialog, which stays', async () => {
    await open([aBot(1, { nickname: 'Old', status: 'stopped' })]);
    network.on('archiveBot', problem(409, 'Bot has open trades'));
    await more('Old', 'Archive Bot');
    await press('Archive Bot', 'Archive');
    await expect.element(page.getByRole('alert').getByText('Failed to archive the bot: Bot has open trades')).toBeVisible();
  });

  test('a running bot offers neither archiving nor deleting; one that has traded no deleting', async () => {
    await open([aBot(1, { nickname: 'Runs' }), aBot(2, { nickname: 'Traded', status: 'stopped' })]);
    await page.getByRole('button', { name: 'More for Runs' }).click();
    await expect.element(page.getByRole('menuitem', { name: 'Stop Bot' })).toBeVisible();
    expect(page.getByRole('menuitem', { name: 'Archive Bot' }).elements()).toHaveLength(0);
    await page.getByRole('button', { name: 'More for Traded' }).click();
    await expect.element(page.getByRole('menuitem', { name: 'Archive Bot' })).toBeVisible();
    expect(page.getByRole('menuitem', { name: 'Delete Bot' }).elements()).toHaveLength(0);
  });

  test('a bot that never traded is deleted after a question', async () => {
    await open([aBot(1, { nickname: 'New', status: 'stopped', total_trades: 0 })]);
    await more('New', 'Delete Bot');
    network.on('deleteBot', { status: 'Bot deleted' }).on('listBots', []);
    await press('Delete Bot', 'Delete');
    await expect.poll(() => card('New').elements()).toHaveLength(0);
  });

  test('a bot that has only imported trades is deleted with them', async () => {
    await open([aBot(1, { nickname: 'Moved', status: 'stopped', total_trades: 3, imported_trades: 3, last_trade_at: since })]);
    await more('Moved', 'Delete Bot');
    await expect.element(page.getByText('So are its imported trades, which can be imported again.', { exact: false })).toBeVisible();
  });

  test('the filter shows archived bots with since when, and brings one back', async () => {
    const old = aBot(1, { nickname: 'Old', status: 'stopped', archived_at: since });
    await open([aBot(2, { nickname: 'Kept' })], [old]);
    await page.getByRole('combobox', { name: 'Status', exact: true }).click();
    await page.getByRole('option', { name: 'archived', exact: true }).click();
    await expect.element(card('Old').getByText('is archived since', { exact: false })).toBeVisible();
    expect(card('Kept').elements()).toHaveLength(0);
    expect(card('Old').getByRole('button', { name: 'Activate' }).elements()).toHaveLength(0);
    await card('Old').getByRole('button', { name: 'Bring Back' }).click();
    network.on('bringBackBot', aBot(1, { status: 'stopped' })).on('listArchivedBots', []);
    await press('Bring Bot Back', 'Bring Back');
    await expect.element(page.getByText('No bot matches the search and filters.')).toBeVisible();
  });

  test('an archived bot is brought back from its row in the table', async () => {
    const old = aBot(1, { nickname: 'Old', status: 'stopped', archived_at: since });
    await open([aBot(2, { nickname: 'Kept' })], [old]);
    await page.getByRole('button', { name: 'Show Table' }).click();
    await page.getByRole('combobox', { name: 'Status', exact: true }).click();
    await page.getByRole('option', { name: 'archived', exact: true }).click();
    await more('Old', 'Bring Back');
    network.on('bringBackBot', aBot(1, { status: 'stopped' })).on('listArchivedBots', []);
    await press('Bring Bot Back', 'Bring Back');
    await expect.poll(() => network.of('bringBackBot').length).toBe(1);
    await expect.element(page.getByText('No bot matches the search and filters.')).toBeVisible();
  });

  test('a bot asked by its address says that it is archived, and its trades are read', async () => {
    const old = aBot(1, { nickname: 'Old', status: 'stopped', archived_at: since });
    await open([aBot(2, { nickname: 'Kept' })], [old], `?tab=bot_control&view=trades&bot=${idOf(101)}`);
    await expect.element(page.getByRole('note').getByText('is archived since', { exact: false })).toBeVisible();
    await expect.poll(() => network.of('botTrades').map(({ path }) => path)).toEqual([`/bots/${idOf(101)}/trades`]);
  });
});
