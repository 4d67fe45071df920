/**
 * How long it takes from a slider to the new trades on the chart: a year of 5m, replayed in a worker of a real browser, beside the running
 * product. Promised: 95 of 100 below 50 ms, for what only turns settings. Each change is a key pressed on a slider, one after the other.
 *
 * Usage: node bench/what-if.ts (after npm run build)
 */
import type { Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../test/e2e/product.ts';
import { chromium as launchOptions } from '../test/support/chromium.ts';
import { quantile, row } from './support/figures.ts';

const port = 3941;
const changes = Number(process.env['CHANGES'] ?? 60);
const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
chmodSync(home, 0o755);
const measured = 'what-if: change to trades';

/** Strategies with few trades in a year and with thousands; what is turned, and whether signals are computed again for it. */
const cases = [
  { className: 'RsiReversal', sliders: ['Stop Loss', 'ROI at Once'], promise: 'under 50 ms' },
  { className: 'EmaCross', sliders: ['Stop Loss', 'ROI at Once'], promise: 'under 50 ms' },
  { className: 'EmaCross', sliders: ['Fast period'], promise: 'no promise: signals are computed again' },
];

try {
  const product = await startProduct({ home, port });
  try {
    const { email, password } = product.accounts.find(({ role }) => role === 'trader') ?? { email: '', password: '' };
    const browser = await chromium.launch(launchOptions);
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 1000 } })).newPage();
    await page.request.post(`http://127.0.0.1:${port}/api/auth/login`, { data: { email, password } });
    for (const each of cases) await measure(page, each);
    await browser.close();
    console.log(`load of the machine meanwhile: ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    await product.stop();
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measure(page: Page, { className, sliders, promise }: (typeof cases)[number]): Promise<void> {
  const origin = `http://127.0.0.1:${port}`;
  const { strategies } = (await (await page.request.get(`${origin}/api/strategies`)).json()) as {
    strategies: { id: string; strategy_class_name: string }[];
  };
  const run = {
    strategy_id: strategies.find((strategy) => strategy.strategy_class_name === className)?.id,
    exchange: 'sandbox',
    symbol: 'BTC/USDT',
    trading_mode: 'spot',
    timeframe: '5m',
    days: 365,
    stake_amount: 100,
    max_open_trades: 1,
  };
  const headers = { origin, 'idempotency-key': crypto.randomUUID() };
  const answer = await page.request.post(`${origin}/api/backtest/run`, { headers, data: run, timeout: 600_000 });
  const { id } = (await answer.json()) as { id: string };
  await page.goto(`${origin}/?tab=backtest&view=what-if&run=${id}`);
  await page.getByRole('table', { name: 'Figures' }).waitFor({ timeout: 300_000 });
  const times: number[] = [];
  const replays: number[] = [];
  for (let i = -5; i < changes; i++) {
    const before = await page.evaluate((name) => performance.getEntriesByName(name).length, measured);
    // There and back in blocks of ten: each change is another one than the last.
    await page.getByRole('slider', { name: sliders[i < 0 ? 0 : Math.floor(i / 10) % sliders.length] ?? '', exact: true }).focus();
    await page.keyboard.press(Math.floor((i + 5) / 10) % 2 === 0 ? 'ArrowLeft' : 'ArrowRight');
    await page
      .waitForFunction(([name, count]) => performance.getEntriesByName(name).length > count, [measured, before] as const, {
        polling: 10,
        timeout: 5_000,
      })
      .catch(() => undefined); // one that is what is real again is drawn without a replay
    const took = await page.evaluate(([name, count]) => performance.getEntriesByName(name)[count]?.duration ?? null, [
      measured,
      before,
    ] as const);
    if (i >= 0 && took !== null) times.push(took); // the first ones compile
    const foot = /^\s*([\d.]+) ms/u.exec((await page.getByText(/ms for [\d,]+ candles in this browser$/u).textContent()) ?? '');
    if (i >= 0 && foot !== null) replays.push(Number(foot[1]));
    await page.waitForTimeout(120 + ((i + 5) % 5) * 40);
  }
  const trades = await page
    .getByRole('table', { name: 'Figures' })
    .getByRole('row')
    .filter({ hasText: 'Trades' })
    .getByRole('cell')
    .nth(2)
    .textContent();
  row(
    `${className}, ${sliders.join(' and ')}, ${trades?.trim()} trades, ${times.length} changes, p50`,
    `${quantile(times, 0.5).toFixed(0)} ms`,
    'no promise',
  );
  row('  p95', `${quantile(times, 0.95).toFixed(0)} ms`, promise);
  row(
    '  of it the replay in the worker, p50 and p95',
    `${quantile(replays, 0.5).toFixed(0)} and ${quantile(replays, 0.95).toFixed(0)} ms`,
    'no promise',
  );
}
