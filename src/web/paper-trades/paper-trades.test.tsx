import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Role } from '#contract/fields.ts';
import { noteAnswer, noteFailure } from '../api/connection.ts';
import { clearSession, setUser } from '../session/session-store.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { says } from '../testing/on-page.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aLedger, someSums } from '../testing/samples/profits.ts';
import { aPaperTrade } from '../testing/samples/trades.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, Frame, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { discardDrafts } from './drafts-store.ts';
import { PaperTrades } from './paper-trades.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer, role: Role = 'admin') => {
  network = answers(answerFor(aUser(role)));
  startPage('/');
  await render(<TestPage path="/" search="?tab=paper_trades" />);
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => {
  clearSession();
  discardDrafts();
});
afterEach(async () => {
  await cleanup();
  network.stop();
});

const rows = () => [...document.querySelectorAll<HTMLElement>('.paper-row')];
const cells = (index: number) => [...(rows()[index]?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent);
const drawn = () => rows().length;
const comment = (index: number) => page.elementLocator(rows()[index]?.querySelector('input') as HTMLInputElement);
const save = (index: number) => page.elementLocator(rows()[index]?.querySelector('button') as HTMLButtonElement);
const figure = (name: string) =>
  [...document.querySelectorAll('.paper-summary dt')].find((title) => title.textContent === name)?.nextElementSibling?.textContent;
const choose = async (box: string, option: string) => {
  await page.getByRole('combobox', { name: box }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

const three = [
  aPaperTrade(3, { pnl: null, status: 'open', entry_price: 0.1231, symbol: 'DOGE/USDT', direction: 'short' }),
  aPaperTrade(2, { pnl: -3.2, comment: 'Entered too early', bot_id: idOf(102) }),
  aPaperTrade(1, { pnl: 9.47 }),
];

test('a trade that was imported says so', async () => {
  await open((net) => net.on('listTrades', [aPaperTrade(1, { imported_from: 'freqtrade' }), aPaperTrade(2)]));
  await expect.poll(drawn).toBe(2);
  expect(rows().filter((row) => row.textContent.includes('Imported'))).toHaveLength(1);
});

describe('the review', () => {
  test('PAPER-02, PAPER-06, PAPER-07, PAPER-10, DATA-31, OP-66, OP-67 shows the summary and the trades, newest first', async () => {
    await open((net) => net.on('listTrades', three));
    await expect.poll(drawn).toBe(3);
    expect(network.of('listTrades').map(({ query }) => query)).toEqual([{ mode: 'paper' }]);
    expect([...document.querySelectorAll('.paper-table th')].map((head) => head.textContent?.replace(' ↓', ''))).toEqual([
      'Time',
      'Bot',
      'Pair',
      'Dir',
      'Entry',
      'Outcome',
      'PnL',
      'Comment',
    ]);
    expect(cells(0).slice(0, 7)).toEqual(['2026-11-20 00:03:00', 'Bot 1', 'DOGE/USDT', '▼ short', '$0.12310', ' neutral', 'N/A']);
    expect(cells(1).slice(0, 7)).toEqual(['2026-11-20 00:02:00', 'Bot 2', 'BTC/USDT', '▲ long', '$64321.12', ' loss', '-$3.20']);
    expect(cells(2).slice(5, 7)).toEqual([' win', '+$9.47']);
    await expect.element(comment(1)).toHaveValue('Entered too early');
    await expect.element(comment(0)).toHaveAttribute('placeholder', 'Add ML comment');
    expect(rows().map((row) => row.querySelector('button')?.textContent)).toEqual(['Save', 'Save', 'Save']);
    expect(['Trade Count', 'PnL', 'Win Rate'].map(figure)).toEqual(['3', '+$6.27', '50.0%']);
    expect(page.getByText('Amounts in other currencies than dollars are not added.').elements()).toEqual([]);
  });

  test('PAPER-03, PAPER-04, PAPER-05 sorts by a field and an order, and shows one outcome', async () => {
    await open((net) => net.on('listTrades', three));
    await expect.poll(drawn).toBe(3);
    const options = async (box: string) => {
      await page.getByRole('combobox', { name: box }).click();
      const texts = page
        .getByRole('option')
        .elements()
        .map((option) => option.textContent);
      await userEvent.keyboard('{Escape}');
      return texts;
    };
    expect(await options('Sort By')).toEqual(['timestamp', 'direction', 'entry_price', 'outcome', 'pnl']);
    expect(await options('Order')).toEqual(['asc', 'desc']);
    expect(await options('Outcome')).toEqual(['all', 'win', 'loss', 'neutral']);
    await choose('Sort By', 'pnl');
    await expect.poll(() => rows().map((_, i) => cells(i)[6])).toEqual(['+$9.47', '-$3.20', 'N/A']);
    await expect.element(page.getByRole('columnheader', { name: 'PnL' })).toHaveAttribute('aria-sort', 'descending');
    await choose('Order', 'asc');
    await expect.poll(() => rows().map((_, i) => cells(i)[6])).toEqual(['N/A', '-$3.20', '+$9.47']);
    await choose('Outcome', 'loss');
    await expect.poll(drawn).toBe(1);
    await says('Showing 1 of 3');
    expect(figure('Trade Count')).toBe('3');
  });

  test('what is in another currency than dollars is written in it, and not added', async () => {
    await open((net) => net.on('listTrades', [aPaperTrade(1, { symbol: 'ETH/BTC', pnl: 0.0125, entry_price: 0.051 })]));
    await expect.poll(drawn).toBe(1);
    expect(cells(0).slice(1, 7)).toEqual(['Bot 1', 'ETH/BTC', '▲ long', '0.051000 BTC', ' win', '+0.012500 BTC']);
    expect(['PnL', 'Win Rate'].map(figure)).toEqual(['+$0.00', '100.0%']);
    await says('Amounts in other currencies than dollars are not added.');
  });

  test('PAPER-02 of a thousand trades only those in sight are drawn, and the sum is of those too that are not listed', async () => {
    const figures = { ...someSums(), trades: 1595, wins: 638, profit: '-957.660000000000000001' };
    await open((net) =>
      net
        .on(
          'listTrades',
          Array.from({ length: 1000 }, (_, i) => aPaperTrade(1000 - i)),
        )
        .on('profits', {
          time: '2026-11-20T00:00:00.000Z',
          ledgers: [
            aLedger({ mode: 'live' }),
            aLedger({ figures, open_trades: 101 }), // a share that is not won yet
            aLedger({ currency: 'USDC', figures: someSums({ profit: '1' }), open_trades: 0 }),
          ],
        }),
    );
    await expect.poll(drawn).toBeGreaterThan(8);
    expect(drawn()).toBeLessThan(60);
    await expect.element(page.getByRole('table', { name: 'Paper Trades' })).toHaveAttribute('aria-rowcount', '1001');
    await says('the newest 1000 are listed');
    await expect
      .poll(() => ['Trade Count', 'PnL', 'Win Rate', 'Open'].map(figure))
      .toEqual(['1698the newest 1000 are listed', '-$956.66', '40.0%', '101count as neutral']);
    const scroll = document.querySelector('.paper-scroll') as HTMLElement;
    scroll.scrollTo({ top: scroll.scrollHeight });
    await expect.poll(() => cells(drawn() - 1)[0]).toBe('2026-11-20 00:01:00');
    expect(rows().at(-1)?.getBoundingClientRect().bottom).toBeCloseTo(scroll.getBoundingClientRect().bottom, -1);
  });
});

test('on a phone a trade is a card, and the page does not scroll sideways', async () => {
  await page.viewport(390, 844);
  await open((net) =>
    net.on(
      'listTrades',
      Array.from({ length: 300 }, (_, i) => aPaperTrade(300 - i)),
    ),
  );
  await expect.poll(drawn).toBeGreaterThan(3);
  expect(document.documentElement.scrollWidth).toBe(390);
  const tops = rows().map((row) => row.getBoundingClientRect().top);
  expect(tops.slice(1).map((top, i) => Math.round(top - (tops[i] ?? 0)))).toEqual(tops.slice(1).map(() => 128));
  const scroll = document.querySelector('.paper-scroll') as HTMLElement;
  scroll.scrollTo({ top: scroll.scrollHeight });
  await expect.poll(() => cells(drawn() - 1)[0]).toBe('2026-11-20 00:01:00');
  await page.viewport(1440, 1000);
});

describe('comments', () => {
  test('PAPER-07, ERR-43 the comment of a trade is saved, and the row says so no more', async () => {
    holdMoments(2000);
    let release: () => void = () => undefined;
    const answer = ({ path, body }: ArrivedCall) =>
      new Promise<{ trade_id: string; note: string }>((resolve) => {
        release = () => resolve({ trade_id: path.split('/')[2] ?? '', note: (body as { note: string }).note });
      });
    await open((net) => net.on('listTrades', three).on('addTradeNote', answer));
    await expect.poll(drawn).toBe(3);
    await expect.element(save(0)).toBeDisabled();
    await comment(0).fill('Stop too tight');
    await expect.element(save(0)).toBeEnabled();
    await expect.element(save(1)).toBeDisabled();
    await save(0).click();
    await expect.element(save(0)).toHaveAttribute('aria-busy', 'true');
    release();
    await says('Comment saved successfully');
    await expect.element(save(0)).toBeDisabled();
    await expect.element(comment(0)).toHaveValue('Stop too tight');
    expect(network.of('addTradeNote').map(({ path, body }) => [path, body])).toEqual([
      [`/trades/${idOf(3)}/add-note`, { note: 'Stop too tight' }],
    ]);
    expect(network.of('listTrades')).toHaveLength(1);
    expect(figure('Comments')).toBe('2');
  });

  test('a list that was asked for before a comment was saved does not take it away', async () => {
    await open((net) => net.on('listTrades', three).on('addTradeNote', { trade_id: idOf(3), note: 'Stop too tight' }));
    await expect.poll(drawn).toBe(3);
    await page.getByRole('tab', { name: 'Bots', exact: true }).click();
    const late = Promise.withResolvers<typeof three>();
    network.on('listTrades', () => late.promise);
    await page.getByRole('tab', { name: 'Paper Trades' }).click();
    await expect.poll(() => network.of('listTrades').length).toBe(2);
    await comment(0).fill('Stop too tight');
    await expectToast('Comment saved successfully', () => save(0).click());
    late.resolve(three);
    await pass(0);
    await expect.element(comment(0)).toHaveValue('Stop too tight');
    expect(figure('Comments')).toBe('2');
  });

  test('nor one that was asked for while it was being saved', async () => {
    const saving = Promise.withResolvers<{ trade_id: string; note: string }>();
    await open((net) => net.on('listTrades', three).on('addTradeNote', () => saving.promise));
    await expect.poll(drawn).toBe(3);
    await comment(0).fill('Stop too tight');
    await save(0).click();
    await expect.poll(() => network.of('addTradeNote').length).toBe(1);
    const late = Promise.withResolvers<typeof three>();
    network.on('listTrades', () => late.promise);
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is loaded again
    await expect.poll(() => network.of('listTrades').length).toBe(2);
    await expectToast('Comment saved successfully', async () => saving.resolve({ trade_id: idOf(3), note: 'Stop too tight' }));
    late.resolve(three);
    await pass(0);
    await expect.element(comment(0)).toHaveValue('Stop too tight');
  });

  test('what is typed while the comment before is being saved stays', async () => {
    const saving = Promise.withResolvers<{ trade_id: string; note: string }>();
    await open((net) => net.on('listTrades', three).on('addTradeNote', () => saving.promise));
    await expect.poll(drawn).toBe(3);
    await comment(0).fill('Stop too tight');
    await save(0).click();
    await expect.poll(() => network.of('addTradeNote').length).toBe(1);
    await comment(0).fill('Stop too tight, and too late');
    await expectToast('Comment saved successfully', async () => saving.resolve({ trade_id: idOf(3), note: 'Stop too tight' }));
    await expect.element(save(0)).toBeEnabled();
    await expect.element(comment(0)).toHaveValue('Stop too tight, and too late');
  });

  test('Enter saves a changed comment, and does nothing for one that is not changed', async () => {
    holdMoments(2000);
    await open((net) => net.on('listTrades', three).on('addTradeNote', { trade_id: idOf(2), note: '' }));
    await expect.poll(drawn).toBe(3);
    await comment(1).click();
    await userEvent.keyboard('{Enter}');
    await comment(1).fill('');
    await userEvent.keyboard('{Enter}');
    await says('Comment saved successfully');
    expect(network.of('addTradeNote').map(({ body }) => body)).toEqual([{ note: '' }]);
  });

  test('ERR-22, OP-80 a failure names the trade and the reason, and keeps what was typed', async () => {
    holdMoments(2000);
    await open((net) => net.on('listTrades', three).on('addTradeNote', problem(404, 'Trade not found')));
    await expect.poll(drawn).toBe(3);
    await comment(2).fill('mine');
    await save(2).click();
    await says(new RegExp(`Failed to save comment for trade ${idOf(1)}\\s+Trade not found`, 'u'));
    await expect.element(comment(2)).toHaveValue('mine');
    await expect.element(save(2)).toBeEnabled();
  });

  test('what was typed is still there after a look at another tab', async () => {
    await open((net) => net.on('listTrades', three));
    await expect.poll(drawn).toBe(3);
    await comment(0).fill('half a');
    await page.getByRole('tab', { name: 'Bots', exact: true }).click();
    await page.getByRole('tab', { name: 'Paper Trades' }).click();
    await expect.poll(drawn).toBe(3);
    await expect.element(comment(0)).toHaveValue('half a');
  });
});

describe('without trades', () => {
  test('PAPER-08 nothing yet says so, and so does an outcome that no trade has', async () => {
    await open((net) => net.on('listTrades', []));
    await says('No paper trades found');
    expect(['Trade Count', 'PnL', 'Win Rate'].map(figure)).toEqual(['0', '+$0.00', '0.0%']);
    await cleanup();
    network.stop();
    await open((net) => net.on('listTrades', [aPaperTrade(1)]));
    await choose('Outcome', 'neutral');
    await says('No paper trades found');
    await page.getByRole('button', { name: 'Show All' }).click();
    await expect.poll(drawn).toBe(1);
  });

  test('ERR-24 a failed load says why and is tried again; while loading it says so', async () => {
    let release: () => void = () => undefined;
    await open((net) => net.on('listTrades', problem(403, 'Admin access required')));
    await says('Failed to load paper trades');
    await says('Admin access required');
    network.on('listTrades', () => new Promise((resolve) => (release = () => resolve(three))));
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByRole('status').filter({ hasText: 'Loading paper trades' })).toBeInTheDocument();
    release();
    await expect.poll(drawn).toBe(3);
    expect(page.getByText('Failed to load paper trades').elements()).toEqual([]);
  });
});

describe('who may', () => {
  test('PAPER-01, ROLE-09 others than admins have no such tab', async () => {
    await open((net) => net, 'operator');
    await expect.element(page.getByRole('tab', { name: 'Reports' })).toBeVisible();
    expect(page.getByRole('tab', { name: 'Paper Trades' }).elements()).toEqual([]);
  });

  test.each(['trader', 'operator', 'investor'] as const)('PAPER-01 a %s sees that it is for admins', async (role) => {
    network = answerFor(aUser(role));
    setUser(aUser(role));
    await render(
      <Frame>
        <PaperTrades />
      </Frame>,
    );
    await says('Admin access required');
    expect(network.of('listTrades')).toEqual([]);
  });
});
