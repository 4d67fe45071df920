import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { holdBeats, holdMoments, pass } from '../../testing/held-time.ts';
import { says } from '../../testing/on-page.ts';
import { aBot, aSnapshot, asLive, liveOf } from '../../testing/samples/bots.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { somePnl } from '../../testing/samples/monitoring.ts';
import { aNoStop } from '../../testing/samples/no-stop.ts';
import { aBotTrade } from '../../testing/samples/trades.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import type { BotTrade, PnlSnapshot } from '../use-bot-details.ts';

let network: Answerer;
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const open = async (view: 'trades' | 'pnl', answers: (network: Answerer) => Answerer, role: Role = 'admin') => {
  network = answers(answerFor(aUser(role)).on('listBots', [aBot(1)]));
  startPage('/');
  return render(<TestPage path="/" search={`?tab=bot_control&view=${view}&bot=${idOf(101)}`} />);
};
const openTrades = (trades: BotTrade[], role: Role = 'admin') => open('trades', (net) => net.on('botTrades', trades), role);
const openPnl = (snapshots: PnlSnapshot[]) => open('pnl', (net) => net.on('botPnl', snapshots));
const table = (name: string) => page.getByRole('table', { name, exact: true });
const heads = (name: string) =>
  table(name)
    .getByRole('columnheader')
    .elements()
    .map((head) => head.textContent);
/** The text of one column of all rows, from 0. */
const column = (name: string, place: number) =>
  table(name)
    .getByRole('row')
    .elements()
    .slice(1)
    .map((row) => row.querySelectorAll('td')[place]?.textContent);
const colorOf = (text: string) => getComputedStyle(page.getByText(text, { exact: true }).element()).color;

test('a trade without a stop at the exchange is red on its row and on the card of its bot', async () => {
  const [bare, protectedOne] = [aBotTrade(1, { status: 'open' }), aBotTrade(2, { status: 'open' })];
  const unprotected = {
    trade_id: bare.trade_id,
    bot_id: idOf(101),
    nickname: 'Bot 1',
    exchange_id: 'sandbox',
    symbol: bare.symbol,
    direction: 'long',
    amount: 1,
    close_asked_at: null,
    ...aNoStop({ failed_at: '2026-11-22T09:31:05.000Z', refusal: 'No room' }),
  } as const;
  const answers = (net: Answerer) =>
    net.on('botTrades', [bare, protectedOne]).on('listDifferences', { open: [], unprotected: [unprotected], ended: [] });
  await open('trades', answers);
  await expect.element(table('Trades').getByText('no stop')).toBeVisible();
  expect(table('Trades').getByText('no stop').elements()).toHaveLength(1);
  expect(colorOf('no stop')).toBe('rgb(255, 255, 255)');
  expect(table('Trades').getByText('no stop').element().getAttribute('title')).toBe(
    'The bot watches the price itself; if it stops, nothing limits the loss. The exchange refused the newest stop at 09:31:05 UTC: No room.',
  );
  await page.getByRole('tablist', { name: 'Bots' }).getByRole('tab', { name: 'Bots' }).click();
  await expect.element(page.getByRole('article', { name: 'Bot 1' }).getByText('1 without stop')).toBeVisible();
});

test('trades of a bot that goes live elsewhere are not shown as those of real money', async () => {
  await openTrades([aBotTrade(1, { symbol: 'PAPER/USDT' })]);
  await expect.element(table('Trades').getByText('PAPER/USDT')).toBeVisible();
  const real = Promise.withResolvers<BotTrade[]>();
  network.on('botTrades', () => real.promise).on('listBots', [aBot(1, { mode: 'live' })]);
  network.on('liveStatus', liveOf([asLive(aBot(1, { mode: 'live' }))]));
  await expect.poll(() => page.getByText('PAPER/USDT').elements()).toEqual([]);
  real.resolve([aBotTrade(2, { symbol: 'REAL/USDT' })]);
  await expect.element(table('Trades').getByText('REAL/USDT')).toBeVisible();
});

