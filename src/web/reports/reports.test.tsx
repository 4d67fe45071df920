import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { clearSession } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
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

const figures = () =>
  [...document.querySelectorAll('[aria-label="Figures of the day"] > div')].map((each) =>
    [...each.children].map((child) => child.textContent),
  );
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

test('REP-06 a day that leaves out amounts in other currencies says so, in each mode by itself', async () => {
  const note = 'Amounts in other currencies than dollars are not added.';
  const notes = () => page.getByText(note).elements().length;
  await open((net) => net.on('report', aReport({ total_trades: 2, leaves_out: false })).on('reportTrades', details));
  await says('2 closed');
  expect(notes()).toBe(0);
  const [live, paper] = details.modes;
  if (live === undefined || paper === undefined) throw new Error('the day has two modes');
  network.on('report', aReport({ total_trades: 2, leaves_out: true }));
  network.on('reportTrades', { ...details, modes: [{ ...live, figures: { ...live.figures, leaves_out: true } }, paper] });
  await button('Refresh').click();
  await expect.poll(notes).toBe(2);
  await expect.element(page.getByRole('region', { name: 'Figures of the day, live' }).getByText(note)).toBeVisible();
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

test('REP-07, OP-64 a day without trades says so, and that is not a failure', async () => {
  await open((net) => net.on('report', problem(404, noData)));
  await says(noData);
  expect(page.getByText('Failed to load report').elements()).toEqual([]);
});

test('a server that cannot answer is named as such, as in the header', async () => {
  await open((net) => net.on('report', problem(503)));
  await says('Failed to load report');
  await says('Server error: it cannot answer now, and is asked again');
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

test('REP-04 the PDF of a day keeps the name of that day when another one is chosen while it is on its way', async () => {
  const file = Promise.withResolvers<string>();
  await open((net) => net.on('report', aReport()).on('reportPdf', () => file.promise));
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  await page.getByLabelText('Date').fill('2026-03-01');
  const link = page.getByRole('link', { name: 'Download PDF' });
  await expect.element(link).toHaveAttribute('href', '/api/reports/2026-03-01/pdf');
  await link.click();
  await expect.poll(() => network.of('reportPdf').map(({ path }) => path)).toEqual(['/reports/2026-03-01/pdf']);
  await button('Previous day').click();
  await expect.element(link).toHaveAttribute('href', '/api/reports/2026-02-28/pdf');
  file.resolve('the file');
  await expect.poll(() => saved).toEqual(['report_2026-03-01.pdf']);
});

test('ERR-26, OP-65 a PDF that cannot be had says so', async () => {
  holdMoments(2000);
  await open((net) => net.on('report', problem(404, noData)).on('reportPdf', problem(404, noData)));
  await page.getByRole('link', { name: 'Download PDF' }).click();
  await says(/Failed to download PDF\s+No report data available for the date\./u);
});

const details: CallReply<'reportTrades'> = {
  modes: [
    { mode: 'live', figures: aReport({ total_trades: 1, net_pnl: -2 }), curve: [{ time: Date.parse('2026-03-01T04:00:00Z'), pnl: -2 }] },
    {
      mode: 'paper',
      figures: aReport({ total_trades: 1, net_pnl: 1.25 }),
      curve: [{ time: Date.parse('2026-03-01T09:30:00Z'), pnl: 1.25 }],
    },
  ],
  trades: [
    {
      id: idOf(2),
      closed_at: '2026-03-01T09:30:05.000Z',
      mode: 'paper',
      bot: 'Amber Band',
      symbol: 'ETH/USDT',
      direction: 'long',
      entry_price: 2000,
      exit_price: 2001.25,
      exit_reason: 'roi',
      pnl: 1.25,
      stake_currency: 'USDT',
    },
    {
      id: idOf(1),
      closed_at: '2026-03-01T04:00:00.000Z',
      mode: 'live',
      bot: 'Night Trend',
      symbol: 'BTC/USDT:USDT',
      direction: 'short',
      entry_price: 60_000,
      exit_price: null,
      exit_reason: null,
      pnl: -2,
      stake_currency: 'USDT',
    },
  ],
};
const cells = () =>
  [...document.querySelectorAll('table[aria-label="Trades of the Day"] tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent))
    .filter((row) => row.length > 1);

test('real and simulated money apart, the profit over the day, and its trades, newest first', async () => {
  await open((net) => net.on('report', aReport({ total_trades: 2 })).on('reportTrades', details));
  await expect.element(page.getByRole('region', { name: 'Figures of the day, live' }).getByText('-$2.00')).toBeVisible();
  await expect.element(page.getByRole('region', { name: 'Figures of the day, paper' }).getByText('+$1.25')).toBeVisible();
  await expect.element(page.getByRole('figure', { name: `Net PNL over ${today()}` })).toBeVisible();
  await expect.poll(cells).toEqual([
    ['09:30:05', 'paper', 'Amber Band', 'ETH/USDT', '▲ long', '$2000.00', '$2001.25', 'profit target', '+$1.25'],
    ['04:00:00', 'live', 'Night Trend', 'BTC/USDT:USDT', '▼ short', '$60000.00', 'N/A', '', '-$2.00'],
  ]);
  await says('2 closed');
  await button('Refresh').click();
  await expect.poll(() => network.of('reportTrades').length).toBe(2);
});

test('the trades of another day of the month are those of that day', async () => {
  const [first] = details.trades;
  if (first === undefined) throw new Error('the day has trades');
  await open((net) =>
    net
      .on('report', aReport({ total_trades: 1 }))
      .on('reportTrades', ({ path }) => ({ ...details, trades: [{ ...first, bot: `Bot of ${path.split('/')[2]}` }] })),
  );
  const bots = () => cells().map((row) => row[2]);
  for (const day of ['2026-03-01', '2026-03-02']) {
    await page.getByLabelText('Date').fill(day);
    await expect.poll(bots).toEqual([`Bot of ${day}`]);
  }
  // Neither are those of before shown for it while they are loaded.
  network.on('reportTrades', () => Promise.withResolvers<typeof details>().promise);
  await page.getByLabelText('Date').fill('2026-03-03');
  await expect.poll(() => network.of('reportTrades').at(-1)?.path).toContain('2026-03-03');
  expect(bots()).toEqual([]);
});

test('a trade in bitcoins has its prices and its profit in bitcoins', async () => {
  const [first] = details.trades;
  if (first === undefined) throw new Error('the day has trades');
  const trade = { ...first, symbol: 'ETH/BTC', entry_price: 0.05, exit_price: 0.04, pnl: -0.01, stake_currency: 'BTC' };
  await open((net) => net.on('report', aReport({ total_trades: 1 })).on('reportTrades', { ...details, trades: [trade] }));
  await expect
    .poll(cells)
    .toEqual([['09:30:05', 'paper', 'Amber Band', 'ETH/BTC', '▲ long', '0.050000 BTC', '0.040000 BTC', 'profit target', '-0.010000 BTC']]);
});

test('on a phone the profit of a trade is in sight, below the time it was closed at', async () => {
  await page.viewport(390, 844);
  try {
    await open((net) => net.on('report', aReport({ total_trades: 2 })).on('reportTrades', details));
    await expect.poll(() => cells().map(([first]) => first)).toEqual(['09:30:05+$1.25', '04:00:00-$2.00']);
  } finally {
    await page.viewport(1440, 900);
  }
});

test('of more trades than are listed it says so; a day without any asks for none; a failed load is tried again', async () => {
  const thousand = Array.from({ length: 1000 }, (_, i) => ({ ...details.trades[0], id: idOf(i + 1) })) as typeof details.trades;
  await open((net) => net.on('report', aReport({ total_trades: 2345 })).on('reportTrades', problem(500, 'Not now')));
  await says('Failed to load the trades of the day');
  network.on('reportTrades', { ...details, trades: thousand });
  await button('Retry').click();
  await says('the newest 1000 of 2345');
  expect(page.getByRole('region', { name: 'Figures of the day, paper' }).elements()).toHaveLength(1);
  network.on('reportTrades', { ...details, modes: details.modes.slice(1) });
  await button('Refresh').click();
  await says('2 closed');
  expect(page.getByRole('region', { name: 'Figures of the day, paper' }).elements()).toEqual([]); // they are the day's
  expect(cells().length).toBeLessThan(60); // only those in sight are drawn
  const asked = network.of('reportTrades').length;
  network.on('report', problem(404, noData));
  await page.getByLabelText('Date').fill('2026-03-01');
  await says(noData);
  expect(network.of('reportTrades')).toHaveLength(asked);
  expect(page.getByText('Trades of the Day').elements()).toEqual([]);
});

describe('the report by mail', () => {
  const mailSwitch = page.getByRole('switch', { name: 'Mail me this report each morning' });
  const noServer = 'No mail server is set up: mails are written to files in the mails folder of this installation.';

  test('is switched on and off, with when it comes and where it goes', async () => {
    let isWanted = false;
    const reply = (): CallReply<'getReportMail'> => ({ wanted: isWanted, goes_to: 'server' });
    await open((net) =>
      net.on('getReportMail', reply).on('setReportMail', ({ body }) => {
        isWanted = (body as { wanted: boolean }).wanted;
        return reply();
      }),
    );
    await expect.element(mailSwitch).toBeEnabled();
    await expect.element(mailSwitch).not.toBeChecked();
    await says(`Sent soon after 06:00 UTC for the day before, with its PDF, to ${aUser('trader').email}.`);
    await mailSwitch.click();
    await expect.element(mailSwitch).toBeChecked();
    await expect.element(mailSwitch).toBeEnabled();
    await mailSwitch.click();
    await expect.element(mailSwitch).not.toBeChecked();
    expect(network.of('setReportMail').map(({ body }) => body)).toEqual([{ wanted: true }, { wanted: false }]);
  });

  test('stays as it was set when an answer that was asked for before comes late', async () => {
    await open((net) => net.on('setReportMail', { wanted: true, goes_to: 'server' }));
    await expect.element(mailSwitch).not.toBeChecked();
    await page.getByRole('tab', { name: 'Bots', exact: true }).click();
    const late = Promise.withResolvers<CallReply<'getReportMail'>>();
    network.on('getReportMail', () => late.promise);
    await page.getByRole('tab', { name: 'Reports', exact: true }).click();
    await expect.poll(() => network.of('getReportMail').length).toBe(2);
    await mailSwitch.click();
    await expect.element(mailSwitch).toBeChecked();
    late.resolve({ wanted: false, goes_to: 'server' });
    await pass(0);
    await expect.element(mailSwitch).toBeChecked();
  });

  test('says where mails go without a mail server', async () => {
    await open((net) => net.on('getReportMail', { wanted: true, goes_to: 'files' }));
    await expect.element(mailSwitch).toBeChecked();
    await says(new RegExp(noServer, 'u'));
  });

  test('stays as it was when the change fails, and says why', async () => {
    holdMoments(2000);
    await open((net) => net.on('setReportMail', problem(503, 'Please try again later')));
    await mailSwitch.click();
    await says(/Failed to change the mailed report\s+Please try again later/u);
    await expect.element(mailSwitch).not.toBeChecked();
    await expect.element(mailSwitch).toBeEnabled();
  });

  test('that does not load is loaded again', async () => {
    await open((net) => net.on('report', aReport()).on('getReportMail', problem(400, 'no')));
    await says('Could not load your mail setting.');
    network.on('getReportMail', { wanted: true, goes_to: 'server' });
    await button('Retry').click();
    await expect.element(mailSwitch).toBeChecked();
  });
});
