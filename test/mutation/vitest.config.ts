import { defineConfig } from 'vitest/config';
import { groups } from './groups.ts';

const group = groups[process.env['MUTATE'] ?? 'engine'];

/** The tests that mutants of a group are tried against. Golden runs are left out: they take longer than all others. */
export default defineConfig({
  test: {
    include: process.env['MUTATE_TESTS']?.split(' ') ?? group?.tests ?? [],
    setupFiles: ['test/mutation/end-on-failure.ts'],
    exclude: ['**/golden*.test.ts', '**/node_modules/**'],
    globalSetup: [...(group?.hasDatabase ? ['test/support/database-server.ts'] : []), 'test/support/prepared-cluster.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000, interval: 5 } }, // what a change prevents is not waited for as long as elsewhere
  },
});