test('snapshots of a bot that goes live elsewhere are not shown as those of real money', async () => {
  await openPnl([aSnapshot(2, { current_balance: 10_123 })]);
  await expect.element(table('PNL Snapshots').getByText('$10123.00')).toBeVisible();
  const real = Promise.withResolvers<PnlSnapshot[]>();
  network.on('botPnl', () => real.promise).on('listBots', [aBot(1, { mode: 'live' })]);
  network.on('liveStatus', liveOf([asLive(aBot(1, { mode: 'live' }))]));
  await expect.poll(() => page.getByText('$10123.00').elements()).toEqual([]);
  real.resolve([aSnapshot(3, { current_balance: 250 })]);
  await expect.element(table('PNL Snapshots').getByText('$250.00')).toBeVisible();
});

test('what was imported says so on its row and on the card of its bot', async () => {
  const trades = [aBotTrade(1, { imported_from: 'freqtrade' }), aBotTrade(2)];
  await open('trades', (net) => net.on('botTrades', trades).on('listBots', [aBot(1, { imported_trades: 5, imported_pnl: -12.5 })]));
  await expect.element(table('Trades').getByText('Imported')).toBeVisible();
  expect(table('Trades').getByText('Imported').elements()).toHaveLength(1);
  await page.getByRole('tablist', { name: 'Bots' }).getByRole('tab', { name: 'Bots' }).click();
  const said = '5 of its 12 trades are imported (-$12.50): not in its balance.';
  await expect.element(page.getByRole('article', { name: 'Bot 1' }).getByText(said)).toBeVisible();
});

