import type { CallReply } from '#contract/client.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments } from '../testing/held-time.ts';
import { idOf } from '../testing/samples/ids.ts';
import { someOrders, somePnl } from '../testing/samples/monitoring.ts';
import { aNoStop } from '../testing/samples/no-stop.ts';
import { aBotTrade } from '../testing/samples/trades.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { aTradeOrder, someTradeOrders } from '../testing/samples/trade-orders.ts';

let network: Answerer;
const trade = someTradeOrders();
const open = async (search: string, answers: (network: Answerer) => Answerer = (same) => same, theme = 'dark') => {
  network = answers(answerFor(aUser('admin')).on('tradeOrders', trade));
  startPage('/');
  localStorage.setItem('theme', theme);
  applyTheme();
  return render(<TestPage path="/" search={search} />);
};
const openPage = (answers?: (network: Answerer) => Answerer, theme?: string) => open(`?order=${trade.trade_id}`, answers, theme);
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
  await page.viewport(1440, 1000);
});

const record = () => page.getByRole('table', { name: 'Record' });
const orders = () => page.getByRole('region', { name: 'Orders', exact: true });
/** A line of "What It Cost". */
const cost = (name: string) =>
  [...document.querySelectorAll('.orders-costs > div')].find(({ firstChild }) => firstChild?.textContent === name)?.lastChild?.textContent;
const address = () => document.querySelector('[data-testid=address]')?.getAttribute('data-search');

