import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { RouteName } from '#contract/routes.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdBeats, pass } from '../testing/held-time.ts';
import { says } from '../testing/on-page.ts';
import { aBot, asLive, asMonitored, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { someCandles, someOrders, somePnl } from '../testing/samples/monitoring.ts';
import { someTradeOrders } from '../testing/samples/trade-orders.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser()));
  startPage('/');
  return render(<TestPage path="/" />);
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const select = (name: string) => page.getByRole('combobox', { name, exact: true });
const choose = async (name: string, option: string) => {
  await select(name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
/** The price stands on both panels that show it, and is the same there. */
const costs = (text: string) => expect.poll(() => page.getByText(text, { exact: true }).elements().length).toBe(2);
const never = (text: string) => expect.element(page.getByText(text, { exact: true })).not.toBeInTheDocument();
const ofPair: RouteName[] = ['pnlMetrics', 'orderMetrics', 'chartCandles', 'chartOverlays'];
const loadedFor = (symbol: string) => ofPair.map((name) => network.of(name).filter((call) => call.query['symbol'] === symbol).length);
const region = (name: string) => page.getByRole('region', { name, exact: true });
const forever = () => new Promise<never>(() => undefined);

describe('layout', () => {
  test('MON-01, MON-02, MON-40, OP-48 three selectors: bots by nickname, pairs, and the four ranges', async () => {
    await open();
    await expect.element(select('Bot')).toHaveValue('Bot 1');
    await expect.element(select('Trading Pair')).toHaveValue('BTC/USDT');
    await expect.element(select('PnL Range')).toHaveValue('Daily');
    await select('Bot').click();
    await expect.element(page.getByRole('option', { name: 'Bot 2' })).toBeVisible();
    await select('PnL Range').click();
    expect(
      page
        .getByRole('listbox', { name: 'PnL Range' })
        .getByRole('option')
        .elements()
        .map((option) => option.textContent),
    ).toEqual(['Daily', 'Weekly', 'Monthly', 'Yearly']);
  });

  test('MON-03, MON-04, MON-24, OP-46, DATA-13 the metrics line and the current price', async () => {
    await open();
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await costs('$105.00');
  });

  test('an operator sees how old the newest backup is that has passed its test, and whether the last one failed', async () => {
    const state = { status: 'ok', version: '0.1.0', time: '2026-11-20T09:00:00.000Z', database: 'ok' } as const;
    const backups = { last_backup_at: '2026-11-20T04:30:00.000Z', last_backup_test_at: '2026-11-20T04:31:00.000Z' };
    await open((net) => net.on('systemStatus', { ...state, ...backups, backup_test: 'ok' }));
    await says('Newest tested backup: 4h 30m old');
    await cleanup();
    network.stop();
    await open((net) => net.on('systemStatus', { ...state, ...backups, status: 'degraded', backup_test: 'error' }));
    await says('The last backup failed its test. Newest tested backup: 4h 30m old');
    await cleanup();
    network.stop();
    await open((net) => net.on('systemStatus', { ...state, ...backups, last_backup_at: null, backup_test: 'error' }));
    await says('The last backup failed its test. No backup has passed its test yet.');
  });

  test('MON-09, MON-10, MON-11, MON-12 without a bot and pair each panel asks for them, and nothing else is called', async () => {
    await open((net) => net.on('availableBots', { data: [] }));
    await says('Select a bot and trading pair to view chart');
    await says('Select a bot and trading pair to view PNL overview');
    await says('Select a bot and trading pair to view order log');
    await says('Select a bot and trading pair to view PNL data');
    await pause(2300);
    expect(network.calls.map(({ name }) => name).filter((name) => name === 'availablePairs' || ofPair.includes(name))).toEqual([]);
  });

  test('an address that names an archived bot says so and leads to the archived bots; no other bot is shown in its place', async () => {
    const old = aBot(9, { nickname: 'Old', status: 'stopped', archived_at: '2026-10-01T00:00:00.000Z' });
    network = answerFor(aUser()).on('listArchivedBots', [old]);
    const search = `?bot=${old.id}&pair=BTC%2FUSDT`;
    startPage(`/${search}`);
    await render(<TestPage path="/" search={search} />);
    const note = page.getByRole('note');
    await expect.element(note.getByText('is archived since 2026-10-01', { exact: false })).toBeVisible();
    await expect.element(select('Bot')).toHaveValue('');
    await says('Select a bot and trading pair to view order log');
    expect(network.calls.filter(({ name }) => name === 'availablePairs' || ofPair.includes(name))).toEqual([]);
    await note.getByRole('button', { name: 'Archived Bots' }).click();
    await expect.element(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('archived');
    await expect.element(page.getByRole('article').getByText('Old', { exact: true }).first()).toBeVisible();
  });

  test('an address that names a bot of nobody falls to the first one', async () => {
    network = answerFor(aUser());
    const search = `?bot=${idOf(777)}`;
    startPage(`/${search}`);
    await render(<TestPage path="/" search={search} />);
    await expect.element(select('Bot')).toHaveValue('Bot 1');
    expect(page.getByRole('note').elements()).toHaveLength(0);
  });

  test('OP-47 a bot without pairs shows the prompts too', async () => {
    await open((net) => net.on('availablePairs', { pairs: [] }));
    await says('Select a bot and trading pair to view chart');
    await expect.element(select('Bot')).toHaveValue('Bot 1');
  });

  test('MON-15, MON-25, DATA-12, OP-68 the PnL overview shows six figures', async () => {
    await open();
    const overview = region('PnL Overview');
    await expect.element(overview.getByText('-$12.35')).toBeVisible();
    const terms = () =>
      [...overview.element().querySelectorAll('dl > div')].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(terms()).toEqual([
      ['Unrealized PnL', '-$12.35'],
      ['Position Size', '0.0155 BTC'],
      ['Entry Price', '$102.25'],
      ['Current Price', '$105.00'],
      ['Leverage', '3x'],
      ['Liquidation Price', '$70.50'],
    ]);
  });

  test('an open trade shows its stop, target and break-even, and is closed in one press and one answer without leaving the page', async () => {
    const trade = {
      trade_id: idOf(900),
      status: 'open' as const,
      timestamp: Date.parse('2026-11-20T00:00:00.000Z'),
      direction: 'long' as const,
      entry_price: 100,
      entry_tag: 'cross-up',
      exit_timestamp: null,
      exit_price: null,
      exit_reason: null,
      pnl: null,
      pnl_ratio: null,
      stop_price: 90,
      target_price: 110,
    };
    const profit_terms = {
      direction: 'long' as const,
      market_type: 'spot' as const,
      leverage: 1,
      amount: 10,
      open_rate: 100,
      open_value: 1_001,
      open_time: trade.timestamp,
      fee_close: 0.001,
      funding_fees: 0,
      interest: null,
    };
    let asked: string | null = null;
    await open((net) =>
      net
        .on('availableBots', { data: [{ ...asMonitored(aBot(1)), may_change: true }] })
        .on('chartOverlays', { trades: [trade], stops: [], avwap: [] })
        .on('pnlMetrics', somePnl({ profit_terms }))
        .on('tradeOrders', () => someTradeOrders({ close_asked_at: asked }))
        .on('closeTrade', () => {
          asked = '2026-11-21T19:04:00.000Z';
          return { trade_id: idOf(900), close_asked_at: asked };
        }),
    );
    const overview = page.getByRole('region', { name: 'PnL Overview' });
    const figure = (name: string) =>
      [...overview.element().querySelectorAll('dl > div')].find((row) => row.children[0]?.textContent === name)?.children[1]?.textContent;
    await expect.poll(() => [figure('Stop Loss'), figure('Target'), figure('Break-even')]).toEqual(['$90.00', '$110.00', '$100.20']);
    await page.getByRole('button', { name: 'Close now' }).click();
    const question = page.getByRole('dialog', { name: 'Close Trade' });
    await expect.element(question).toBeVisible();
    expect(network.of('closeTrade')).toEqual([]);
    await question.getByRole('button', { name: 'Confirm' }).click();
    await expect.element(page.getByText('Closing at market, asked 19:04:00.')).toBeVisible();
    expect(network.of('closeTrade').map(({ path }) => path)).toEqual([`/trades/${idOf(900)}/close`]);
    await expect.element(question).not.toBeInTheDocument();
  });

  test('the question about a trade that ends meanwhile goes, and is not about the next one of the pair', async () => {
    holdBeats();
    const openedAt = Date.parse('2026-11-20T00:00:00.000Z');
    const trade = { trade_id: idOf(900), status: 'open', timestamp: openedAt, direction: 'long', entry_price: 100 } as const;
    await open((net) =>
      net
        .on('availableBots', { data: [{ ...asMonitored(aBot(1)), may_change: true }] })
        .on('chartOverlays', { trades: [trade], stops: [], avwap: [] })
        .on('tradeOrders', ({ path }) => someTradeOrders({ trade_id: path.split('/')[2] ?? '' }))
        .on('closeTrade', { trade_id: idOf(901), close_asked_at: '2026-11-21T19:04:00.000Z' }),
    );
    await page.getByRole('button', { name: 'Close now' }).click();
    const question = page.getByRole('dialog', { name: 'Close Trade' });
    await expect.element(question).toBeVisible();
    const stoppedOut = { ...trade, status: 'closed', exit_price: 90, exit_timestamp: openedAt + 60_000 } as const;
    network.on('chartOverlays', {
      trades: [stoppedOut, { ...trade, trade_id: idOf(901), timestamp: openedAt + 120_000 }],
      stops: [],
      avwap: [],
    });
    await pass(2_000);
    await expect.element(question).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Close now' }).click();
    await question.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => network.of('closeTrade').map(({ path }) => path)).toEqual([`/trades/${idOf(901)}/close`]);
  });

  test('the open profit of a pair in bitcoins is in bitcoins', async () => {
    await open((net) => net.on('availablePairs', { pairs: ['ETH/BTC'] }).on('pnlMetrics', somePnl({ unrealized_pnl: -0.01 })));
    const overview = region('PnL Overview');
    await expect.element(overview.getByText('-0.010000 BTC', { exact: true })).toBeVisible();
    expect(overview.element().textContent).not.toContain('$');
  });

  test('the funding of an open trade is all that it has paid, also for a part that was taken out', async () => {
    const openedAt = Date.parse('2026-11-20T00:00:00.000Z');
    const trade = { trade_id: idOf(900), status: 'open', timestamp: openedAt, direction: 'long', entry_price: 100 } as const;
    const profit_terms = {
      direction: 'long',
      market_type: 'futures',
      leverage: 3,
      amount: 10,
      open_rate: 100,
      open_value: 1_001,
      open_time: openedAt,
      fee_close: 0.001,
      funding_fees: -1,
      all_funding: -3,
      interest: null,
      taken_out: 25,
    } as const;
    await open((net) =>
      net
        .on('availablePairs', { pairs: ['BTC/USDT:USDT'] })
        .on('chartOverlays', { trades: [trade], stops: [], avwap: [] })
        .on('pnlMetrics', somePnl({ profit_terms })),
    );
    const funding = () =>
      [...region('PnL Overview').element().querySelectorAll('dl > div')].find(({ firstChild }) => firstChild?.textContent === 'Funding')
        ?.lastChild?.textContent;
    await expect.poll(funding).toBe('-$3.00');
  });

  test('in the order log the open trade has the stop of now, a closed one its own', async () => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const trades = [
      { ...line, stop_loss: 90 },
      { ...line, timestamp: '2026-11-19T10:15:30.000Z', status: 'closed' as const, stop_loss: 80 },
    ];
    await open((net) => net.on('orderMetrics', someOrders({ trades })).on('chartCandles', { ...someCandles(60, 105), stop_price: 95 }));
    const stops = () => [...document.querySelectorAll('[aria-label="Order Log"] tbody td:nth-child(8)')].map((cell) => cell.textContent);
    await expect.poll(stops).toEqual(['$95.00', '$80.00']);
  });

  test('OP-47 without an open position the missing figures are N/A', async () => {
    await open((net) =>
      net.on('pnlMetrics', somePnl({ unrealized_pnl: 0, position_size: null, entry_price: null, liquidation_price: null, leverage: 1 })),
    );
    await expect.element(region('PnL Overview').getByText('+$0.00')).toBeVisible();
    expect(region('PnL Overview').getByText('N/A').elements()).toHaveLength(3);
  });

  test('MON-16, OP-71, OP-76 the order log has eight columns in their order', async () => {
    await open();
    const table = page.getByRole('table', { name: 'Order Log' });
    await expect.element(table).toBeVisible();
    const cells = (selector: string) => [...table.element().querySelectorAll(selector)].map((cell) => cell.textContent.trim());
    expect(cells('th')).toEqual(['Timestamp', 'Symbol', 'Direction', 'Size', 'Entry', 'Status', 'Confidence', 'Stop Loss']);
    expect(cells('td')).toEqual(['2026-11-20 10:15:30', 'BTC/USDT', '▲ long', '0.0155', '$64321.12', 'open', '71.5%', 'N/A']);
  });

  test('MON-13, MON-14 empty figures and an empty log say so', async () => {
    await open((net) => net.on('pnlMetrics', somePnl({ history: [] })).on('orderMetrics', someOrders({ trades: [] })));
    await says('No PNL data available');
    await says('No orders available');
  });

  test('MON-37, OP-51 the PnL line begins at 0 with the range, says which time it shows and by how much it changed', async () => {
    const now = Date.now();
    const history = [30, 24, 12, 0].map((hours, i) => ({ time: now - hours * 3_600_000, pnl: -158 + i * 10 }));
    await open((net) => net.on('pnlMetrics', somePnl({ history })));
    await says('daily, last 24 hours: +$20.00');
  });

  test('MON-05, MON-06 both charts are drawn', async () => {
    await open();
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
  });

  test('a live bot is distinguished from a paper one by a band in words and colour', async () => {
    await open();
    await says('simulated orders, simulated market');
    const paper = getComputedStyle(page.getByText('simulated orders, simulated market').element().parentElement as Element).backgroundColor;
    await choose('Bot', 'Bot 2');
    await says('real orders, simulated market');
    const live = getComputedStyle(page.getByText('real orders, simulated market').element().parentElement as Element).backgroundColor;
    expect(live).not.toBe(paper);
  });
});

describe('selection and loading', () => {
  test('MON-26, MON-27, MON-28, MON-29, API-19, DATA-36 the first bot leads to its pairs, the first pair to all four loads together', async () => {
    let inFlight = 0;
    let most = 0;
    const together = async <T,>(reply: T): Promise<T> => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await pause(100);
      inFlight -= 1;
      return reply;
    };
    await open((net) =>
      net
        .on('pnlMetrics', () => together(somePnl()))
        .on('orderMetrics', () => together(someOrders()))
        .on('chartCandles', () => together(someCandles(60, 105)))
        .on('chartOverlays', () => together({ trades: [], stops: [], avwap: [] })),
    );
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    expect(network.of('availablePairs')[0]?.query).toEqual({ bot_id: idOf(101) });
    expect(network.of('pnlMetrics')[0]?.query).toEqual({ bot_id: idOf(101), symbol: 'BTC/USDT', range: 'daily' });
    for (const name of ofPair.slice(1)) expect(network.of(name)[0]?.query).toEqual({ bot_id: idOf(101), symbol: 'BTC/USDT' });
    expect(most).toBe(4);
  });

  test('MON-30, STATE-12 another bot clears everything and loads its own pairs first', async () => {
    await open();
    await costs('$105.00');
    network.on('availablePairs', forever);
    await choose('Bot', 'Bot 2');
    await expect.element(select('Trading Pair')).toHaveValue('');
    await says('Select a bot and trading pair to view chart');
    await says('Select a bot and trading pair to view PNL data');
    await never('$105.00');
    await never('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    expect(network.of('availablePairs').at(-1)?.query).toEqual({ bot_id: idOf(102) });
  });

  test('MON-31 another pair clears figures and chart but keeps the pairs', async () => {
    await open();
    await costs('$105.00');
    for (const name of ofPair) network.on(name as 'pnlMetrics', forever);
    await choose('Trading Pair', 'ETH/USDT');
    await never('$105.00');
    await never('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await expect.element(region('PnL Overview').getByText('Loading...')).toBeVisible();
    await expect.element(select('Trading Pair')).toHaveValue('ETH/USDT');
    expect(network.of('availablePairs')).toHaveLength(1);
    await choose('Trading Pair', 'BTC/USDT');
    expect(loadedFor('ETH/USDT')).toEqual([1, 1, 1, 1]);
  });

  test('MON-32 an answer that arrives for a pair no longer selected is ignored', async () => {
    const late: (() => void)[] = [];
    const slowFor = (reply: object) => (call: ArrivedCall) =>
      call.query['symbol'] === 'BTC/USDT' ? new Promise<never>((resolve) => late.push(() => resolve(reply as never))) : (reply as never);
    await open((net) =>
      net
        .on('orderMetrics', (call) =>
          slowFor(call.query['symbol'] === 'BTC/USDT' ? someOrders({ trade_count: 99 }) : someOrders({ trade_count: 7 }))(call),
        )
        .on('chartCandles', (call) => slowFor(someCandles(60, call.query['symbol'] === 'BTC/USDT' ? 999 : 111))(call)),
    );
    await expect.element(select('Trading Pair')).toHaveValue('BTC/USDT');
    await expect.poll(() => late.length).toBe(2);
    await choose('Trading Pair', 'ETH/USDT');
    await says('Win Rate: 58.3% | Trades: 7 | Strategy: EMA Cross');
    for (const answer of late) answer();
    await pause(200);
    await says('Win Rate: 58.3% | Trades: 7 | Strategy: EMA Cross');
    await costs('$111.00');
    await never('$999.00');
  });

  test('MON-33, OP-46 candles and overlays are polled every 2 seconds, figures are not; the price follows', async () => {
    holdBeats();
    let close = 105;
    await open((net) => net.on('chartCandles', () => someCandles(60, close)));
    await costs('$105.00');
    await expect.poll(() => loadedFor('BTC/USDT')).toEqual([1, 1, 1, 1]);
    close = 106.25;
    await pass(1999);
    expect(loadedFor('BTC/USDT')).toEqual([1, 1, 1, 1]);
    await pass(1);
    await costs('$106.25');
    expect(loadedFor('BTC/USDT')).toEqual([1, 1, 2, 2]);
    await pass(2000);
    expect(loadedFor('BTC/USDT')).toEqual([1, 1, 3, 3]);
  });

  test('a hidden tab asks for alarms alone, seldom, and for what it shows at once when it is shown again', async () => {
    holdBeats();
    await open();
    await costs('$105.00');
    let state: DocumentVisibilityState = 'hidden';
    const spy = vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => state);
    onTestFinished(() => spy.mockRestore()); // what follows in this page is in sight again
    const change = (to: DocumentVisibilityState) => {
      state = to;
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    };
    change('hidden');
    // What was under way has arrived, and the code that a busy machine loads late has asked its first questions.
    for (let known = -1; known < network.calls.length; await pause(1500)) known = network.calls.length;
    const before = network.calls.length;
    const sinceHidden = (name: RouteName) => network.calls.slice(before).filter((call) => call.name === name).length;
    for (let second = 0; second < 21; second += 1) await pass(1000); // twice as long as any of the polls of a page that is seen
    expect(network.calls.slice(before).filter(({ name }) => name !== 'pulse')).toEqual([]);
    // The beat that was set before it was hidden, unless the page was drawn again since.
    expect(sinceHidden('pulse')).toBeLessThanOrEqual(1);
    for (let second = 21; second < 41; second += 1) await pass(1000);
    expect(sinceHidden('pulse')).toBeGreaterThanOrEqual(1); // it is asked for all the same: after 30 s at the latest
    expect(sinceHidden('pulse')).toBeLessThanOrEqual(2);
    expect(network.calls.slice(before).filter(({ name }) => name !== 'pulse')).toEqual([]);
    await pass(9000); // what the page knows is no longer new
    const atReturn = network.calls.length;
    change('visible');
    // No beat comes any more: only the return can have asked.
    await expect
      .poll(() => network.calls.slice(atReturn).map(({ name }) => name))
      .toEqual(expect.arrayContaining<RouteName>(['pulse', 'liveStatus', 'chartCandles']));
  });

  test('one call returns alarms, kill switch and differences to all that show them', async () => {
    holdBeats(); // a part that mounts late finds what is there, as one that mounts at once
    await open();
    await costs('$105.00');
    expect(network.of('pulse')).toHaveLength(1);
    for (const name of ['listAlarms', 'getTradingState', 'listDifferences'] as const) expect(network.of(name)).toEqual([]);
  });

  test('MON-34 figures and log load again after 4 hours, not before', async () => {
    holdBeats();
    await open();
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    for (const name of ['chartCandles', 'chartOverlays'] as const) network.on(name, forever);
    await pass(14_399_000);
    expect(loadedFor('BTC/USDT').slice(0, 2)).toEqual([1, 1]);
    await pass(1000);
    await expect.poll(() => loadedFor('BTC/USDT').slice(0, 2)).toEqual([2, 2]);
  });

  test('bot, pair and range of the address are selected; what the lists do not hold is replaced by the first', async () => {
    network = answerFor(aUser());
    startPage('/');
    const screen = await render(<TestPage path="/" search={`?bot=${idOf(102)}&pair=ETH/USDT&range=weekly`} />);
    await expect.element(select('Bot')).toHaveValue('Bot 2');
    await expect.element(select('Trading Pair')).toHaveValue('ETH/USDT');
    await expect.element(select('PnL Range')).toHaveValue('Weekly');
    expect(network.of('pnlMetrics').map((call) => call.query)).toEqual([{ bot_id: idOf(102), symbol: 'ETH/USDT', range: 'weekly' }]);
    await choose('Trading Pair', 'BTC/USDT');
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', `?bot=${idOf(102)}&pair=BTC%2FUSDT&range=weekly`);
    await screen.unmount();
    network.stop();
    network = answerFor(aUser());
    startPage('/');
    await render(<TestPage path="/" search="?bot=nobody&pair=DOGE/USDT&range=hourly" />);
    await expect.element(select('Bot')).toHaveValue('Bot 1');
    await expect.element(select('Trading Pair')).toHaveValue('BTC/USDT');
    await expect.element(select('PnL Range')).toHaveValue('Daily');
    expect(network.of('availablePairs').map((call) => call.query['bot_id'])).toEqual([idOf(101)]);
  });

  test('MON-35 figures and log load again on Refresh', async () => {
    await open();
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    network.on('orderMetrics', someOrders({ trade_count: 13 })).on('pnlMetrics', somePnl({ unrealized_pnl: 5 }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await says('Win Rate: 58.3% | Trades: 13 | Strategy: EMA Cross');
    await says('+$5.00');
    expect(loadedFor('BTC/USDT').slice(0, 2)).toEqual([2, 2]);
  });

  test('MON-37, MON-39, API-21 another range loads PnL alone', async () => {
    await open();
    await says('-$12.35');
    await choose('PnL Range', 'Monthly');
    await expect.poll(() => network.of('pnlMetrics').map((call) => call.query['range'])).toEqual(['daily', 'monthly']);
    expect(network.of('orderMetrics')).toHaveLength(1);
  });

  test('MON-39 without a bot and pair another range calls nothing', async () => {
    await open((net) => net.on('availableBots', { data: [] }));
    await choose('PnL Range', 'Yearly');
    await pause(200);
    expect(network.of('pnlMetrics')).toEqual([]);
  });

  test('the selection survives a reload of the lists', async () => {
    await open();
    await choose('Bot', 'Bot 2');
    await choose('Trading Pair', 'ETH/USDT');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => network.of('availableBots').length).toBe(2);
    await pause(100);
    await expect.element(select('Bot')).toHaveValue('Bot 2');
    await expect.element(select('Trading Pair')).toHaveValue('ETH/USDT');
  });
});

/** Waits as long as a loaded machine may need. */
const eventually = <T,>(value: () => T) => expect.poll(value);

describe('what has changed', () => {
  const time = 1_763_683_200_000;
  const start = someCandles(60, 105, time);
  const full = { ...start, cursor: 'first', price_tick: 0.0001, price_time: time + 1_000, overlays_version: 'o1', trades_version: 't1' };
  const last = start.candles.at(-1);
  if (last === undefined) throw new Error('There are candles');
  let versions = { overlays_version: 'o1', trades_version: 't1' };
  let close = 105;
  let served = time + 1_000;
  const chart = ({ query }: ArrivedCall) => {
    served += 2_000;
    if (query['after'] === undefined) return { ...full, ...versions };
    return {
      candles: [{ ...last, close, low: 90, high: 120 }],
      timeframe: '5m',
      is_partial: true,
      price_time: served,
      avwap: [],
      ...versions,
    };
  };
  const terms = {
    direction: 'long' as const,
    market_type: 'spot' as const,
    leverage: 1,
    amount: 10,
    open_rate: 100,
    open_value: 1_001,
    open_time: time,
    fee_close: 0.001,
    funding_fees: 0,
    interest: null,
  };
  const changing = (net: Answerer) => {
    versions = { overlays_version: 'o1', trades_version: 't1' };
    close = 105;
    served = time + 1_000;
    return net
      .on('chartCandles', chart)
      .on('chartOverlays', () => ({ trades: [], stops: [], avwap: [], version: versions.overlays_version, indicators: [] }))
      .on('orderMetrics', () => someOrders({ trades_version: versions.trades_version }))
      .on('pnlMetrics', () =>
        somePnl({ unrealized_pnl: 47.95, price_time: time, profit_terms: terms, trades_version: versions.trades_version }),
      );
  };

  test('MON-33, API-16 one small call every 2 seconds; overlays, figures and log load again only when it says so', async () => {
    holdBeats();
    await open(changing);
    await costs('$105.0000');
    await expect.poll(() => loadedFor('BTC/USDT')).toEqual([1, 1, 1, 1]);
    close = 106.1234;
    await pass(2000);
    await costs('$106.1234');
    expect(loadedFor('BTC/USDT')).toEqual([1, 1, 2, 1]);
    await pass(2000);
    expect(loadedFor('BTC/USDT')).toEqual([1, 1, 3, 1]);
    expect(network.of('chartCandles').map(({ query }) => query['after'])).toEqual([undefined, 'first', 'first']);
    versions = { ...versions, overlays_version: 'o2' };
    await pass(2000);
    await expect.poll(() => loadedFor('BTC/USDT')).toEqual([1, 1, 4, 2]);
    versions = { ...versions, trades_version: 't2' };
    await pass(2000);
    await expect.poll(() => loadedFor('BTC/USDT')).toEqual([2, 2, 5, 2]);
    await pass(2000);
    expect(loadedFor('BTC/USDT')).toEqual([2, 2, 6, 2]);
  });

  test('DATA-12, OP-70 unrealized PnL follows the price by the rule of the engine, with the same time on both panels', async () => {
    await open(changing);
    // 10 x 105 less the fee of a thousandth, less 1001 paid
    await expect.element(region('PnL Overview').getByText('+$47.95')).toBeVisible();
    close = 99;
    await expect.element(region('PnL Overview').getByText('-$11.99')).toBeVisible();
    const ages = page
      .getByText(/^as of /u)
      .elements()
      .map((element) => element.textContent);
    expect(ages).toHaveLength(2);
    expect(ages[0]).toBe(ages[1]);
    expect(ages[0]).toBe(`as of ${new Date(served).toISOString().slice(11, 19)} UTC`);
  });

  test('OP-70 a price whose source has fallen silent is shown as stale, with its age', async () => {
    await open((net) => changing(net).on('chartCandles', { ...full, price_time: time, price_age_ms: 72_000 }));
    await eventually(() => page.getByText(/^stale, 1m 1\ds old$/u).elements().length).toBe(2);
    await costs('$105.0000');
  });

  test('an outage keeps what was there at half strength and says how old it is; it recovers by itself', async () => {
    await open(changing);
    await costs('$105.0000');
    network.on('chartCandles', noAnswer);
    await expect.poll(() => page.getByText(/^stale, /u).elements().length).toBe(2);
    await expect.poll(() => document.querySelectorAll('.mon-late').length).toBe(2);
    await costs('$105.0000');
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible();
    network.on('chartCandles', chart);
    close = 107;
    await expect.poll(() => page.getByText('$107.0000').elements().length).toBe(2);
    expect(document.querySelectorAll('.mon-late')).toHaveLength(0);
  });

  test('MON-32 what has changed for a pair no longer selected never lands on another', async () => {
    const late: (() => void)[] = [];
    await open((net) =>
      changing(net).on('chartCandles', (call) => {
        if (call.query['symbol'] === 'ETH/USDT') return { ...full, candles: someCandles(60, 55, time).candles };
        if (call.query['after'] === undefined) return full;
        return new Promise((resolve) =>
          late.push(() => resolve({ candles: [{ ...last, close: 999 }], timeframe: '5m', is_partial: true })),
        );
      }),
    );
    await costs('$105.0000');
    await expect.poll(() => late.length).toBe(1);
    await choose('Trading Pair', 'ETH/USDT');
    await costs('$55.0000');
    for (const answer of late) answer();
    await pause(200);
    await costs('$55.0000');
    await choose('Trading Pair', 'BTC/USDT');
    await costs('$105.0000');
    expect(
      network
        .of('chartCandles')
        .filter(({ query }) => query['symbol'] === 'BTC/USDT')
        .at(-1)?.query['after'],
    ).toBeUndefined();
  });

  test('another timeframe loads its own candles, without the cursor of the other', async () => {
    await open(changing);
    await costs('$105.0000');
    await page.getByRole('group', { name: 'Timeframe' }).getByRole('button', { name: '1h' }).click();
    // The first question of it: on a busy machine the next ones, which follow from its answer, are there by now.
    const firstOf = (key: string, value: string) => network.of('chartCandles').find(({ query }) => query[key] === value)?.query;
    await eventually(() => firstOf('timeframe', '1h')).toEqual({ bot_id: idOf(101), symbol: 'BTC/USDT', timeframe: '1h' });
    expect(network.of('chartOverlays').at(-1)?.query['timeframe']).toBe('1h');
    await choose('Bot', 'Bot 2');
    await eventually(() => firstOf('bot_id', idOf(102))).toEqual({ bot_id: idOf(102), symbol: 'BTC/USDT' });
  });

  test('indicators of the strategy are off at first; switching one on loads their values', async () => {
    await open((net) =>
      changing(net).on('chartOverlays', ({ query }) => ({
        trades: [],
        stops: [],
        avwap: [],
        version: 'o1',
        indicators: [
          { name: 'fast', points: query['indicators'] === 'on' ? start.candles.map(({ timestamp }) => ({ timestamp, value: 101 })) : [] },
        ],
      })),
    );
    const fast = page.getByRole('group', { name: 'Indicators' }).getByRole('button', { name: 'fast' });
    await expect.element(fast).toHaveAttribute('aria-pressed', 'false');
    expect(network.of('chartOverlays').map(({ query }) => query['indicators'])).toEqual([undefined]);
    await fast.click();
    await expect.element(fast).toHaveAttribute('aria-pressed', 'true');
    await eventually(() => network.of('chartOverlays').at(-1)?.query['indicators']).toBe('on');
    await eventually(() => page.getByTestId('readout').element().textContent).toContain('fast 101.0000');
  });

  test('a trade of the log that lies before the first candle has the older ones loaded, and comes into view', async () => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const at = time - 500 * 300_000;
    const trade = { ...line, trade_id: idOf(7), timestamp: new Date(at).toISOString() };
    const older = (before: number) => ({
      ...someCandles(300, 100, before - 300_000),
      candles: someCandles(300, 100, before - 300_000).candles,
    });
    await open((net) =>
      changing(net)
        .on('orderMetrics', someOrders({ trades: [trade], trades_version: 't1' }))
        .on('chartCandles', (call) => (call.query['before'] === undefined ? chart(call) : older(Number(call.query['before'])))),
    );
    await eventually(() => document.querySelectorAll('[aria-label="Order Log"] .fl-pick').length).toBe(1);
    expect(network.of('chartCandles').some(({ query }) => query['before'] !== undefined)).toBe(false);
    await page.elementLocator(document.querySelector('[aria-label="Order Log"] .fl-pick') as HTMLElement).click();
    const asked = () =>
      network
        .of('chartCandles')
        .flatMap(({ query }) => query['before'] ?? [])
        .map(Number);
    const first = time - 59 * 300_000;
    await eventually(asked).toEqual([first, first - 300 * 300_000]);
    await eventually(() => Number(network.of('chartOverlays').at(-1)?.query['from'])).toBe(first - 600 * 300_000);
    await pause(2300);
    expect(asked()).toHaveLength(2);
  });

  test('MON-16 a trade that is opened before the candles are there has the older ones loaded, too', async () => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const trade = { ...line, trade_id: idOf(7), timestamp: new Date(time - 200 * 300_000).toISOString() };
    const { promise: isOpened, resolve: opened } = Promise.withResolvers<void>();
    await open((net) =>
      changing(net)
        .on('orderMetrics', someOrders({ trades: [trade], trades_version: 't1' }))
        .on('chartCandles', async (call) => {
          if (call.query['before'] !== undefined) return someCandles(300, 100, Number(call.query['before']) - 300_000);
          await isOpened;
          return chart(call);
        }),
    );
    await eventually(() => document.querySelectorAll('[aria-label="Order Log"] .fl-pick').length).toBe(1);
    await page.elementLocator(document.querySelector('[aria-label="Order Log"] .fl-pick') as HTMLElement).click();
    opened();
    const asked = () => network.of('chartCandles').flatMap(({ query }) => query['before'] ?? []);
    await eventually(asked).toEqual([String(time - 59 * 300_000)]);
  });

  test('MON-17 the chart is 300 px high and can be made larger', async () => {
    await open(changing);
    const height = () => document.querySelector('.chart-host')?.getBoundingClientRect().height;
    await eventually(height).toBe(300);
    await page.getByRole('button', { name: 'Larger chart' }).click();
    await eventually(height).toBe(560);
    await page.getByRole('button', { name: 'Smaller chart' }).click();
    await eventually(height).toBe(300);
  });

  test('MON-16 a row of the log opens how its trade went and closes again; another pair closes it too', async () => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const went = {
      ...line,
      trade_id: idOf(7),
      status: 'closed' as const,
      exit: 64_400.5,
      exit_timestamp: '2026-11-20T12:15:30.000Z',
      exit_reason: 'trailing_stop_loss',
      entry_tag: 'cross-up',
      pnl: 1.23,
      pnl_ratio: 0.0123,
      fees: 0.4,
      funding: 0,
      stake: 100,
      leverage: 1,
      initial_stop: 63_000,
      stop_loss: 64_400,
      stop_moves: [{ time: Date.UTC(2026, 10, 20, 11), price: 64_400 }],
    };
    await open((net) => changing(net).on('orderMetrics', someOrders({ trades: [went], price_tick: 0.01, trades_version: 't1' })));
    await page.getByRole('button', { name: '2026-11-20 10:15:30' }).click();
    const text = () => document.querySelector('.mon-details')?.textContent ?? null;
    await eventually(text).toContain('PnL+$1.23 +1.23%');
    for (const part of [
      'Exit reasontrailing stop',
      'Fees$0.40',
      'Duration2h 0m',
      '11-20 11:00:00 Stop moved',
      'Entry long, signal cross up',
    ]) {
      expect(text()).toContain(part);
    }
    await page.getByRole('button', { name: '2026-11-20 10:15:30' }).click();
    await eventually(text).toBeNull();
    await page.getByRole('button', { name: '2026-11-20 10:15:30' }).click();
    await eventually(text).not.toBeNull();
    await choose('Trading Pair', 'ETH/USDT');
    await eventually(text).toBeNull();
  });

  test.each([
    ['failed', 'Refused'],
    ['cancelled', 'Cancelled before it was filled'],
  ] as const)('OP-85 the details of a trade that is %s say so, and speak of no exit', async (status, says) => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const never = { ...line, trade_id: idOf(7), status, exit_timestamp: '2026-11-20T10:16:30.000Z', exit_reason: null };
    await open((net) => changing(net).on('orderMetrics', someOrders({ trades: [never], trades_version: 't1' })));
    await page.getByRole('button', { name: '2026-11-20 10:15:30' }).click();
    const text = () => document.querySelector('.mon-details')?.textContent ?? null;
    await eventually(text).toContain(says);
    expect(text()).not.toContain('Exit,');
    expect(text()).toContain('Order to enter');
  });

  test('sizes and prices of the log stand below each other point by point', async () => {
    const [line] = someOrders().trades;
    if (line === undefined) throw new Error('There is a line');
    const trades = [433, 0.5, 12.125].map((size) => ({ ...line, size, entry: 1.5 }));
    await open((net) => changing(net).on('orderMetrics', someOrders({ trades, trades_version: 't1' })));
    const column = (place: number) =>
      [...document.querySelectorAll(`[aria-label="Order Log"] tbody td:nth-child(${place})`)].map((cell) => cell.textContent);
    await eventually(() => column(4)).toEqual(['433.000', '0.500', '12.125']);
    await eventually(() => column(5)).toEqual(['$1.5000', '$1.5000', '$1.5000']);
  });
});

