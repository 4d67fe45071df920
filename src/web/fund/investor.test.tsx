import type { Role } from '#contract/fields.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { clearSession, setUser } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { button, says } from '../testing/on-page.ts';
import { anInvestorRow } from '../testing/samples/fund.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, Frame, startPage, TestPage } from '../testing/test-page.tsx';
import { InvestorSummary } from './investor-summary.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer) => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=fund&view=investor" />);
  await expect.element(page.getByRole('tab', { name: 'Investor' })).toHaveAttribute('aria-selected', 'true');
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const lines = () =>
  [...document.querySelectorAll('table[aria-label="Investor Summary"] tbody tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
const queries = () => network.of('investorSummary').map(({ query }) => query);
const blank = { start: '', end: '', trader_id: '', mode: '' };

async function saved(name: string): Promise<{ name: string; text: string }> {
  const made = vi.spyOn(URL, 'createObjectURL');
  const clicked = new Promise<string>((resolve) => {
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      resolve(this.download);
    });
  });
  await button(name).click();
  const fileName = await clicked;
  const file = made.mock.calls[0]?.[0] as Blob;
  return { name: fileName, text: await file.text() };
}

describe('the table', () => {
  test('INV-10, OP-67, CONST-03, OP-71, OP-74, DATA-26 shows a row per trader and mode, loaded once when opened', async () => {
    const rows = [
      anInvestorRow(1),
      anInvestorRow(2, { mode: 'testnet', total_pnl: -0.5, roi_percent: -1.98, sharpe_ratio: null, avg_latency: null }),
    ];
    await open((net) => net.on('investorSummary', rows));
    await expect.poll(lines).toEqual([
      ['trader1@example.com', 'live', '+$12.30', '+4.10%', '$4.20', '12', '58.33%', '1.8841', '212 ms', '3'],
      ['trader2@example.com', 'testnet', '-$0.50', '-1.98%', '$4.20', '12', '58.33%', 'N/A', 'N/A', '3'],
    ]);
    expect(
      page
        .getByRole('columnheader')
        .elements()
        .map((head) => head.textContent),
    ).toEqual(['Trader', 'Mode', 'Total PnL', 'ROI%', 'Drawdown', 'Trades', 'Win Rate', 'Sharpe Ratio', 'Avg Latency', 'ML Labels']);
    expect(queries()).toEqual([blank]);
  });

  test('OP-74 says that a row leaves out amounts in other currencies', async () => {
    const note = 'Amounts in other currencies than dollars are not added.';
    await open((net) => net.on('investorSummary', [anInvestorRow(1, { leaves_out: false }), anInvestorRow(2)]));
    await expect.poll(() => lines().length).toBe(2);
    expect(page.getByText(note).elements()).toEqual([]);
    network.on('investorSummary', [anInvestorRow(1), anInvestorRow(2, { leaves_out: true })]);
    await button('Load').click();
    await says(note);
    await page.getByRole('switch', { name: 'Anonymize Trader IDs' }).click();
    await expect.poll(() => lines()[0]?.[0]).toBe('Trader 1');
    await says(note);
  });

  test('INV-12 has ten rows a page, with a way to the page before and after', async () => {
    await open((net) =>
      net.on(
        'investorSummary',
        Array.from({ length: 23 }, (_, i) => anInvestorRow(i + 1)),
      ),
    );
    await says('Showing 1 to 10 of 23');
    expect(lines().length).toBe(10);
    await expect.element(button('Previous')).toBeDisabled();
    await button('Next').click();
    await says('Showing 11 to 20 of 23');
    expect(lines()[0]?.[0]).toBe('trader11@example.com');
    await button('Next').click();
    expect(lines().map(([trader]) => trader)).toEqual([21, 22, 23].map((number) => `trader${number}@example.com`));
    await expect.element(button('Next')).toBeDisabled();
    await button('Previous').click();
    await says('Showing 11 to 20 of 23');
  });

  test('INV-12 another filter begins at its first page', async () => {
    await open((net) =>
      net.on(
        'investorSummary',
        Array.from({ length: 23 }, (_, i) => anInvestorRow(i + 1)),
      ),
    );
    await button('Next').click();
    await button('Next').click();
    await says('Showing 21 to 23 of 23');
    await page.getByLabelText('Start Date').fill('2026-11-01');
    await button('Load').click();
    await expect.poll(() => queries().length).toBe(2);
    await says('Showing 1 to 10 of 23');
  });

  test('INV-11 without rows it says so, and there is nothing to export', async () => {
    await open((net) => net.on('investorSummary', []));
    await says('No trades found');
    await expect.element(button('Export JSON')).toBeDisabled();
    await expect.element(button('Export CSV')).toBeDisabled();
  });

  test('INV-05, ERR-23 a failed load says why and is tried again', async () => {
    await open((net) => net.on('investorSummary', problem(403, 'Admin access required')));
    await says('Failed to load investor summary');
    await says('Admin access required');
    network.on('investorSummary', [anInvestorRow(1)]);
    await button('Retry').click();
    await expect.poll(() => lines().length).toBe(1);
    expect(page.getByText('Failed to load investor summary').elements()).toEqual([]);
  });
});

