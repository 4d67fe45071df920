import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { clearSession } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aUser } from '../testing/samples.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer) => {
  network = answers(answerFor(aUser('trader')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await expect.element(page.getByLabelText('Date')).toBeVisible();
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const says = (text: string | RegExp) => expect.element(page.getByText(text, typeof text === 'string' ? { exact: true } : {})).toBeVisible();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const figures = () =>
  [...document.querySelectorAll('.fl-figures > div')].map((each) => [...each.children].map((child) => child.textContent));
const asked = () => network.of('report').map(({ path }) => path.split('/').at(-1));
const today = () => new Date().toISOString().slice(0, 10);
const noData = 'No report data available for the date.';
const aReport = (changes: Partial<CallReply<'report'>> = {}): CallReply<'report'> => ({
  total_trades: 8,
  net_pnl: -0.75,
  win_rate: 0.5,
  max_drawdown: 16.04,
  avg_stop_size: 0.844,
  average_confidence: 0.668,
  ...changes,
});

test('REP-01, REP-05, REP-06, DATA-30, OP-64, OP-67 the report of today, UTC, with its figures', async () => {
  await open((net) => net.on('report', aReport()));
  await expect.element(page.getByLabelText('Date')).toHaveValue(today());
  await expect.poll(figures).toEqual([
    ['Trades', '8'],
    ['Net PNL', '-$0.75'],
    ['Win Rate', '50.00%'],
    ['Max Drawdown', '$16.04'],
    ['Avg Stop Size', '0.84%'],
    ['Average Confidence', '66.8%'],
  ]);
  expect(asked()).toEqual([today()]);
  await expect.element(button('Next day')).toBeDisabled();
});

test('REP-06 without a confidence there is no such figure', async () => {
  const { average_confidence: _, ...report } = aReport();
  await open((net) => net.on('report', report));
  await expect.poll(() => figures().length).toBe(5);
  expect(page.getByText('Average Confidence').elements()).toEqual([]);
});

test('REP-01, REP-02 another day can be chosen, and Refresh loads it again', async () => {
  await open((net) => net.on('report', ({ path }) => aReport({ total_trades: path.endsWith('2026-03-01') ? 3 : 8 })));
  await page.getByLabelText('Date').fill('2026-03-01');
  await expect.poll(() => figures()[0]).toEqual(['Trades', '3']);
  network.on('report', aReport({ total_trades: 4 }));
  await button('Refresh').click();
  await expect.poll(() => figures()[0]).toEqual(['Trades', '4']);
  await button('Previous day').click();
  await expect.element(page.getByLabelText('Date')).toHaveValue('2026-02-28');
  await button('Next day').click();
  await expect.element(page.getByLabelText('Date')).toHaveValue('2026-03-01');
  expect(asked()).toEqual([today(), '2026-03-01', '2026-03-01', '2026-02-28', '2026-03-01']);
});

test('REP-07, OP-64 a day without trades says so, and that is no failure', async () => {
  await open((net) => net.on('report', problem(404, noData)));
  await says(noData);
  expect(page.getByText('Failed to load report').elements()).toEqual([]);
});

test('ERR-25 a failed load says why and is tried again', async () => {
  await open((net) => net.on('report', problem(400, 'Invalid date')));
  await says('Failed to load report');
  await says('Invalid date');
  network.on('report', aReport());
  await button('Retry').click();
  await expect.poll(() => figures().length).toBe(6);
  expect(page.getByText('Failed to load report').elements()).toEqual([]);
});

test('REP-03, REP-04 the PDF of the day is saved', async () => {
  await open((net) => net.on('report', aReport()).on('reportPdf', 'the file'));
  const made = vi.spyOn(URL, 'createObjectURL');
  await page.getByLabelText('Date').fill('2026-03-01');
  const link = page.getByRole('link', { name: 'Download PDF' });
  await expect.element(link).toHaveAttribute('href', '/api/reports/2026-03-01/pdf');
  const clicked = new Promise<string>((resolve) => {
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      resolve(this.download);
    });
  });
  await link.click();
  expect(await clicked).toBe('report_2026-03-01.pdf');
  const file = made.mock.calls[0]?.[0] as Blob;
  expect([file.type, await file.text()]).toEqual(['application/pdf', '"the file"']);
  expect(network.of('reportPdf').map(({ path }) => path)).toEqual(['/reports/2026-03-01/pdf']);
});

test('ERR-26, OP-65 a PDF that cannot be had says so', async () => {
  await open((net) => net.on('report', problem(404, noData)).on('reportPdf', problem(404, noData)));
  await page.getByRole('link', { name: 'Download PDF' }).click();
  await says(/Failed to download PDF\s+No report data available for the date\./u);
});
