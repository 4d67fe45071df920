import type { Bot } from '#contract/bots.ts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (bots: Bot[], search = '') => {
  network = answerFor(aUser('admin'))
    .on('listBots', bots)
    .on('liveStatus', liveOf(bots.map((bot) => asLive(bot))))
    .on('listExchanges', {
      exchanges: [
        { id: 'sandbox', name: 'Sandbox' },
        { id: 'binance', name: 'Binance' },
        { id: 'kraken', name: 'Kraken' },
      ],
    });
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const banner = () => page.getByRole('region', { name: 'Live trading' });
const live = (number: number, changes: Partial<Bot>) => aBot(number, { mode: 'live', ...changes });
/** Says TESTNET with the name of the sandbox beside it. */
const marks = (where: ReturnType<typeof banner>) => expect.poll(() => where.element().textContent).toContain('testnetSandbox');
const groundOf = (element: Element) => getComputedStyle(element).backgroundColor;
const notInAmber = (element: Element) => expect(groundOf(element)).not.toMatch(/^rgb\(245, 165, 36\)$|^rgba\(0, 0, 0, 0\)$/u);
const inAmber = (element: Element) => expect(groundOf(element)).toBe('rgb(245, 165, 36)');

describe('GEN-09, OP-37 live is never mistaken for paper', () => {
  test.each(['', '?tab=bot_control'])(
    'while bots of the viewer trade live, Status and Bots say how many, and where: %s',
    async (search) => {
      await open(
        [
          live(1, { exchange_id: 'binance' }),
          live(2, { exchange_id: 'kraken' }),
          live(3, { exchange_id: 'sandbox' }),
          live(4, { exchange_id: 'binance', status: 'paused' }),
          live(5, { exchange_id: 'binance', user_id: idOf(9) }),
          aBot(6, { exchange_id: 'binance' }),
        ],
        search,
      );
      await expect.element(banner().getByText('2 of your bots trade with real money: Binance, Kraken')).toBeVisible();
      await expect.element(banner().getByText('1 of your bots trades with real orders, no real money: Sandbox')).toBeVisible();
      const [real, testnet] = banner().getByRole('paragraph').elements();
      inAmber(real as Element);
      notInAmber(testnet as Element);
    },
  );

  test('on a phone it takes one line', async () => {
    await page.viewport(390, 844);
    try {
      await open([live(1, { exchange_id: 'sandbox' })]);
      await expect.element(banner()).toBeVisible();
      expect(banner().element().getBoundingClientRect().height).toBeLessThan(36);
    } finally {
      await page.viewport(1440, 900);
    }
  });

  test('without a live and active bot of the viewer nothing is said, and other tabs are free of it', async () => {
    await open([aBot(1), live(2, { status: 'paused' }), live(3, { user_id: idOf(9) })]);
    await expect.element(page.getByRole('table', { name: 'Fleet' })).toBeVisible();
    await expect.element(banner()).not.toBeInTheDocument();
    await cleanup();
    network.stop();
    await open([live(1, {})], '?tab=reports');
    await expect.element(page.getByText('No report data available for the date.')).toBeVisible();
    await expect.element(banner()).not.toBeInTheDocument();
  });

  test('card, fleet, selection, form, trades and dialog have the same mark: TESTNET at the sandbox, LIVE with real money', async () => {
    await open(
      [
        live(1, { nickname: 'Night', exchange_id: 'sandbox' }),
        aBot(2, { nickname: 'Study' }),
        live(3, { nickname: 'Noon', exchange_id: 'binance' }),
      ],
      `?tab=bot_control&bot=${idOf(101)}`,
    );
    const card = (name: string) => page.getByRole('article', { name, exact: true });
    await expect.element(card('Night').getByText('testnet', { exact: true })).toBeVisible();
    await marks(card('Night').getByRole('paragraph').first());
    const paper = groundOf(card('Study').getByRole('paragraph').first().element());
    const testnet = card('Night').getByRole('paragraph').first().element();
    notInAmber(testnet);
    expect(groundOf(testnet)).not.toBe(paper);
    await expect.element(card('Noon').getByText('live', { exact: true })).toBeVisible();
    inAmber(card('Noon').getByRole('paragraph').first().element());
    await expect.element(card('Study').getByText('paper', { exact: true })).toBeVisible();
    await marks(page.getByRole('group', { name: 'Selected bot' }));
    const tabs = page.getByRole('tablist', { name: 'Bots' });
    await tabs.getByRole('tab', { name: 'Trades' }).click();
    await marks(page.getByRole('region', { name: 'Trades', exact: true }));
    await tabs.getByRole('tab', { name: 'Bots' }).click();
    await card('Night').getByRole('button', { name: 'Pause' }).click();
    await marks(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('tab', { name: 'Status' }).click();
    await marks(page.getByRole('table', { name: 'Fleet' }).getByRole('row').filter({ hasText: 'Night' }));
  });
});