describe('ADD-trade-orders', () => {
  test('a trade says every step with its time in ms and the time since the one before', async () => {
    await openPage();
    await expect.element(page.getByRole('heading', { name: 'ETH/USDT, 2026-11-21 06:45' })).toBeVisible();
    await expect.element(record().getByText('06:45:00.594')).toBeVisible();
    await expect.element(record().getByText('+144 ms')).toBeVisible();
    await expect.element(record().getByText(/^Found at the exchange, filled/u)).toBeVisible();
    await expect.element(record().getByText(/fee 0.00003 BNB/u)).toBeVisible();
  });

  test('the stretch in which nobody knew is amber, and says how long it was', async () => {
    await openPage();
    const row = record().getByRole('row').filter({ hasText: 'Unknown for 2.812 s' });
    await expect.element(row).toBeVisible();
    const others = record().getByRole('row').filter({ hasText: 'Accepted' });
    expect(getComputedStyle(row.element()).backgroundColor).not.toBe(getComputedStyle(others.element()).backgroundColor);
    expect(getComputedStyle(row.getByText('Unknown', { exact: true }).element()).color).toBe('rgb(245, 165, 36)');
  });

  test('a trade that was imported says where its orders are', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ orders: [], imported_from: 'freqtrade', status: 'closed' })));
    await expect.element(page.getByText('Imported', { exact: true })).toBeVisible();
    await expect.element(page.getByText('It was imported from freqtrade, whose database has its orders.')).toBeVisible();
  });

  test('what a trade has cost is its fees and the funding it has paid, and less by what it has received', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ fees: 0.31, funding: -1.2 })));
    await expect.element(page.getByText('-$1.51', { exact: true })).toBeVisible();
    await cleanup();
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ fees: 0.31, funding: 1.2 })));
    await expect.element(page.getByText('+$0.89', { exact: true })).toBeVisible();
  });

  test.each([
    ['a buy that was filled above the price when it was decided', 'buy', 100, 103, '-$6.00'],
    ['a buy that was filled below it', 'buy', 100, 98, '+$4.00'],
    ['a sell that was filled below it', 'sell', 100, 97, '-$6.00'],
  ] as const)('the slippage of %s is %s', async (_, side, price, filledAt, slippage) => {
    const fills = aTradeOrder()
      .fills.slice(0, 1)
      .map((fill) => ({ ...fill, price: filledAt, amount: 2 }));
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ orders: [aTradeOrder({ side, price, fills })] })));
    await expect.poll(() => cost('Slippage of the entry')).toBe(slippage);
  });

  test.each([
    ['paid', -1.2, '-$1.20'],
    ['received', 1.2, '+$1.20'],
  ])('funding that a perpetual has %s says so', async (_, funding, shown) => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ symbol: 'ETH/USDT:USDT', funding })));
    await expect.poll(() => cost('Funding so far')).toBe(shown);
  });

  test('what was requested and what was filled stand apart', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ orders: [aTradeOrder({ filled: 0.3, state: 'cancelled' })] })));
    const card = orders().getByRole('listitem').filter({ hasText: 'E1 entry, buy limit' });
    await expect.element(card.getByText('0.4853')).toBeVisible();
    await expect.element(card.getByText('0.3', { exact: true })).toBeVisible();
    await expect.element(card.getByText('cancelled')).toBeVisible();
  });

  test('why it was entered and left is said in words, with what was seen', async () => {
    const decided = { candle_time: '2026-11-21T06:40:00.000Z', tag: 'cross_up', confidence: 0.5, price: 2060.5 };
    const seen = { values: { rsi: 29 }, price_age_ms: 400 };
    const left = { ...decided, candle_time: '2026-11-21T08:40:00.000Z', tag: null, price: 2075.25 };
    await openPage((net) =>
      net.on(
        'tradeOrders',
        someTradeOrders({
          status: 'closed',
          entry_tag: 'cross_up',
          exit_reason: 'cross_down',
          entered_on: { ...decided, seen },
          left_on: left,
        }),
      ),
    );
    const why = page.getByRole('region', { name: 'Why', exact: true });
    for (const text of [
      'cross up',
      'signal: cross down',
      '2026-11-21 06:40',
      '2026-11-21 08:40',
      '$2060.50',
      '$2075.25',
      'rsi 29; price 0.4 s old',
    ])
      await expect.element(why.getByText(text, { exact: true })).toBeVisible();
  });

  test('an order that is unknown says since when and what is being done, and the page asks again', async () => {
    const unknown = aTradeOrder({
      state: 'unknown',
      events: [{ at: '2026-11-21T06:45:01.012Z', state: 'unknown', detail: null }],
      fills: [],
    });
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ status: 'closed', orders: [unknown] })));
    await expect.element(orders().getByText('unknown since 06:45:01.012')).toBeVisible();
    await expect
      .element(orders().getByText(/Looking it up at the exchange; sent again only when it is certainly not there\.$/u))
      .toBeVisible();
    network.on('tradeOrders', someTradeOrders({ status: 'closed' }));
    await expect.element(orders().getByText('filled', { exact: true })).toBeVisible();
    await expect.element(orders().getByText('unknown since 06:45:01.012')).not.toBeInTheDocument();
  });

  test('it is copied as text; where the browser does not let it, it is a file', async () => {
    holdMoments(2000);
    const copied: string[] = [];
    const clipboard = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    await openPage();
    await expectToast('Record copied', () => page.getByRole('button', { name: 'Copy as text' }).click());
    expect(copied[0]).toContain("exchange's order id: 8841");
    clipboard.mockRejectedValue(new Error('not allowed'));
    const files: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      files.push(this.download);
    });
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await expect.element(page.getByText(/Record saved as a file/u)).toBeVisible();
    expect(files).toEqual([`orders-${trade.trade_id}.txt`]);
    clipboard.mockRestore();
    click.mockRestore();
  });

  test('an open trade has the profit it would bring now', async () => {
    await openPage((net) => net.on('pnlMetrics', { ...somePnl(), unrealized_pnl: 15.23, position_size: 0.4853 }));
    await expect.element(page.getByText('+$15.23')).toBeVisible();
  });

  test('a trade without a stop says so in red, with what the exchange has said; what is left over and gaps of stops are named', async () => {
    const refusal = 'sandbox failed to give an answer to the order fl-9: binance {"code":-1013,"msg":"Filter failure: NOTIONAL"}';
    const stop = (changes: Parameters<typeof aTradeOrder>[0]) => aTradeOrder({ purpose: 'stop', side: 'sell', type: 'stop', ...changes });
    await openPage((net) =>
      net.on(
        'tradeOrders',
        someTradeOrders({
          no_stop: aNoStop({ failed_at: '2026-11-21T07:00:40.000Z', refusal }),
          left_over: 0.000748,
          exit_price: 2000,
          orders: [
            aTradeOrder(),
            stop({ order_id: 'a', state: 'cancelled', stop_gap_ms: 358 }),
            stop({ order_id: 'b', state: 'refused', refusal }),
          ],
        }),
      ),
    );
    const bare = page.getByRole('region', { name: 'No stop at the exchange' });
    await expect.element(bare.getByText('No stop at the exchange since 2026-11-21 07:00:00 UTC.', { exact: false })).toBeVisible();
    await expect.element(bare.getByText(/refused the newest stop at 07:00:40 UTC: "Filter failure: NOTIONAL" \(-1013\)\.$/u)).toBeVisible();
    expect(getComputedStyle(bare.element()).backgroundColor).toBe('rgb(198, 40, 40)');
    await expect.element(orders().getByText('No stop before it for')).toBeVisible();
    await expect.element(orders().getByText('358 ms')).toBeVisible();
    const figures = page.getByRole('region', { name: 'The trade' });
    await expect.element(figures.getByText('0.000748 ETH')).toBeVisible();
    await expect.element(figures.getByText('worth $1.50, too little to sell')).toBeVisible();
  });

  test('stops that failed in the same way in a row are the first and the last, and how many are left out', async () => {
    const stop = (changes: Parameters<typeof aTradeOrder>[0]) =>
      aTradeOrder({ purpose: 'stop', side: 'sell', type: 'stop', state: 'refused', ...changes });
    await openPage((net) =>
      net.on(
        'tradeOrders',
        someTradeOrders({ orders: [aTradeOrder(), stop({ order_id: 'a' }), stop({ order_id: 'b', alike_before: 1_998 })] }),
      ),
    );
    await expect.element(orders().getByText('1 entry, 2000 stops')).toBeVisible();
    const last = orders().getByRole('listitem').filter({ hasText: 'S2000' });
    await expect.element(last.getByText('1998 stops before it failed in the same way, one after the other.')).toBeVisible();
    await expect.element(record().getByText('1998 stops before it failed in the same way, one after the other')).toBeVisible();
  });

  test.each([
    ['to-sell', 'Too small to sell', /takes no order for so little, so there is neither a stop nor an exit/u],
    ['for-stop', 'Too small for a stop', /At its stop price it is worth less than the smallest order/u],
  ] as const)('a trade that is too small (%s) says so, and not that its stop is missing', async (too_small, title, text) => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ no_stop: aNoStop({ too_small }) })));
    const small = page.getByRole('region', { name: title });
    await expect.element(small.getByText(`${title} since 2026-11-21 07:00:00 UTC.`)).toBeVisible();
    await expect.element(small.getByText(text)).toBeVisible();
    await expect.element(page.getByRole('region', { name: 'No stop at the exchange' })).not.toBeInTheDocument();
  });

  test('of many orders the first and the newest are shown, the rest when it is asked for', async () => {
    const many = Array.from({ length: 30 }, (_, i) => aTradeOrder({ order_id: `fl-${i}`, purpose: i === 0 ? 'entry' : 'stop' }));
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ orders: many })));
    const cards = () =>
      orders()
        .getByRole('listitem')
        .elements()
        .map((card) => card.textContent?.slice(0, 3));
    await expect.poll(cards).toEqual(['E1 ', 'S23', 'S24', 'S25', 'S26', 'S27', 'S28', 'S29']);
    await orders().getByRole('button', { name: 'Show 22 more orders' }).click();
    await expect.poll(() => cards().length).toBe(30);
  });

  test('a paper trade has the same page with what there is', async () => {
    const simulated = aTradeOrder({ events: [], exchange_order_id: null, attempts: 0 });
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ mode: 'paper', orders: [simulated] })));
    await expect.element(page.getByText('simulated orders, simulated market')).toBeVisible();
    await expect.element(record().getByText(/^Fill 1 of 2/u)).toBeVisible();
    await expect.element(record().getByText(/^Sent/u)).not.toBeInTheDocument();
  });

  test('a trade of which no orders are kept says so', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ orders: [] })));
    await expect.element(page.getByText('No orders are kept of this trade')).toBeVisible();
  });

  test('while it loads there are rows; when it fails it says why and loads again', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof problem>>();
    await openPage((net) => net.on('tradeOrders', () => answer.promise));
    await expect.element(page.getByRole('region', { name: 'Loading the orders' })).toBeVisible();
    await expect.poll(() => network.of('tradeOrders').length).toBe(1);
    answer.resolve(problem(404, 'Trade not found'));
    await expect.element(page.getByText('Trade not found')).toBeVisible();
    const retry = page.getByRole('button', { name: 'Retry' }).element() as HTMLButtonElement;
    network.on('tradeOrders', trade);
    retry.click(); // at once: the page asks again by itself, too
    await expect.element(record()).toBeVisible();
  });

  test('a row of Trades opens it, by mouse and keyboard, and the comment in the row does not; Back returns', async () => {
    await open(`?tab=bot_control&view=trades&bot=${idOf(101)}`, (net) => net.on('botTrades', [aBotTrade(1), aBotTrade(2)]));
    const row = page.getByRole('table', { name: 'Trades' }).getByRole('row').nth(1);
    await row.getByPlaceholder('Add a comment').click();
    expect(address()).not.toContain('order=');
    await row.getByRole('button', { name: 'BTC/USDT', exact: true }).click();
    await expect.element(page.getByRole('heading', { name: /^ETH\/USDT/u })).toBeVisible();
    await expect.poll(address).toContain(`order=${aBotTrade(2).trade_id}`);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.element(page.getByRole('table', { name: 'Trades' })).toBeVisible();
  });

  test('a trade of Status opens it; another tab leaves it', async () => {
    const logged = someOrders().trades.map((row) => ({ ...row, trade_id: trade.trade_id }));
    await open('', (net) => net.on('orderMetrics', someOrders({ trades: logged })));
    await page.getByRole('table', { name: 'Order Log' }).getByRole('row').nth(1).click();
    await page.getByRole('button', { name: 'Show orders' }).click();
    await expect.element(record()).toBeVisible();
    await page.getByRole('tab', { name: 'Bots' }).click();
    await expect.element(page.getByRole('tablist', { name: 'Bots' })).toBeVisible();
    await expect.poll(address).not.toContain('order=');
  });

  test.each([
    ['dark', 1440],
    ['light', 1440],
    ['dark', 390],
    ['light', 390],
  ])('it has no accessibility findings and no sideways scroll: %s, %i px', async (theme, width) => {
    await page.viewport(width, 900);
    await openPage(
      (net) => net.on('tradeOrders', someTradeOrders({ orders: [...trade.orders, aTradeOrder({ state: 'unknown' })] })),
      theme,
    );
    await expect.element(record()).toBeVisible();
    const { violations } = await axe.run(document.body, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  });
});