describe('the filters', () => {
  test('INV-01, INV-03, INV-04, INV-13, OP-37 Load asks for what they say', async () => {
    await open((net) => net.on('investorSummary', [anInvestorRow(1)]));
    await page.getByLabelText('Start Date').fill('2026-11-01');
    await page.getByLabelText('End Date').fill('2026-11-01');
    await page.getByLabelText('Trader Id').fill(idOf(7));
    await page.getByRole('combobox', { name: 'Mode' }).click();
    expect(
      page
        .getByRole('option')
        .elements()
        .map((option) => [option.getAttribute('value'), option.textContent]),
    ).toEqual([
      ['', 'all modes'],
      ['paper', 'paper'],
      ['live', 'live'],
      ['testnet', 'testnet'],
    ]);
    await page.getByRole('option', { name: 'testnet' }).click();
    expect(queries().length).toBe(1);
    await button('Load').click();
    await expect.poll(() => queries()[1]).toEqual({ start: '2026-11-01', end: '2026-11-01', trader_id: idOf(7), mode: 'testnet' });
    await button('Load').click();
    await expect.poll(() => queries().length).toBe(3);
  });

  test('VALID-43, VALID-44 what is wrong is said beside its field, and nothing is asked for', async () => {
    await open((net) => net.on('investorSummary', []));
    await page.getByLabelText('Start Date').fill('2026-11-02');
    await page.getByLabelText('End Date').fill('2026-11-01');
    await button('Load').click();
    await expect.element(page.getByLabelText('Start Date')).toHaveAccessibleDescription('Start date must be before end date');
    await page.getByLabelText('Start Date').fill('');
    await page.getByLabelText('Trader Id').fill('somebody');
    await button('Load').click();
    await expect.element(page.getByLabelText('Trader Id')).toHaveAccessibleDescription('Invalid trader ID format');
    expect(queries().length).toBe(1);
  });

  test.each([
    ['2026-1-5', 'Start Date'],
    ['2026-11-0', 'End Date'],
  ])('INV-01, INV-04 nothing is asked for while %s stands in the %s, which says why', async (unfinished, label) => {
    await open((net) => net.on('investorSummary', []));
    const day = page.getByLabelText(label);
    await day.fill('2026-11-05');
    await button('Load').click();
    await expect.poll(() => queries().length).toBe(2);
    await day.fill(unfinished);
    await userEvent.keyboard('{Enter}');
    await expect.element(day).toHaveAccessibleDescription('Write a day as 2026-11-23');
    await button('Load').click();
    await day.fill('2026-11-06');
    await button('Load').click();
    const asked = label === 'Start Date' ? { start: '2026-11-06' } : { end: '2026-11-06' };
    await expect.poll(() => queries().at(-1)).toEqual({ ...blank, ...asked });
    expect(queries().length).toBe(3);
  });

  test.each(['trader', 'operator', 'investor'] satisfies Role[])(
    'INV-02, INV-13, OP-06, ROLE-09 a %s cannot ask for a trader',
    async (role) => {
      network = answerFor(aUser(role)).on('investorSummary', [anInvestorRow(1)]);
      setUser(aUser(role));
      await render(
        <Frame>
          <InvestorSummary />
        </Frame>,
      );
      await expect.poll(() => lines().length).toBe(1);
      await expect.element(page.getByLabelText('Trader Id')).toBeDisabled();
      await expect.element(page.getByLabelText('Trader Id')).toHaveAttribute('title', 'Admin access required');
      expect(queries()).toEqual([{ start: '', end: '', mode: '' }]);
    },
  );
});

describe('the exports', () => {
  const rows = Array.from({ length: 12 }, (_, i) => anInvestorRow(12 - i));

  test('INV-07, INV-08 wait for the rows that were asked for last', async () => {
    await open((net) => net.on('investorSummary', rows));
    await expect.element(button('Export JSON')).toBeEnabled();
    const ofOne = Promise.withResolvers<typeof rows>();
    network.on('investorSummary', () => ofOne.promise);
    await page.getByLabelText('Trader Id').fill(idOf(1));
    await button('Load').click();
    await expect.poll(() => queries().length).toBe(2);
    for (const name of ['Export JSON', 'Export CSV']) await expect.element(button(name)).toBeDisabled();
    ofOne.resolve([anInvestorRow(1)]);
    await expect.poll(() => lines().length).toBe(1);
    const { text } = await saved('Export JSON');
    expect(JSON.parse(text)).toEqual([anInvestorRow(1)]);
  });

  test('INV-07 the JSON has the rows of all pages', async () => {
    await open((net) => net.on('investorSummary', rows));
    await expect.poll(() => lines().length).toBe(10);
    const { name, text } = await saved('Export JSON');
    expect(name).toBe('summary.json');
    expect(JSON.parse(text)).toEqual(rows);
  });

  test('INV-06, INV-07 the JSON follows the Anonymize switch', async () => {
    await open((net) => net.on('investorSummary', rows));
    await page.getByRole('switch', { name: 'Anonymize Trader IDs' }).click();
    await expect.poll(() => lines()[0]?.[0]).toBe('Trader 1');
    const { text } = await saved('Export JSON');
    const names = (JSON.parse(text) as typeof rows).flatMap((row) => [row.trader_id, row.trader_name]);
    expect([...new Set(names)]).toEqual(Array.from({ length: 12 }, (_, i) => `Trader ${i + 1}`));
  });

  test('INV-06, INV-08, OP-75 the table and the CSV follow the Anonymize switch', async () => {
    await open((net) => net.on('investorSummary', rows));
    await expect.poll(() => lines().length).toBe(10);
    await page.getByRole('switch', { name: 'Anonymize Trader IDs' }).click();
    await expect.poll(() => lines().map(([trader]) => trader)).toEqual(Array.from({ length: 10 }, (_, i) => `Trader ${i + 1}`));
    const { name, text } = await saved('Export CSV');
    expect(name).toBe('summary.csv');
    const saidOf = text.split('\r\n').slice(1, -1);
    expect(saidOf.length).toBe(12);
    expect(saidOf[11]).toMatch(/^"Trader 12","live","12\.3"/u);
    expect(text).not.toContain(idOf(1));
  });
});
