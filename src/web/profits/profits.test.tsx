import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { clearSession } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { aLedger, someSums } from '../testing/samples/profits.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const month = new Date().toISOString().slice(0, 7);
const inMonth = (day: number): string => `${month}-${String(day).padStart(2, '0')}`;
const time = '2026-11-23T18:00:00.000Z';

async function open(
  ledgers: ReturnType<typeof aLedger>[],
  { search = '?tab=reports&view=profits', role = 'trader' }: { search?: string; role?: 'trader' | 'investor' } = {},
): Promise<void> {
  network = answerFor(aUser(role)).on('profits', { time, ledgers }).on('fundMonth', { ledgers: [] });
  startPage('/');
  await render(<TestPage path="/" search={search} />);
}
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const asked = () => network.of('profits').map(({ query }) => query);
const figures = () =>
  Object.fromEntries(
    [...document.querySelectorAll('[aria-label="Figures of the range"] > div')].map((each) =>
      [...each.children].map((child) => child.textContent),
    ),
  ) as Record<string, string>;
const rows = () =>
  [...document.querySelectorAll('table[aria-label^="Profits by"] tr')].map((row) => [...row.children].map((cell) => cell.textContent));
const thisMonth = {
  from: `${month}-01`,
  to: new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10),
};

const days = [
  { day: inMonth(1), ...someSums() },
  { day: inMonth(2), ...someSums({ trades: 1, wins: 0, profit: '-20.000000000000000001' }) },
];

describe('what did I make this month', () => {
  for (const tab of ['', '?tab=bot_control']) {
    test(`is one press away on ${tab === '' ? 'Status' : 'Bots'}`, async () => {
      await open([aLedger()], { search: tab });
      await page.getByRole('link', { name: 'Profits this month' }).click();
      await expect.poll(figures).toMatchObject({ 'Net Profit': '-$7.50realized' });
      expect(asked()).toEqual([{ group: 'bot', ...thisMonth }]);
    });
  }

  test('has profit, fees, funding and what is open apart, and a table whose total are the figures', async () => {
    await open([aLedger({ days })]);
    await expect.poll(figures).toEqual({
      'Net Profit': '-$7.50realized',
      Fees: '$0.40',
      Funding: '-$0.10',
      'Unrealized Now': '+$1.251 open',
      Trades: '3',
      Won: '66.67%',
    });
    await says(`change -$7.50 since ${month}-01`);
    await expect.poll(rows).toEqual([
      ['Bot', 'Net Profit', 'Trades', 'Won', 'Fees', 'Funding'],
      ['Dip Buyer', '+$12.50', '2', '50.00%', '$0.40', '-$0.10'],
      ['=Night Trendversion 3', '-$20.00', '1', '100.00%', '$0.40', '-$0.10'],
      ['Total', '-$7.50', '3', '66.67%', '$0.40', '-$0.10'],
    ]);
  });

  test('shows modes one at a time, real money first, and currencies too', async () => {
    await open([aLedger({ mode: 'live', figures: someSums({ profit: '3' }) }), aLedger({ mode: 'paper', currency: 'BTC' }), aLedger()]);
    await expect.poll(figures).toMatchObject({ 'Net Profit': '+$3.00realized' });
    await page.getByText('PAPER', { exact: true }).click();
    await expect.poll(figures).toMatchObject({ 'Net Profit': '-7.500000 BTCrealized' });
    await page.getByRole('combobox', { name: 'Currency' }).click();
    await page.getByRole('option', { name: 'USDT' }).click();
    await expect.poll(figures).toMatchObject({ 'Net Profit': '-$7.50realized' });
    expect(asked()).toHaveLength(1);
  });

  test('says N/A where it is not known what the open trades would bring', async () => {
    await open([aLedger({ unrealized: null })]);
    await expect.poll(figures).toMatchObject({ 'Unrealized Now': 'N/A1 open' });
  });
});

