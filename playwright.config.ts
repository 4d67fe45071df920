import { defineConfig } from '@playwright/test';
import { chromiumWithoutWindows } from './test/support/chromium.ts';
import { port } from './test/e2e/address.ts';
import { patienceMs } from './test/support/patience.ts';

// Who waits for a backtest here has nothing else to do meanwhile; with no share of a busy machine it would never end.
process.env['BACKTEST_NICENESS'] ??= '0';

const waitLong = ['live-trading.spec.ts', 'paper-trade.spec.ts'];

/** The product is started once as its users start it (test/e2e/start-product.ts) and looked at in Debian's Chromium. */
export default defineConfig({
  testDir: 'test/e2e',
  globalSetup: './test/e2e/start-product.ts',
  workers: 4, // two of them mostly wait: for candles, for comparisons of an account
  // What waits longest begins first, beside the others.
  projects: [
    { name: 'candles', testMatch: waitLong },
    { name: 'screens', testMatch: '*.spec.ts', testIgnore: waitLong },
  ],
  timeout: 4 * patienceMs, // on a machine that is busy with other tests, too
  expect: { timeout: patienceMs },
  retries: 0,
  reporter: [['list']],
  outputDir: 'test-results',
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1440, height: 900 },
    // Actions, console and network of a test that failed, and its last picture. A film of every test takes a quarter of the processor, the
    // page's elements at every action a seventh.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    screenshot: 'only-on-failure',
    launchOptions: chromiumWithoutWindows,
  },
});
