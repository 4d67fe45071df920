/** Files that are mutated together, the tests that must notice, and whether these need a database. */
interface MutationGroup {
  files: string[];
  tests: string[];
  hasDatabase: boolean;
}

/** The groups of `npm run mutate`, by name. */
export const groups: Readonly<Record<string, MutationGroup>> = {
  engine: {
    files: ['src/engine/{risk,settings,market,report,strategy,ports}/**/*.ts', 'src/engine/simulation/**/*.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  backtest: { files: ['src/engine/backtest/**/*.ts'], tests: ['src/engine/**/*.test.ts'], hasDatabase: false },
  indicators: { files: ['src/engine/indicators/**/*.ts'], tests: ['src/engine/indicators/*.test.ts'], hasDatabase: false },
  'order-life': {
    files: ['src/engine/account/**/*.ts', 'src/engine/bot/**/*.ts'],
    tests: ['src/engine/{account,bot,backtest,simulation}/*.test.ts'],
    hasDatabase: false,
  },
  vault: { files: ['src/vault/**/*.ts'], tests: ['src/vault/*.test.ts', 'src/processes/prepare.test.ts'], hasDatabase: true },
  auth: {
    files: ['src/server/auth/**/*.ts', '!src/server/auth/limits.ts'],
    tests: ['src/server/auth*.test.ts', 'src/server/auth/*.test.ts'],
    hasDatabase: true,
  },
  limits: {
    files: ['src/server/auth/limits.ts', 'src/server/request-rate.ts', 'src/storage/limit-counters.ts', 'src/exchange/request-budget.ts'],
    tests: [
      'src/server/**/*limit*.test.ts',
      'src/server/auth*.test.ts',
      'src/server/auth/*.test.ts',
      'src/server/http-edges.test.ts',
      'src/storage/*limit*.test.ts',
      'src/exchange/request-budget.test.ts',
    ],
    hasDatabase: true,
  },
  storage: {
    files: ['src/storage/*.ts', '!src/storage/schema.ts', '!src/storage/migrate.ts'],
    tests: ['src/storage/*.test.ts'],
    hasDatabase: true,
  },
  runner: {
    files: ['src/runner/*.ts', 'src/runner/bots/**/*.ts'],
    tests: ['src/runner/runner.test.ts', 'src/runner/bots/*.test.ts'],
    hasDatabase: true,
  },
  feeds: {
    files: ['src/feeds/*.ts'],
    tests: ['src/feeds/*.test.ts', 'src/runner/bots/{signal-feed,unpaid-funding}.test.ts'],
    hasDatabase: false,
  },
};
