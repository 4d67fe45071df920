import { playwright } from '@vitest/browser-playwright';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chromiumWithoutWindows } from './test/support/chromium.ts';
import { LongFilesFirst } from './test/support/long-files-first.ts';
import { patienceMs } from './test/support/patience.ts';

// The libraries as the product gets them: the React for development takes three times as long for each drawing.
process.env['NODE_ENV'] = 'production';

// Times are UTC wherever a machine stands: here one stands where clocks are half an hour off, and turned twice a year.
process.env['TZ'] = 'America/St_Johns';

// Who waits for a backtest here has nothing else to do meanwhile; with no share of a busy machine it would never end.
process.env['BACKTEST_NICENESS'] ??= '0';

const needsDatabase = [
  'src/storage/**/*.test.ts',
  'src/runner/**/*.test.ts',
  'src/server/**/*.test.ts',
  'src/cli/account-commands.test.ts',
  'src/cli/accounts-command.test.ts',
  'src/cli/audit-check-command.test.ts',
  'src/cli/strategies/*.test.ts',
  'src/cli/import-freqtrade/import-freqtrade-command.test.ts',
  'src/processes/doctor/*.test.ts',
  'src/processes/metrics/*.test.ts',
  'src/processes/several-web.test.ts',
  'src/processes/keep-alarms.test.ts',
  'src/processes/regular-work.test.ts',
  'src/processes/strategy-folder.test.ts',
  'test/attack/*.test.ts',
  'test/bench-data.test.ts',
];

/** A test may wait several times; what it waits for is soon there, unless it fails. */
const patient = { testTimeout: 4 * patienceMs, hookTimeout: 4 * patienceMs, expect: { poll: { timeout: patienceMs, interval: 10 } } };

/** They count what a module does, so that no other test may have loaded it, or all timers that wait. The rest share what a worker has loaded. */
const needsFreshModules = [
  'src/server/auth/password-work.test.ts',
  'test/attack/crowd.test.ts',
  'src/runner/bots/bot-feed.test.ts',
  'src/runner/bots/decision-log.test.ts',
  'src/exchange/request-budget.test.ts',
  'src/sandbox/stream-and-history.test.ts',
];

export default defineConfig({
  test: {
    // Most tests wait for sockets, processes and disks, not for the processor.
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...needsDatabase, 'src/exchange/**', 'src/sandbox/**'],
          globalSetup: ['test/support/prepared-cluster.ts'],
          ...patient,
        },
      },
      { test: { name: 'torture', include: ['test/torture/**/*.torture.ts'] } },
      {
        test: {
          name: 'attack',
          include: ['test/attack/*.test.ts', 'test/attack/*.night.ts'],
          globalSetup: ['test/support/database-server.ts'],
          ...patient,
          testTimeout: 24 * 3_600_000,
        },
      },
      {
        test: {
          name: 'wire',
          isolate: false,
          include: ['src/exchange/**/*.test.ts', 'src/sandbox/**/*.test.ts'],
          exclude: needsFreshModules,
          ...patient,
        },
      },
      {
        test: {
          name: 'storage',
          isolate: false,
          include: needsDatabase,
          exclude: needsFreshModules,
          globalSetup: ['test/support/database-server.ts', 'test/support/prepared-cluster.ts'],
          ...patient,
        },
      },
      {
        test: {
          name: 'fresh',
          include: needsFreshModules,
          globalSetup: ['test/support/database-server.ts'],
          ...patient,
        },
      },
      {
        plugins: [react()],
        cacheDir: '.build/vite', // beside the sources: copies of them share their packages, and would take these from each other while they are made
        optimizeDeps: {
          include: [
            'react',
            'react-dom',
            'react-dom/client',
            'react/jsx-dev-runtime',
            '@mantine/core',
            '@mantine/form',
            '@mantine/modals',
            '@tanstack/react-query',
            'react-router',
            'lightweight-charts',
            'zustand',
            'zustand/middleware',
            'zod',
            'vitest-browser-react',
            '@tabler/icons-react',
            'axe-core',
          ],
        },
        test: {
          name: 'browser',
          isolate: false, // each page loads the libraries once
          setupFiles: ['src/web/testing/clean-page.ts'],
          include: ['src/web/**/*.test.tsx'],
          testTimeout: 2 * patienceMs,
          expect: { poll: { timeout: patienceMs / 2 } }, // what must be seen may come late on a busy machine
          browser: {
            enabled: true,
            headless: true,
            connectTimeout: 10 * patienceMs, // Chromium starts beside everything else
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromiumWithoutWindows }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
