import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { RouteName } from '#contract/routes.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aBot, asMonitored, aUser, idOf, someCandles, someOrders, somePnl } from '../testing/samples.ts';
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
const says = (text: string) => expect.element(page.getByText(text, { exact: true })).toBeVisible();
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
    await says('$105.00');
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
      ['Current Price', '$101.50'],
      ['Leverage', '3x'],
      ['Liquidation Price', '$70.50'],
    ]);
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

  test('MON-05, MON-06 both charts are drawn', async () => {
    await open();
    await expect.element(page.getByRole('figure', { name: 'Candle chart of BTC/USDT' })).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
  });

  test('a live bot is told from a paper one by a band in words and colour', async () => {
    await open();
    await says('simulated orders, simulated market');
    const paper = getComputedStyle(page.getByText('simulated orders, simulated market').element().parentElement as Element).backgroundColor;
    await choose('Bot', 'Bot 2');
    await says('real orders on a simulated market');
    const live = getComputedStyle(page.getByText('real orders on a simulated market').element().parentElement as Element).backgroundColor;
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
    await says('$105.00');
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
    await says('$105.00');
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
    await says('$111.00');
    await never('$999.00');
  });

  test('MON-33, OP-46 candles and overlays are polled every 2 seconds, figures are not; the price follows', async () => {
    let close = 105;
    await open((net) => net.on('chartCandles', () => someCandles(60, close)));
    await says('$105.00');
    close = 106.25;
    await expect.element(page.getByText('$106.25', { exact: true }), { timeout: 4000 }).toBeVisible();
    await pause(2200);
    const [pnl, metrics, candles, overlays] = loadedFor('BTC/USDT');
    expect([pnl, metrics]).toEqual([1, 1]);
    expect(candles).toBe(3);
    expect(overlays).toBe(3);
  });

  test('MON-34 figures and log load again after 4 hours, not before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await open();
      await says('Win Rate: 58.3% | Trades: 12 | Strategy: EMA Cross');
      for (const name of ['chartCandles', 'chartOverlays'] as const) network.on(name, forever);
      vi.advanceTimersByTime(14_399_000);
      await pause(50);
      expect(loadedFor('BTC/USDT').slice(0, 2)).toEqual([1, 1]);
      vi.advanceTimersByTime(1000);
      await expect.poll(() => loadedFor('BTC/USDT').slice(0, 2)).toEqual([2, 2]);
    } finally {
      vi.useRealTimers();
    }
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
