import { playwright } from '@vitest/browser-playwright';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Debian's Chromium; another path is given by CHROMIUM. */
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const needsDatabase = [
  'src/storage/**/*.test.ts',
  'src/runner/**/*.test.ts',
  'src/server/**/*.test.ts',
  'src/cli/account-commands.test.ts',
  'test/attack/*.test.ts',
];

export default defineConfig({
  test: {
    // Most tests wait for sockets, processes and disks, not for the processor.
    maxWorkers: 5,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...needsDatabase, 'src/exchange/**', 'src/sandbox/**'],
          testTimeout: 60_000,
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
          include: ['src/exchange/**/*.test.ts', 'src/sandbox/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'storage',
          include: needsDatabase,
          globalSetup: ['test/support/database-server.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000, interval: 5 } },
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
          include: ['src/web/**/*.test.tsx'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } }, // what must be seen may come late on a busy machine
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: chromium,
                args: [
                  '--no-sandbox',
                  '--disable-gpu',
                  '--disable-quic',
                  '--disable-background-networking',
                  '--disable-component-update',
                  '--disable-sync',
                ],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