describe('trades', () => {
  test('TRADES-01, TRADES-06, TRADES-07, TRADES-08, TRADES-09, TRADES-10, TRADES-11, OP-68, API-37 the columns and their formats', async () => {
    await openTrades([
      aBotTrade(1, { pnl: -6.041 }),
      aBotTrade(2, { pnl: 0, side: 'sell' }),
      aBotTrade(3, { status: 'open', exit_price: null, exit_time: null, pnl: null }),
      aBotTrade(4, { pnl: 1234.5, status: 'closed' }),
    ]);
    await expect.element(table('Trades')).toBeVisible();
    expect(heads('Trades')).toEqual(['Symbol', 'Side', 'Entry Price', 'Exit Price', 'Volume', 'PNL', 'Entry Time', 'Status', 'Comment']);
    expect(column('Trades', 2)[0]).toBe('$64321.13');
    expect(column('Trades', 3)).toEqual(['$65000.00', 'N/A', '$65000.00', '$65000.00']);
    expect(column('Trades', 4)[0]).toBe('0.0155');
    expect(column('Trades', 5)).toEqual(['+$1234.50', 'N/A', '+$0.00', '-$6.04']);
    expect(column('Trades', 6)[0]).toBe('2026-11-01 04:00:00');
    expect(colorOf('+$0.00')).toBe('rgb(47, 184, 170)');
    expect(colorOf('-$6.04')).toBe('rgb(255, 107, 104)');
    expect(network.of('botTrades')[0]?.path).toBe(`/bots/${idOf(101)}/trades`);
  });

  test('a row says how a trade went and ended: its share of the stake, why, when and after how long; of an open one what it would bring', async () => {
    const open = aBotTrade(3, { status: 'open', exit_price: null, exit_time: null, pnl: null, symbol: 'ETH/USDT' });
    const closed = aBotTrade(1, { pnl: -6.04, pnl_ratio: -0.0123, exit_reason: 'force_exit', entry_price: 1.59, price_tick: 0.0001 });
    await openTrades([closed, open]);
    network.on('pnlMetrics', { ...somePnl(), unrealized_pnl: 1.29, position_size: 1 });
    await expect.element(table('Trades').getByText('closed by hand, 11-01 01:30, 30m 0s')).toBeVisible();
    expect(column('Trades', 5)).toEqual(['N/A', '-$6.04-1.23%']);
    expect(column('Trades', 2)[1]).toBe('$1.5900');
    await expect.poll(() => column('Trades', 7)[0]).toBe('opennow +$1.29');
    network.on('pnlMetrics', { ...somePnl(), unrealized_pnl: 1.31, position_size: 1, price_age_ms: 420_000 });
    await expect.poll(() => column('Trades', 7)[0]).toMatch(/^openlast \+\$1\.31 stale, 7m \d+s old$/u);
  });

  test('of two open trades of a bot each has the profit of its own pair', async () => {
    const still = { status: 'open', exit_price: null, exit_time: null, pnl: null } as const;
    await open('trades', (net) =>
      net
        .on('botTrades', [aBotTrade(1, { ...still, symbol: 'BTC/USDT' }), aBotTrade(2, { ...still, symbol: 'ETH/USDT' })])
        .on('pnlMetrics', ({ query }) => somePnl({ unrealized_pnl: query['symbol'] === 'ETH/USDT' ? 7.5 : -2.25, position_size: 1 })),
    );
    const shown = () => Object.fromEntries(column('Trades', 0).map((symbol, i) => [symbol, column('Trades', 7)[i]]));
    await expect.poll(shown).toEqual({ 'BTC/USDT': 'opennow -$2.25', 'ETH/USDT': 'opennow +$7.50' });
  });

  test('on a phone the profit of a trade is in sight, below its symbol', async () => {
    await page.viewport(390, 844);
    try {
      await openTrades([aBotTrade(1, { pnl: -6.04 })]);
      await expect.poll(() => column('Trades', 0)).toEqual(['BTC/USDT-$6.04']);
    } finally {
      await page.viewport(1440, 900);
    }
  });

  test('TRADES-02, OP-38 newest first; a click on a header sorts ascending, the next descending; comments do not sort', async () => {
    await openTrades([
      aBotTrade(1, { symbol: 'SOL/USDT', pnl: -5, volume: 3, entry_price: 1, exit_price: 9, side: 'sell', status: 'failed' }),
      aBotTrade(3, { symbol: 'ADA/USDT', pnl: null, volume: 1, entry_price: 3, exit_price: null, status: 'open' }),
      aBotTrade(2, { symbol: 'ETH/USDT', pnl: 7, volume: 2, entry_price: 2, exit_price: 8, status: 'closed' }),
    ]);
    await expect.poll(() => column('Trades', 0)).toEqual(['ADA/USDT', 'ETH/USDT', 'SOL/USDT']);
    const ascending: Record<string, string[]> = {
      Symbol: ['ADA/USDT', 'ETH/USDT', 'SOL/USDT'],
      'Entry Price': ['SOL/USDT', 'ETH/USDT', 'ADA/USDT'],
      'Exit Price': ['ADA/USDT', 'ETH/USDT', 'SOL/USDT'],
      Volume: ['ADA/USDT', 'ETH/USDT', 'SOL/USDT'],
      PNL: ['ADA/USDT', 'SOL/USDT', 'ETH/USDT'],
      'Entry Time': ['SOL/USDT', 'ETH/USDT', 'ADA/USDT'],
      Status: ['ETH/USDT', 'SOL/USDT', 'ADA/USDT'],
    };
    for (const [head, symbols] of Object.entries(ascending)) {
      const button = table('Trades').getByRole('button', { name: head, exact: true });
      await button.click();
      await expect.poll(() => column('Trades', 0), { message: head }).toEqual(symbols);
      await button.click();
      await expect.poll(() => column('Trades', 0), { message: head }).toEqual(symbols.toReversed());
    }
    await table('Trades').getByRole('button', { name: 'Side', exact: true }).click();
    await expect.poll(() => column('Trades', 0)[2]).toBe('SOL/USDT');
    await expect.element(table('Trades').getByRole('button', { name: 'Comment', exact: true })).not.toBeInTheDocument();
  });

  test('of a currency that the bot stakes no more are in that one, and added to no other', async () => {
    await openTrades([aBotTrade(1, { symbol: 'ETH/BTC', pnl: -0.0012 }), aBotTrade(2, { symbol: 'ETH/USDT', pnl: 5 })]);
    await says('Total of 2 trades: 2 closed, 1 won, -0.001200 BTC and +$5.00 after fees');
    await expect.poll(() => column('Trades', 5).join(' ')).toContain('-0.001200 BTC');
  });

  test('TRADES-03, TRADES-04, TRADES-05 symbol and status narrow the list; the total is of the filter', async () => {
    await openTrades([
      aBotTrade(1, { symbol: 'SOL/USDT', status: 'cancelled', pnl: null }),
      aBotTrade(2, { symbol: 'ETH/USDT', pnl: -2 }),
      aBotTrade(3, { symbol: 'ETH/USDT', pnl: 5 }),
    ]);
    await says('Total of 3 trades: 2 closed, 1 won, +$3.00 after fees');
    await page.getByPlaceholder('Symbol').fill('th/');
    await expect.poll(() => column('Trades', 0)).toEqual(['ETH/USDT', 'ETH/USDT']);
    await says('Total of the filter, 2 of 3 trades: 2 closed, 1 won, +$3.00 after fees');
    await page.getByPlaceholder('Symbol').fill('');
    const status = page.getByRole('combobox', { name: 'Trade status' });
    await status.click();
    expect(
      page
        .getByRole('option')
        .elements()
        .map((option) => option.textContent),
    ).toEqual(['All Statuses', 'open', 'closed', 'cancelled', 'failed']);
    await page.getByRole('option', { name: 'cancelled', exact: true }).click();
    await expect.poll(() => column('Trades', 0)).toEqual(['SOL/USDT']);
    await status.click();
    await page.getByRole('option', { name: 'failed', exact: true }).click();
    await says('No trades found');
    await page.getByRole('button', { name: 'Show All Trades' }).click();
    await expect.poll(() => column('Trades', 0).length).toBe(3);
  });

  test('TRADES-12, TRADES-13, API-49 a comment is saved once, though the button is clicked twice', async () => {
    holdMoments(2000);
    await openTrades([aBotTrade(1, { note: 'before' })]);
    const release: (() => void)[] = [];
    network.on('addTradeNote', () => new Promise((resolve) => release.push(() => resolve({ trade_id: idOf(10_001), note: 'clean exit' }))));
    const box = page.getByRole('textbox', { name: 'Comment on BTC/USDT of 2026-11-01T01:00:00.000Z' });
    const save = page.getByRole('button', { name: 'Save comment on BTC/USDT of 2026-11-01T01:00:00.000Z' });
    await expect.element(box).toHaveValue('before');
    await expect.element(save).toBeDisabled();
    await box.fill('clean exit');
    const button = save.element() as HTMLButtonElement;
    button.click();
    button.click();
    await expect.poll(() => release.length).toBe(1);
    await expect.element(save).toHaveAttribute('aria-busy', 'true');
    release[0]?.();
    await says('Comment saved successfully');
    await expect.element(save).toBeDisabled();
    await expect.element(box).toHaveValue('clean exit');
    expect(network.of('addTradeNote')).toMatchObject([{ path: `/trades/${idOf(10_001)}/add-note`, body: { note: 'clean exit' } }]);
  });

  test('a list that was asked for before a comment was saved, and comes after it, does not take it away', async () => {
    holdBeats();
    await openTrades([aBotTrade(1, { note: 'before' })]);
    const box = page.getByRole('textbox', { name: /^Comment on BTC/u });
    await expect.element(box).toHaveValue('before');
    const late = Promise.withResolvers<BotTrade[]>();
    network.on('botTrades', () => late.promise).on('addTradeNote', { trade_id: idOf(10_001), note: 'too early' });
    const asked = network.of('botTrades').length;
    await pass(60_000);
    await expect.poll(() => network.of('botTrades').length).toBeGreaterThan(asked);
    await box.fill('too early');
    const save = page.getByRole('button', { name: /^Save comment on BTC/u });
    await save.click();
    await expect.poll(() => network.of('addTradeNote').length).toBe(1);
    await expect.element(save).toBeDisabled();
    late.resolve([aBotTrade(1, { note: 'before' })]);
    await pass(1_000); // by then it would be drawn
    await expect.element(box).toHaveValue('too early');
  });

  test('ERR-20 a comment that cannot be saved says why and keeps what was typed', async () => {
    holdMoments(2000);
    await openTrades([aBotTrade(1)]);
    network.on('addTradeNote', problem(404, 'Trade not found'));
    await page.getByPlaceholder('Add a comment').fill('kept');
    await userEvent.keyboard('{Enter}');
    await says('Failed to save comment: Trade not found');
    await expect.element(page.getByPlaceholder('Add a comment')).toHaveValue('kept');
  });

  test('TRADES-14, OP-39 others than admins read comments only, and see why', async () => {
    await openTrades([aBotTrade(1, { note: 'read me' })], 'trader');
    const box = page.getByRole('textbox', { name: /^Comment on/u });
    await expect.element(box).toBeDisabled();
    await expect.element(box).toHaveValue('read me');
    const save = page.getByRole('button', { name: /^Save comment/u });
    await expect.element(save).toBeDisabled();
    await expect.element(save).toHaveAttribute('title', 'Only admins can save trade notes');
  });

  test('1000 trades: only those in sight are drawn, and a typed comment outlives scrolling', async () => {
    await openTrades(Array.from({ length: 1000 }, (_, i) => aBotTrade(i)));
    await expect.element(table('Trades')).toHaveAttribute('aria-rowcount', '1001');
    expect(table('Trades').getByRole('row').elements().length).toBeLessThan(80);
    await page.getByPlaceholder('Add a comment').first().fill('first');
    const region = page.getByRole('region', { name: 'Trades, scrollable' }).element();
    region.scrollTop = 20_000;
    await expect.poll(() => column('Trades', 6)[0]).not.toBe('2026-12-12 15:00:00');
    region.scrollTop = 0;
    await expect.element(page.getByPlaceholder('Add a comment').first()).toHaveValue('first');
  });

  test('ERR-15, API-37 what does not load is said once, without a false empty list', async () => {
    await open('trades', (net) => net.on('botTrades', problem(403, 'You do not have access to this bot')));
    await says('Failed to load bot details: You do not have access to this bot');
    await expect.element(page.getByText('No trades found')).not.toBeInTheDocument();
  });

  test('TRADES-05, BOTS-31 a bot without trades; without a bot the tab leads to the list', async () => {
    await openTrades([]);
    await says('No trades found');
    for (const name of ['getBot', 'botTrades', 'botPnl'] as const)
      await expect.poll(() => network.of(name).length, { message: name }).toBe(1);
    await page.getByRole('button', { name: 'Deselect bot' }).click();
    await says('Select a bot to see its trades.');
    await page.getByRole('button', { name: 'Open the List of Bots' }).click();
    await expect.element(page.getByRole('article', { name: 'Bot 1' })).toBeVisible();
  });

  test('390 px: the table scrolls in its panel, the page does not', async () => {
    await page.viewport(390, 844);
    await openTrades([aBotTrade(1)]);
    await expect.element(table('Trades')).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    await page.viewport(1440, 900);
  });
});

