import { defineConfig } from '@playwright/test';
import { chromium } from './test/support/chromium.ts';
import { patienceMs } from './test/support/patience.ts';

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
    baseURL: 'http://127.0.0.1:3917',
    viewport: { width: 1440, height: 900 },
    // Without pictures: a film of every test takes a quarter of the processor.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: chromium,
  },
});