describe('the range', () => {
  test('is chosen by name or by two days, is in the address, and one that is upside down is not asked for', async () => {
    await open([aLedger()]);
    await page.getByRole('combobox', { name: 'Range' }).click();
    await page.getByRole('option', { name: 'All', exact: true }).click();
    await expect.poll(asked).toEqual([{ group: 'bot', ...thisMonth }, { group: 'bot' }]);
    await page.getByRole('combobox', { name: 'Range' }).click();
    await page.getByRole('option', { name: 'Own range' }).click();
    await page.getByLabelText('From', { exact: true }).fill('2026-05-04');
    await page.getByLabelText('To', { exact: true }).fill('2026-05-09');
    await expect.poll(() => asked().at(-1)).toEqual({ group: 'bot', from: '2026-05-04', to: '2026-05-09' });
    await expect
      .poll(() => document.querySelector<HTMLElement>('[data-testid=address]')?.dataset['search'])
      .toBe('?tab=reports&view=profits&period=own&from=2026-05-04&to=2026-05-09');
    const count = asked().length;
    await page.getByLabelText('To', { exact: true }).fill('2026-05-01');
    await says('Start date must be before end date');
    expect(asked()).toHaveLength(count);
  });

  test('without a trade says so', async () => {
    await open([]);
    await says('No trade was closed in this range');
    await says('Choose another range; All has every trade there is.');
  });

  test('that cannot be loaded says why, and can be loaded again', async () => {
    await open([]);
    network.on('profits', problem(500, 'Something went wrong. Please try again.'));
    await button('Refresh').click();
    await says('Failed to load profits');
    network.on('profits', { time, ledgers: [aLedger()] });
    await button('Retry').click();
    await expect.poll(figures).toMatchObject({ Trades: '3' });
  });
});

describe('the groups', () => {
  test('are asked for as chosen', async () => {
    await open([aLedger()]);
    await expect.poll(rows).toHaveLength(4);
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'Exit Reason' }).click();
    await expect.poll(() => asked().at(-1)).toEqual({ group: 'reason', ...thisMonth });
    await expect.poll(() => rows()[0]?.[0]).toBe('Exit Reason');
  });

  test('are saved as CSV and JSON', async () => {
    await open([aLedger()]);
    const saved: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    await button('CSV').click();
    await button('JSON').click();
    const name = `profits_paper_USDT_bot_${thisMonth.from}_${thisMonth.to}`;
    expect(saved).toEqual([`${name}.csv`, `${name}.json`]);
  });

  test('are not saved under the name of a range that is still being loaded', async () => {
    await open([aLedger()]);
    await expect.element(button('CSV')).toBeEnabled();
    let arrive = (): void => {};
    network.on('profits', () => new Promise((resolve) => (arrive = () => resolve({ time, ledgers: [aLedger()] }))));
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'Exit Reason' }).click();
    await expect.poll(() => asked().at(-1)).toEqual({ group: 'reason', ...thisMonth });
    await expect.element(button('CSV')).toBeDisabled();
    await expect.element(button('JSON')).toBeDisabled();
    arrive();
    await expect.element(button('CSV')).toBeEnabled();
  });
});