test('the trades that are shown are exported', async () => {
  const made = vi.spyOn(URL, 'createObjectURL');
  const clicked = new Promise<string>((resolve) => {
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      resolve(this.download);
    });
  });
  const trades = [aBotTrade(1, { symbol: 'SOL/USDT' }), aBotTrade(2, { symbol: 'ETH/USDT' })];
  await open('trades', (net) => net.on('botTrades', trades));
  await page.getByRole('textbox', { name: 'Filter by symbol' }).fill('sol');
  await expect.poll(() => column('Trades', 0)).toEqual(['SOL/USDT']);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect(await clicked).toMatch(/^trades-bot-1-\d{4}-\d\d-\d\d\.csv$/u);
  const file = made.mock.calls[0]?.[0] as Blob;
  const text = await file.text();
  expect(text).toContain('"SOL/USDT"');
  expect(text).not.toContain('"ETH/USDT"');
  vi.restoreAllMocks();
});

describe('PNL', () => {
  test('PNL-01, PNL-03, PNL-06, PNL-07, OP-67, OP-72, API-38 the columns and their formats, the newest first', async () => {
    await openPnl([aSnapshot(2, { win_rate: 0 }), aSnapshot(3, { net_pnl: -1, net_pnl_pct: -0.5 })]);
    await expect.element(page.getByRole('heading', { name: 'PNL Snapshots' })).toBeVisible();
    await expect.element(table('PNL Snapshots')).toBeVisible();
    expect(heads('PNL Snapshots')).toEqual([
      'Timestamp',
      'Net PNL',
      'Net PNL %',
      'Unrealized PNL',
      'Realized PNL',
      'Total Fees',
      'Win Rate',
      'Current Balance',
    ]);
    const row = (i: number) => Array.from({ length: 8 }, (_, place) => column('PNL Snapshots', place)[i]);
    expect(row(0)).toEqual(['2026-11-20 03:00:00', '-$1.00', '-0.50%', '+$15.02', '+$211.84', '$96.14', '48.96%', '$3211.84']);
    expect(row(1)[6]).toBe('N/A');
  });

  test('snapshots of a bot in bitcoins are in bitcoins, none of them in dollars', async () => {
    const inBitcoins = { net_pnl: -0.5, unrealized_pnl: -0.25, realized_pnl: -0.25, total_fees: 0.001, current_balance: 2 };
    await open('pnl', (net) =>
      net.on('listBots', [aBot(1, { stake_currency: 'BTC', trading_pairs: ['ETH/BTC'] })]).on('botPnl', [aSnapshot(1, inBitcoins)]),
    );
    const row = () => [1, 3, 4, 5, 7].map((place) => column('PNL Snapshots', place)[0]);
    await expect.poll(row).toEqual(['-0.500000 BTC', '-0.250000 BTC', '-0.250000 BTC', '0.001000 BTC', '2.000000 BTC']);
  });

  test('the newest snapshot is there as figures, all of them as a line', async () => {
    await openPnl([aSnapshot(3, { net_pnl: -1.5, net_pnl_pct: -0.5 }), aSnapshot(2)]);
    const figure = (name: string) =>
      [...document.querySelectorAll('[aria-label="Newest snapshot"] > div')].find(({ firstChild }) => firstChild?.textContent === name)
        ?.lastChild?.textContent;
    await expect.poll(() => figure('Net PNL')).toBe('-$1.50-0.50%');
    await expect.element(page.getByRole('figure', { name: 'Net PNL of the bot' })).toBeVisible();
    await says('2 snapshots since 2026-11-20 02:00:00 UTC');
  });

  test('the line begins at 0 and names the change, of all snapshots or of a range; what is missing before is said', async () => {
    const hour = 3_600_000;
    const at = (hoursAgo: number, pnl: number) =>
      aSnapshot(1, { timestamp: new Date(Date.now() - hoursAgo * hour).toISOString(), net_pnl: pnl });
    await openPnl([at(0.1, -123.3), at(20, -150.1), at(30, -155), at(100, -158)]);
    const head = () => document.querySelector('[aria-label="Net PNL"] header')?.textContent;
    await expect.poll(head).toMatch(/4 snapshots since .* UTCchange \+\$34\.70Net PNL was -\$158\.00 then/u);
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'PnL Range' }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose('Daily');
    await expect.poll(head).toMatch(/^Net PNLlast 24 hours: \+\$31\.70$/u);
    await choose('Monthly');
    await expect.poll(head).toMatch(/^Net PNLlast 30 days: \+\$34\.70, known since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/u);
  });

  test('PNL-02 every column sorts', async () => {
    const low = { net_pnl: 1, net_pnl_pct: 1, unrealized_pnl: 1, realized_pnl: 1, total_fees: 1, win_rate: 0.1, current_balance: 1 };
    await openPnl([aSnapshot(1, low), aSnapshot(2), aSnapshot(3, { ...low, net_pnl: 2 })]);
    await expect.poll(() => column('PNL Snapshots', 0)[0]).toBe('2026-11-20 03:00:00');
    for (const head of heads('PNL Snapshots')) {
      const button = table('PNL Snapshots').getByRole('button', { name: head ?? '', exact: true });
      await button.click();
      await expect.poll(() => column('PNL Snapshots', 0)[0], { message: head ?? '' }).toBe('2026-11-20 01:00:00');
      await button.click();
      const highest = head === 'Timestamp' ? '2026-11-20 03:00:00' : '2026-11-20 02:00:00';
      await expect.poll(() => column('PNL Snapshots', 0)[0], { message: head ?? '' }).toBe(highest);
    }
  });

  test('PNL-04, PNL-05 a date keeps its own rows', async () => {
    await openPnl([aSnapshot(1), aSnapshot(30)]);
    await expect.poll(() => column('PNL Snapshots', 0).length).toBe(2);
    await page.getByLabelText('Date', { exact: true }).fill('2026-11-21');
    await expect.poll(() => column('PNL Snapshots', 0)).toEqual(['2026-11-21 06:00:00']);
    await page.getByLabelText('Date', { exact: true }).fill('2026-11-25');
    await says('No PNL snapshots found');
    await page.getByRole('button', { name: 'All Dates' }).click();
    await expect.poll(() => column('PNL Snapshots', 0).length).toBe(2);
  });
});
