import { playwright } from '@vitest/browser-playwright';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chromium } from './test/support/chromium.ts';
import { LongFilesFirst } from './test/support/long-files-first.ts';

// The libraries as the product gets them: the React for development takes three times as long for each drawing.
process.env['NODE_ENV'] = 'production';

const needsDatabase = [
  'src/storage/**/*.test.ts',
  'src/runner/**/*.test.ts',
  'src/server/**/*.test.ts',
  'src/cli/account-commands.test.ts',
  'src/cli/accounts-command.test.ts',
  'src/cli/audit-check-command.test.ts',
  'src/cli/strategies/*.test.ts',
  'src/processes/doctor/*.test.ts',
  'src/processes/metrics/*.test.ts',
  'src/processes/several-web.test.ts',
  'src/processes/keep-alarms.test.ts',
  'src/processes/strategy-folder.test.ts',
  'test/attack/*.test.ts',
  'test/bench-data.test.ts',
];

/** How long a test with a database waits for what must come, in ms. Who expects it to fail waits less. */
const patienceMs = Number(process.env['TEST_PATIENCE_MS'] ?? 60_000);

/** They count what a module does, so that no other test may have loaded it. The rest share what a worker has loaded. */
const needsFreshModules = ['src/server/auth/password-work.test.ts', 'test/attack/crowd.test.ts'];

export default defineConfig({
  test: {
    // Most tests wait for sockets, processes and disks, not for the processor.
    maxWorkers: 5,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...needsDatabase, 'src/exchange/**', 'src/sandbox/**'],
          globalSetup: ['test/support/prepared-cluster.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'torture', include: ['test/torture/*.torture.ts'] } },
      {
        test: {
          name: 'attack',
          include: ['test/attack/*.test.ts', 'test/attack/*.night.ts'],
          globalSetup: ['test/support/database-server.ts'],
          testTimeout: 24 * 3_600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'wire',
          isolate: false,
          include: ['src/exchange/**/*.test.ts', 'src/sandbox/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'storage',
          isolate: false,
          include: needsDatabase,
          exclude: needsFreshModules,
          globalSetup: ['test/support/database-server.ts', 'test/support/prepared-cluster.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: patienceMs, interval: 5 } },
        },
      },
      {
        test: {
          name: 'fresh',
          include: needsFreshModules,
          globalSetup: ['test/support/database-server.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins: [react()],
        optimizeDeps: {
          include: [
            'react',
            'react-dom',
            'react-dom/client',
            'react/jsx-dev-runtime',
            '@mantine/core',
            '@mantine/form',
            '@mantine/modals',
            '@mantine/notifications',
            '@tanstack/react-query',
            '@tanstack/react-table',
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
          testTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } }, // what must be seen may come late on a busy machine
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromium }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