describe('ADD-close-trade', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Close Trade' });
  const closeNow = () => page.getByRole('button', { name: 'Close now' });

  test('asks first, with what it would bring now; cancelling sends nothing', async () => {
    await openPage((net) => net.on('pnlMetrics', { ...somePnl(), unrealized_pnl: -4.5, current_price: 2051, position_size: 0.4853 }));
    await closeNow().click();
    await expect.element(dialog().getByText('Are you sure you want to close this trade at market?')).toBeVisible();
    await expect.element(dialog().getByText('-$4.50')).toBeVisible();
    await expect.element(dialog().getByText(/^\$2051\.00 as of /u)).toBeVisible();
    await expect.element(dialog().getByText('testnet', { exact: true })).toBeVisible();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(network.of('closeTrade')).toEqual([]);
  });

  test('is busy, then says that it is being closed until it is', async () => {
    const answer = Promise.withResolvers<{ trade_id: string; close_asked_at: string }>();
    const askedAt = '2026-11-21T19:04:00.000Z';
    await openPage((net) => net.on('closeTrade', () => answer.promise));
    await closeNow().click();
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await expect.element(dialog().getByRole('button', { name: 'Confirm' })).toBeDisabled();
    expect(network.of('closeTrade').map(({ path }) => path)).toEqual([`/trades/${trade.trade_id}/close`]);
    network.on('tradeOrders', someTradeOrders({ close_asked_at: askedAt }));
    answer.resolve({ trade_id: trade.trade_id, close_asked_at: askedAt });
    await expect.element(page.getByText('Closing at market, asked 19:04:00.')).toBeVisible();
    await expect.element(closeNow()).not.toBeInTheDocument();
    network.on('tradeOrders', someTradeOrders({ close_asked_at: askedAt, time: '2026-11-21T19:04:11.000Z' }));
    await expect.element(page.getByText(/Not closed yet/u)).toBeVisible();
    network.on('tradeOrders', someTradeOrders({ close_asked_at: askedAt, status: 'closed', exit_reason: 'force_exit', pnl: -4.6 }));
    await expect.element(page.getByText('closed by hand', { exact: true })).toBeVisible();
    await expect.element(page.getByText(/^Closing at market/u)).not.toBeInTheDocument();
  });

  test('says why it failed, and can be tried again', async () => {
    await openPage((net) => net.on('closeTrade', problem(409, 'The trade is not open')));
    await closeNow().click();
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await expect.element(dialog().getByText('Failed to close the trade: The trade is not open')).toBeVisible();
    await expect.element(dialog().getByRole('button', { name: 'Confirm' })).toBeEnabled();
    expect((await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa', 'best-practice'] })).violations.map(({ id }) => id)).toEqual([]);
  });

  test('is not offered to others, nor for a trade that is closed', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ may_close: false })));
    await expect.element(record()).toBeVisible();
    await expect.element(closeNow()).not.toBeInTheDocument();
    await cleanup();
    network.stop();
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ status: 'closed' })));
    await expect.element(record()).toBeVisible();
    await expect.element(closeNow()).not.toBeInTheDocument();
  });
});