describe('a bot that was changed in another tab', () => {
  const paper = aBot(1);
  const mine = { ...asMonitored(paper), may_change: true };
  const now = (changes: Partial<typeof paper>) => liveOf([asLive(aBot(1, changes))]);
  const open0 = {
    trade_id: idOf(900),
    status: 'open' as const,
    timestamp: Date.parse('2026-11-20T00:00:00.000Z'),
    direction: 'long' as const,
    entry_price: 100,
  };
  const opened = (answers: (net: Answerer) => Answerer = (same) => same) =>
    open((net) => answers(net.on('availableBots', { data: [mine] }).on('liveStatus', now({}))));
  const band = () => document.querySelector('.mon-top .fl-mode')?.textContent ?? null;
  const enter = page.getByRole('button', { name: 'Enter by Hand' });
  /** Until the live state is asked for again. */
  const nextPoll = () => pass(10_000);

  test('a live bot is never under the band of a paper one: the band is of what is polled, without another load of the list', async () => {
    holdBeats();
    await opened();
    await eventually(band).toBe('papersimulated orders, simulated market');
    network.on('liveStatus', now({ mode: 'live' }));
    await nextPoll();
    await eventually(band).toBe('testnetSandboxreal orders, simulated market');
    network.on('liveStatus', now({ mode: 'live', exchange_id: 'binance' }));
    for (let poll = 0; poll < 3; poll++) await nextPoll(); // of the fleet, which says where it trades
    await eventually(band).toBe('livereal orders, real money');
    await eventually(() => loadedFor('BTC/USDT').slice(0, 2)).toEqual([3, 3]); // simulated, at a test network, with real money
    expect(network.of('availableBots')).toHaveLength(1);
  });

  test('until the first poll is answered the list says it, and a poll that finds nobody takes nothing back', async () => {
    holdBeats();
    await opened((net) => net.on('availableBots', { data: [{ ...mine, mode: 'live' }] }).on('liveStatus', forever));
    await eventually(band).toBe('testnetSandboxreal orders, simulated market');
    await cleanup();
    network.stop();
    await opened((net) => net.on('liveStatus', now({ mode: 'live' })));
    await eventually(band).toBe('testnetSandboxreal orders, simulated market');
    network.on('liveStatus', noAnswer);
    await nextPoll();
    expect(band()).toBe('testnetSandboxreal orders, simulated market');
  });

  test('MON-37 its line of profit is of one mode: the points of the other one do not continue in it', async () => {
    holdBeats();
    const at = Date.now();
    const points = (gain: number) => [30, 24, 0].map((hours) => ({ time: at - hours * 3_600_000, pnl: hours === 0 ? gain : 0 }));
    await opened((net) => net.on('pnlMetrics', somePnl({ history: points(80) })));
    await says('daily, last 24 hours: +$80.00');
    network.on('liveStatus', now({ mode: 'live' })).on('pnlMetrics', somePnl({ unrealized_pnl: 1, history: points(3) }));
    await nextPoll();
    await says('daily, last 24 hours: +$3.00');
    const drawn = () => page.getByRole('figure', { name: 'PnL chart of BTC/USDT' });
    await expect.element(drawn()).toBeVisible();
    network.on('liveStatus', now({})).on('pnlMetrics', somePnl({ history: points(81) }));
    await nextPoll();
    await says('daily, last 24 hours: +$81.00');
  });

  test('figures, log and trades of the one mode are not shown under the band of the other while those are on their way', async () => {
    holdBeats();
    await opened((net) => net.on('chartOverlays', { trades: [open0], stops: [], avwap: [] }));
    const closeNow = page.getByRole('button', { name: 'Close now' });
    await expect.element(closeNow).toBeVisible();
    await expect.element(enter).not.toBeInTheDocument(); // the pair has a trade
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible();
    network.on('liveStatus', now({ mode: 'live' }));
    for (const name of ['pnlMetrics', 'orderMetrics', 'chartOverlays'] as const) network.on(name, forever);
    await nextPoll();
    await eventually(band).toBe('testnetSandboxreal orders, simulated market');
    await expect.element(closeNow).not.toBeInTheDocument();
    await expect.element(enter).toBeVisible(); // of this mode none is known
    await never('-$12.35');
    await never('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await expect.element(page.getByRole('table', { name: 'Order Log' })).not.toBeInTheDocument();
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible(); // the market is the same
  });

  test('a trade by hand is offered while it is active now, not while the list was loaded', async () => {
    holdBeats();
    await opened();
    await expect.element(enter).toBeVisible();
    network.on('liveStatus', now({ status: 'paused' }));
    await nextPoll();
    await expect.element(enter).not.toBeInTheDocument();
    network.on('liveStatus', now({}));
    await nextPoll();
    await expect.element(enter).toBeVisible();
  });

  test('what is polled and has not changed loads nothing again and moves nothing', async () => {
    holdBeats();
    await opened();
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await expect.poll(() => loadedFor('BTC/USDT').slice(0, 2)).toEqual([1, 1]);
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible();
    await expect.element(enter).toBeVisible();
    for (let calls = -1; calls < network.calls.length; await pause(1500)) calls = network.calls.length; // code that comes late is there
    const places = () => [...document.querySelectorAll('.mon > *, .mon-row > *')].map((part) => part.getBoundingClientRect().top);
    const before = places();
    for (let poll = 0; poll < 3; poll++) {
      network.on('liveStatus', liveOf([asLive(paper, { open_trades: poll, unrealized_pnl: poll })]));
      await nextPoll();
      expect(places()).toEqual(before);
    }
    expect(loadedFor('BTC/USDT').slice(0, 2)).toEqual([1, 1]);
  });
});

describe('failures', () => {
  const gone = problem(404, 'Trading pair not found');

  test('ERR-10, MON-23, OP-47 failed figures are logged only: Loading... in the overview, nothing in the chart', async () => {
    await open((net) => net.on('pnlMetrics', gone));
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await expect.element(region('PnL Overview').getByText('Loading...')).toBeVisible();
    await never('No PNL data available');
    await never('Trading pair not found');
    await says('$105.00');
  });

  test('ERR-10 a failed load clears what was there', async () => {
    await open();
    await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    network.on('orderMetrics', gone).on('pnlMetrics', gone).on('chartCandles', gone).on('chartOverlays', gone);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await never('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
    await never('$105.00');
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).not.toBeInTheDocument();
    await never('Trading pair not found');
  });

  test('ERR-10 failed bots or pairs leave the prompts', async () => {
    const screen = await open((net) => net.on('availablePairs', problem(403, 'You do not have access to this bot')));
    await says('Select a bot and trading pair to view chart');
    await never('You do not have access to this bot');
    await screen.unmount();
    network.stop();
    await open((net) => net.on('availableBots', problem(403)));
    await says('Select a bot and trading pair to view chart');
  });
});

test('a log of a hundred lines and long names stay inside the page', async () => {
  const line = someOrders().trades[0];
  if (line === undefined) throw new Error('There is a line');
  const bot = aBot(1, { nickname: 'A'.repeat(60), strategy_name: 'S'.repeat(60) });
  await page.viewport(390, 844);
  await open((net) =>
    net
      .on('availableBots', { data: [asMonitored(bot)] })
      .on('orderMetrics', someOrders({ trades: Array.from({ length: 100 }, () => ({ ...line, symbol: '1000PEPE/USDT:USDT' })) })),
  );
  await expect.poll(() => document.querySelectorAll('table[aria-label="Order Log"] tbody tr').length).toBe(100);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  await page.viewport(1440, 1000);
});
