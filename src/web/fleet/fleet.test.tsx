import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdBeats, pass } from '../testing/held-time.ts';
import { aBot, asLive, liveOf, sampleTime } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aNoStop } from '../testing/samples/no-stop.ts';
import { aStrategy } from '../testing/samples/strategies.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import type { FleetBot } from '../live/joined-fleet.ts';

let network: Answerer;
const open = async (bots: FleetBot[], role: Role = 'trader', answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser(role)).on('liveStatus', liveOf(bots)));
  startPage('/');
  return render(<TestPage path="/" />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const fleet = () => page.getByRole('region', { name: 'Fleet', exact: true });
const row = (name: string) => fleet().getByRole('row', { name, exact: false });
const rows = () =>
  fleet()
    .getByRole('row')
    .elements()
    .slice(1)
    .map((element) => element.querySelector('button')?.textContent);
const late = '2026-11-19T23:57:00.000Z';

describe('the fleet above Status', () => {
  test('each bot has a row: mode, seven days, today, unrealized, open trades, decision and price age', async () => {
    const decision = { time: late, symbol: 'BTC/USDT', action: 'none', gate: 'slots-full', direction: 'long' } as const;
    await open([
      asLive(aBot(1), { today_pnl: -6.04, unrealized_pnl: 15.23, open_trades: 1, last_decision: decision }),
      asLive(aBot(2, { mode: 'live', exchange_id: 'binance' }), { last_tick_at: late }),
    ]);
    await expect.element(row('Bot 1')).toBeVisible();
    await expect
      .poll(() => row('Bot 1').element().textContent)
      .toMatch(/paper.*-\$6\.04\+\$15\.231 of 3 No entry in BTC\/USDT long: no free slot \(3 of 3 open\)/u);
    await expect.element(row('Bot 1').getByRole('img', { name: '7-day PnL -$0.50' })).toBeVisible();
    await expect.poll(() => row('Bot 2').element().textContent).toMatch(/live.*Waiting: the next candle has not closed yet/u);
    await expect.element(row('Bot 2').getByRole('img', { name: 'late' })).toBeVisible();
    await expect.element(row('Bot 1').getByRole('img', { name: 'late' })).not.toBeInTheDocument();
  });

  test('the row of a bot in bitcoins has its amounts in bitcoins, none of them in dollars', async () => {
    await open([asLive(aBot(1, { stake_currency: 'BTC', trading_pairs: ['ETH/BTC'] }), { today_pnl: -0.25, unrealized_pnl: -0.5 })]);
    await expect.element(row('Bot 1')).toBeVisible();
    await expect.poll(() => row('Bot 1').element().textContent).toContain('-0.250000 BTC-0.500000 BTC');
    expect(row('Bot 1').element().textContent).not.toContain('$');
  });

  test('a position without a stop is marked in the row of its own bot alone', async () => {
    const trade = { trade_id: idOf(900), symbol: 'SOL/USDT', direction: 'long' as const, amount: 2, close_asked_at: null };
    const unprotected = [{ ...trade, bot_id: idOf(102), nickname: 'Bot 2', exchange_id: 'sandbox', ...aNoStop() }];
    await open([asLive(aBot(1)), asLive(aBot(2))], 'trader', (net) => net.on('listDifferences', { open: [], unprotected, ended: [] }));
    await expect.element(row('Bot 2').getByText('1 without stop')).toBeVisible();
    await expect.element(row('Bot 1')).toBeVisible();
    expect(fleet().getByText('1 without stop').elements()).toHaveLength(1);
  });

  test('an answer for the fleet that comes late does not replace a newer state', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const at = (unrealized: number) => liveOf([asLive(aBot(1), { unrealized_pnl: unrealized, today_pnl: 7 })]);
    await open([], 'trader', (net) =>
      net.on('availableBots', { data: [] }).on('liveStatus', async ({ query }) => {
        if (query['history'] !== undefined) return liveOf([asLive(aBot(1))]);
        if (query['fleet'] === undefined) {
          const { time, bots } = at(net.of('liveStatus').filter((call) => Object.keys(call.query).length === 0).length * 10);
          for (const bot of bots) delete bot.today_pnl; // what only the call for the fleet reports
          return { time, bots };
        }
        await held;
        return at(3);
      }),
    );
    await expect.poll(() => row('Bot 1').element().textContent).toContain('+$20.00');
    release();
    await expect.poll(() => row('Bot 1').element().textContent).toContain('+$7.00');
    expect(row('Bot 1').element().textContent).not.toContain('+$3.00');
  });

  test('paper, test networks and live have a total each, and the filter shows one of them', async () => {
    await open([
      asLive(aBot(1), { today_pnl: 1, unrealized_pnl: 0 }),
      asLive(aBot(2), { today_pnl: 2, unrealized_pnl: -4 }),
      asLive(aBot(3, { mode: 'live', exchange_id: 'binance' }), { today_pnl: 100, unrealized_pnl: 7 }),
      asLive(aBot(4, { mode: 'live', exchange_id: 'sandbox' }), { today_pnl: 1000, unrealized_pnl: 0 }),
    ]);
    await expect.element(fleet().getByText('testnettoday+$1000.00unrealized+$0.00')).toBeVisible();
    await expect.element(fleet().getByText('livetoday+$100.00unrealized+$7.00')).toBeVisible();
    await expect.element(fleet().getByText('papertoday+$3.00unrealized-$4.00')).toBeVisible();
    await expect.poll(rows).toEqual(['Bot 3', 'Bot 4', 'Bot 1', 'Bot 2']);
    await fleet().getByText('Paper 2').click();
    await expect.poll(rows).toEqual(['Bot 1', 'Bot 2']);
    await fleet().getByText('Live 1').click();
    await expect.poll(rows).toEqual(['Bot 3']);
    await fleet().getByText('Testnet 1').click();
    await expect.poll(rows).toEqual(['Bot 4']);
  });

  test('a row selects its bot on Status', async () => {
    await open([asLive(aBot(1)), asLive(aBot(2))]);
    await row('Bot 2').getByRole('button', { name: 'Bot 2' }).click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining(`bot=${idOf(102)}`));
    await expect.element(row('Bot 2').getByRole('button', { name: 'Bot 2' })).toHaveAttribute('aria-pressed', 'true');
    await expect.element(page.getByRole('combobox', { name: 'Bot' })).toHaveValue('Bot 2');
  });

  test('on a phone, where no header is, a choice sorts the cards either way', async () => {
    await page.viewport(390, 844);
    try {
      await open([9, 1, -2].map((unrealized, place) => asLive(aBot(place + 1), { unrealized_pnl: unrealized })));
      const names = () => [...fleet().element().querySelectorAll('.fleet-name')].map((name) => name.textContent);
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: 'Unrealized', exact: true }).click();
      await expect.poll(names).toEqual(['Bot 3', 'Bot 2', 'Bot 1']);
      await page.getByRole('button', { name: 'Ascending' }).click();
      await expect.poll(names).toEqual(['Bot 1', 'Bot 2', 'Bot 3']);
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: 'Bot', exact: true }).click();
      await page.getByRole('button', { name: 'Ascending' }).click();
      await expect.poll(names).toEqual(['Bot 3', 'Bot 2', 'Bot 1']);
      await page.getByRole('combobox', { name: 'Sort by' }).click();
      await page.getByRole('option', { name: 'Fleet order', exact: true }).click();
      await expect.poll(names).toEqual(['Bot 1', 'Bot 2', 'Bot 3']);
    } finally {
      await page.viewport(1440, 900);
    }
  });

  test('a press on a column sorts, the rows stay while figures change, and the browser remembers it', async () => {
    const bots = (b: number) => [
      asLive(aBot(1, { nickname: 'a' }), { today_pnl: 3 }),
      asLive(aBot(2, { nickname: 'b' }), { today_pnl: b }),
      asLive(aBot(3, { nickname: 'c', status: 'paused' }), { today_pnl: 7 }),
    ];
    await open(bots(5));
    await expect.poll(rows).toEqual(['a', 'b', 'c']);
    const today = fleet().getByRole('button', { name: 'Today', exact: true });
    await today.click();
    await expect.poll(rows).toEqual(['a', 'b', 'c']);
    await today.click();
    await expect.poll(rows).toEqual(['c', 'b', 'a']);
    expect(fleet().getByRole('columnheader', { name: 'Today' }).element().getAttribute('aria-sort')).toBe('descending');
    network.on('liveStatus', liveOf(bots(-90)));
    await expect.element(row('b').getByText('-$90.00')).toBeVisible();
    expect(rows()).toEqual(['c', 'b', 'a']);
    await cleanup();
    await render(<TestPage path="/" />);
    await expect.poll(rows).toEqual(['c', 'a', 'b']);
    await today.click();
    await expect.poll(rows).toEqual(['a', 'b', 'c']);
  });

  test('a row opens the pair that it speaks of', async () => {
    const decision = { time: sampleTime, symbol: 'ETH/USDT', action: 'hold', gate: null, direction: null };
    await open([asLive(aBot(1)), asLive(aBot(2), { last_decision: decision, open_trades: 1 })]);
    await row('Bot 2').getByRole('button', { name: 'Bot 2' }).click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('pair=ETH%2FUSDT'));
  });

  test('a long fleet is searched by name or pair', async () => {
    await open(Array.from({ length: 9 }, (_, i) => asLive(aBot(i + 1))));
    await fleet().getByRole('textbox', { name: 'Search bots' }).fill('bot 9');
    await expect.poll(rows).toEqual(['Bot 9']);
    await fleet().getByRole('textbox', { name: 'Search bots' }).fill('nothing like it');
    await expect.element(fleet().getByText('No bot matches')).toBeVisible();
  });

  test('nothing gained is neither green nor red', async () => {
    await open([asLive(aBot(1), { today_pnl: -0.001, unrealized_pnl: 0.001 }), asLive(aBot(2))]);
    const color = (text: string) => getComputedStyle(row('Bot 1').getByText(text).first().element()).color;
    await expect.element(row('Bot 1').getByText('+$0.00').first()).toBeVisible();
    expect(color('+$0.00')).toBe(getComputedStyle(document.body).color);
  });

  test('200 bots: seven rows, the rest is counted and shown on demand', async () => {
    await open(Array.from({ length: 200 }, (_, i) => asLive(aBot(i + 1, i < 150 ? {} : { status: 'stopped' }))));
    await expect.poll(() => rows().length).toBe(7);
    await expect.element(fleet().getByText('193 more: 143 active, 50 stopped')).toBeVisible();
    await fleet().getByRole('button', { name: 'Show all 200' }).click();
    await expect.poll(() => rows().at(0)).toBe('Bot 1');
    await expect.poll(() => rows().length).toBeGreaterThan(15);
    expect(rows().length).toBeLessThan(60); // those out of sight are not drawn
    const list = fleet().getByRole('region', { name: 'Bots, scrollable' }).element();
    list.scrollTo({ top: list.scrollHeight });
    await expect.element(row('Bot 200')).toBeVisible();
    expect(row('Bot 200').element().getAttribute('aria-rowindex')).toBe('201');
    await expect.poll(() => rows().includes('Bot 1')).toBe(false);
    await fleet().getByRole('button', { name: 'Show fewer' }).click();
    await expect.poll(() => rows().length).toBe(7);
  });

  test('a single bot is a single row without totals', async () => {
    await open([asLive(aBot(1))]);
    await expect.poll(rows).toEqual(['Bot 1']);
    await expect.element(fleet().getByRole('heading', { name: 'Fleet' })).not.toBeInTheDocument();
  });

  test('a refused load says so; it is never shown as an empty fleet', async () => {
    await open([], 'trader', (net) => net.on('liveStatus', problem(403, 'Account is closed')));
    await expect.element(page.getByText('Failed to load the fleet')).toBeVisible();
    await expect.element(page.getByText('Account is closed')).toBeVisible();
    await expect.element(page.getByText('First Steps')).not.toBeInTheDocument();
  });

  test('the slow parts are not asked for with each beat', async () => {
    holdBeats();
    await open([asLive(aBot(1)), asLive(aBot(2))]);
    // The money of the fleet is seconds old beside the chart; what is slower is not asked for with it.
    const plain = () => network.of('liveStatus').filter(({ query }) => Object.keys(query).length === 0).length;
    await expect.poll(() => network.of('chartCandles').length).toBe(1);
    await expect.poll(() => network.of('liveStatus').filter(({ query }) => query['hour'] === 'true').length).toBe(1); // the last part
    expect(plain()).toBe(1);
    for (let second = 0; second < 10; second += 2) await pass(2000);
    expect(plain()).toBe(2);
    expect(network.of('chartCandles').length).toBe(6);
    expect(network.of('liveStatus').filter(({ query }) => query['fleet'] === 'true')).toHaveLength(1);
    expect(network.of('liveStatus').filter(({ query }) => query['history'] === 'true')).toHaveLength(1);
  });

  test('at 390 px a row fits the screen', async () => {
    await page.viewport(390, 844);
    await open([
      asLive(aBot(1, { nickname: 'N'.repeat(60) }), { today_pnl: -123_456.78, unrealized_pnl: 123_456.78, last_error: 'e'.repeat(300) }),
      asLive(aBot(2)),
    ]);
    await expect.element(row('Bot 2')).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    for (const element of fleet().getByRole('row').elements().slice(1))
      expect(element.getBoundingClientRect().right).toBeLessThanOrEqual(390);
    await page.viewport(1440, 900);
  });
});