describe('the calendar', () => {
  const focused = () => document.activeElement?.getAttribute('data-day');

  test('has each day with its sign and figures, and arrow keys go from day to day', async () => {
    await open([aLedger({ days })]);
    const second = page.getByRole('button', { name: `${inMonth(2)}: -$20.00, 1 trade, fees $0.40` });
    await expect.poll(() => second.element().textContent).toMatch(/^2-20\.0/u);
    expect(page.getByRole('button', { name: `${inMonth(1)}: +$12.50, 2 trades, fees $0.40` }).element().textContent).toMatch(/^1\+12\.5/u);
    await second.click();
    await userEvent.keyboard('{ArrowLeft}');
    expect(focused()).toBe(inMonth(1));
    await says(`${inMonth(1)}: +$12.50 in 2 trades, 1 won, fees $0.40, funding -$0.10.`);
    await userEvent.keyboard('{ArrowLeft}'); // before the range there is nothing
    expect(focused()).toBe(inMonth(1));
    await userEvent.keyboard('{ArrowDown}');
    expect(focused()).toBe(inMonth(8));
    expect([...document.querySelectorAll('[data-day][tabindex="0"]')]).toHaveLength(1);
  });

  test('turns to the months that a long range has', async () => {
    await open(
      [
        aLedger({
          days: [
            { day: '2025-12-05', ...someSums() },
            { day: '2026-02-03', ...someSums() },
          ],
        }),
      ],
      {
        search: '?tab=reports&view=profits&period=own&from=2025-12-01&to=2026-02-28',
      },
    );
    await expect.element(page.getByRole('grid', { name: 'Profit by day, 2026-02' })).toBeVisible();
    await expect.element(button('Next month')).toBeDisabled();
    await button('Previous month').click();
    await button('Previous month').click();
    await expect.element(page.getByRole('button', { name: /^2025-12-05: \+\$12\.50/u })).toBeVisible();
    await expect.element(button('Previous month')).toBeDisabled();
  });
});

describe('a month', () => {
  test('of an investor has return, change and end by mode, and its statement', async () => {
    await open([], { role: 'investor' });
    network.on('fundMonth', {
      ledgers: [
        {
          mode: 'live',
          currency: 'USDT',
          start: '320',
          added: '300',
          profit: '6',
          fees: '1.5',
          funding: '0',
          end: '626',
          returned: 6 / 620,
          trades: 2,
          wins: 1,
        },
      ],
    });
    await button('Month before').click();
    await expect
      .poll(() => [...document.querySelectorAll('[aria-label="Month of the fund, live USDT"] dd')].map((each) => each.textContent))
      .toEqual(['+0.97%', '+$6.00', '$320.00', '$300.00', '$626.00', '$1.50', '2', '50.00%']);
    const before = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 2, 1)).toISOString().slice(0, 7);
    expect(network.of('fundMonth').at(-1)?.query).toEqual({ month: before });
    await expect
      .element(page.getByRole('link', { name: 'Download Statement' }))
      .toHaveAttribute('href', `/api/profits/statement?month=${before}`);
  });

  test('of a trader is a file; what keeps it from being made is said', async () => {
    holdMoments(2000);
    await open([]);
    network.on('profitStatement', problem(400, 'This month has not begun yet'));
    await page.getByRole('link', { name: 'Download Statement' }).click();
    await says(/Failed to download PDF\s+This month has not begun yet/u);
    expect(network.of('profitStatement').map(({ query }) => query)).toEqual([{ month }]);
    expect(network.of('fundMonth')).toEqual([]);
  });
});

test('a statement keeps the name of its month when another month is chosen while it is on its way', async () => {
  const file = Promise.withResolvers<string>();
  await open([]);
  network.on('profitStatement', () => file.promise);
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const link = page.getByRole('link', { name: 'Download Statement' });
  await link.click();
  await expect.poll(() => network.of('profitStatement').map(({ query }) => query)).toEqual([{ month }]);
  await button('Month before').click();
  await expect.element(link).not.toHaveAttribute('href', `/api/profits/statement?month=${month}`);
  file.resolve('the file');
  await expect.poll(() => saved).toEqual([`statement_${month}.pdf`]);
});

describe('on a phone', () => {
  beforeEach(() => page.viewport(390, 844));
  afterEach(() => page.viewport(1440, 1000));

  test('nothing is wider than the screen, whatever the names and figures', async () => {
    const name = 'A bot with a name that is very much longer than anybody would ever want to read on a phone';
    const sums = someSums({ profit: '-123456789.123456789', fees: '98765432.1', funding: '-1234567.8' });
    await open([
      aLedger({
        days: days.map((day) => ({ ...day, ...sums })),
        figures: sums,
        groups: [{ key: 'a', name, detail: `${name}@example.com`, ...sums }],
      }),
    ]);
    await expect.poll(figures).toMatchObject({ 'Net Profit': '-$123456789.12realized' });
    await expect.poll(rows).toHaveLength(3);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  });
});