describe('ADD-try-stop', () => {
  const bare = () => page.getByRole('region', { name: 'No stop at the exchange' });
  const tryNow = () => bare().getByRole('button', { name: 'Try the stop now: ETH/USDT long' });
  const ended = aNoStop({ failed_at: '2026-11-21T19:03:30.000Z', ended_as: 'expired', stood_ms: 300, next_stop: 'pausing' });

  test('a stop that the exchange took and ended is shown with that, and tried at a press', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ no_stop: ended })));
    await expect
      .element(bare().getByText(/took the newest stop and ended it at once, at 19:03:30 UTC, as expired\. It gave no reason\. The next/u))
      .toBeVisible();
    const stop_asked_at = '2026-11-21T19:04:00.000Z';
    const answer = Promise.withResolvers<CallReply<'tryStop'>>();
    network.on('tryStop', () => answer.promise);
    await tryNow().click();
    await expect.element(tryNow()).toBeDisabled();
    network.on('tradeOrders', someTradeOrders({ no_stop: { ...ended, next_stop: 'asked', stop_asked_at } }));
    answer.resolve({ trade_id: trade.trade_id, next_stop: 'asked', stop_asked_at });
    await expect.element(bare().getByText(/The next is tried now, as soon as the bot sees a price; asked 19:04:00\.$/u)).toBeVisible();
    await expect.element(tryNow()).not.toBeInTheDocument();
    expect(network.of('tryStop').map(({ path }) => path)).toEqual([`/trades/${trade.trade_id}/try-stop`]);
    network.on('tradeOrders', someTradeOrders());
    await expect.element(bare()).not.toBeInTheDocument();
  });

  test('is not offered to others', async () => {
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ no_stop: ended, may_close: false })));
    await expect.element(bare()).toBeVisible();
    await expect.element(tryNow()).not.toBeInTheDocument();
  });

  test.each([
    ['dark', 1440],
    ['light', 390],
  ])('says why it failed below a long reason, and fits: %s, %i px', async (theme, width) => {
    await page.viewport(width, 900);
    const refusal = `binance {"code":-4045,"msg":"Reach max stop order limit. ${'x'.repeat(300)}"}`;
    const no_stop = aNoStop({ failed_at: '2026-11-21T19:03:30.000Z', refusal, next_stop: 'pausing' });
    await openPage((net) => net.on('tradeOrders', someTradeOrders({ no_stop })), theme);
    network.on('tryStop', problem(409, 'No stop of this trade waits to be tried again'));
    await tryNow().click();
    await expect
      .element(bare().getByRole('alert'))
      .toHaveTextContent('Failed to try the stop: No stop of this trade waits to be tried again');
    const { violations } = await axe.run(bare().element(), { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    expect(bare().element().scrollWidth).toBeLessThanOrEqual(bare().element().clientWidth);
  });
});