describe('first steps', () => {
  const steps = page.getByRole('region', { name: 'First Steps' });

  test('a person without bots is shown what to do, on Status and on Bots; what is done is ticked', async () => {
    await open([]);
    await expect.element(steps.getByText('Test a strategy')).toBeVisible();
    await expect.poll(() => steps.getByRole('listitem').elements().length).toBe(3);
    await expect.element(steps.getByRole('img', { name: 'done' })).not.toBeInTheDocument();
    await page.getByRole('tab', { name: 'Bots' }).click();
    await expect.element(steps).toBeVisible();
    await steps.getByRole('button', { name: 'New Bot' }).click();
    await expect.element(page.getByText('Create New Bot')).toBeVisible();
    await page.getByRole('tab', { name: 'Status' }).click();
    await steps.getByRole('button', { name: 'Open Backtest' }).first().click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('tab=backtest'));
  });

  test.each([
    [
      'a form is filled in with a bot that trades within minutes',
      'sandbox',
      'My first bot',
      'Buy and hold',
      /Timeframe1mStop Loss-1\.00%Minimal ROI0\.50% at once/u,
    ],
    ['without a simulated market the form is as for every bot', 'binance', '', 'Strategy 1', /Timeframe5m/u],
  ])('%s', async (_, exchange, nickname, strategy, values) => {
    const strategies = [aStrategy(1), aStrategy(2, { name: 'Buy and hold', strategy_class_name: 'BuyAndHold' })];
    await open([], 'trader', (net) =>
      net.on('listStrategies', { strategies }).on('listExchanges', { exchanges: [{ id: exchange, name: 'An exchange' }] }),
    );
    await steps.getByRole('button', { name: 'See a Bot Trade' }).click();
    await expect.element(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue(strategy);
    await expect.element(page.getByLabelText('Nickname')).toHaveValue(nickname);
    await expect.poll(() => page.getByLabelText('Values the bot trades with').element().textContent).toMatch(values);
  });

  test('they vanish with the first bot', async () => {
    await open([], 'trader', (net) => net.on('availableBots', { data: [] })); // so that no chart is polled
    await expect.element(steps).toBeVisible();
    network.on('liveStatus', liveOf([asLive(aBot(1))]));
    await expect.element(steps).not.toBeInTheDocument();
    await expect.poll(rows).toEqual(['Bot 1']);
  });

  test('GEN-06 those who cannot create bots read who does', async () => {
    await open([], 'investor');
    await expect.element(steps.getByText('Traders and admins create bots', { exact: false })).toBeVisible();
  });
});
