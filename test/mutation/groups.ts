/** Files that are mutated together, the tests that must notice, and whether these need a database. */
interface MutationGroup {
  files: string[];
  tests: string[];
  /** Tests that are tried first, where all of them take long. */
  firstTests?: string[];
  hasDatabase: boolean;
}

/** The groups of `npm run mutate`, by name. */
export const groups: Readonly<Record<string, MutationGroup>> = {
  risk: {
    files: ['src/engine/risk/**/*.ts'],
    firstTests: ['src/engine/risk/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  settings: {
    files: ['src/engine/settings/**/*.ts'],
    firstTests: ['src/engine/settings/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  market: {
    files: ['src/engine/market/**/*.ts'],
    firstTests: ['src/engine/market/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  report: {
    files: ['src/engine/report/**/*.ts'],
    firstTests: ['src/engine/report/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  simulation: {
    files: ['src/engine/simulation/**/*.ts'],
    firstTests: ['src/engine/simulation/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  strategy: {
    files: ['src/engine/{strategy,ports}/**/*.ts'],
    firstTests: ['src/engine/{strategy,ports}/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  backtest: {
    files: ['src/engine/backtest/**/*.ts'],
    firstTests: ['src/engine/backtest/*.test.ts'],
    tests: ['src/engine/**/*.test.ts'],
    hasDatabase: false,
  },
  indicators: { files: ['src/engine/indicators/**/*.ts'], tests: ['src/engine/indicators/*.test.ts'], hasDatabase: false },
  account: {
    files: ['src/engine/account/**/*.ts'],
    firstTests: ['src/engine/account/*.test.ts'],
    tests: ['src/engine/{account,bot,backtest,simulation}/*.test.ts'],
    hasDatabase: false,
  },
  bot: {
    files: ['src/engine/bot/**/*.ts'],
    firstTests: ['src/engine/bot/*.test.ts'],
    tests: ['src/engine/{account,bot,backtest,simulation}/*.test.ts'],
    hasDatabase: false,
  },
  mail: { files: ['src/mail/{mail-error,smtp-settings,texts}.ts'], tests: ['src/mail/*.test.ts'], hasDatabase: false },
  outbound: { files: ['src/outbound/**/*.ts'], tests: ['src/outbound/**/*.test.ts'], hasDatabase: false },
  vault: { files: ['src/vault/**/*.ts'], tests: ['src/vault/*.test.ts'], hasDatabase: false },
  auth: {
    files: ['src/server/auth/{codes,device,password-strength,password-tries,passwords,sessions}.ts', 'src/server/http/tokens.ts'],
    tests: ['src/server/auth/{codes,device,password-strength,password-tries,passwords,sessions}.test.ts', 'src/server/http/tokens.test.ts'],
    hasDatabase: true,
  },
  authenticators: {
    files: ['src/server/auth/{app-codes,app-sign-in,authenticators,backup-codes,totp}.ts', 'src/storage/auth/authenticators.ts'],
    tests: ['src/server/auth/{authenticators,totp}.test.ts'],
    hasDatabase: true,
  },
  'sign-in': {
    files: ['src/server/auth/{mail-code,open-session,password-change,session-user,sign-in,sign-up,two-factor}.ts'],
    tests: ['src/server/auth/{auth,required-two-factor,sign-in-attacks,sign-in-traces,password-work}.test.ts'],
    hasDatabase: true,
  },
  installation: {
    files: [
      'src/server/installation/installation.ts',
      'src/server/users/invitations.ts',
      'src/server/auth/{invitation-code,two-factor-rule}.ts',
    ],
    tests: [
      'src/server/installation/installation.test.ts',
      'src/server/users/invitations.test.ts',
      'src/server/auth/required-two-factor.test.ts',
    ],
    hasDatabase: true,
  },
  limits: {
    files: [
      'src/server/auth/limits.ts',
      'src/server/calls/request-rate.ts',
      'src/storage/calls/limit-counters.ts',
      'src/exchange/request-budget.ts',
    ],
    tests: [
      'src/server/auth/limits.test.ts',
      'src/server/calls/request-rate.test.ts',
      'src/storage/calls/limit-counters.test.ts',
      'src/exchange/request-budget.test.ts',
    ],
    hasDatabase: true,
  },
  'storage-trading': {
    files: [
      'src/storage/{in-transaction,partitions,refuses-data}.ts',
      'src/storage/bots/{bots,decisions,fleet,pnl-snapshots,runners,running-bots}.ts',
      'src/storage/trades/{trade-mode,trade-writes,trades}.ts',
      'src/storage/{candles/funding,exchange-accounts/api-keys,strategies/strategies}.ts',
    ],
    tests: [
      'src/storage/{partitions,refuses-data}.test.ts',
      'src/storage/bots/{bots,decisions,fleet,pnl-snapshots,runners,running-bots,write-step}.test.ts',
      'src/storage/trades/{stop-moves,trades}.test.ts',
      'src/storage/{candles/funding,orders/order-life,strategies/strategies}.test.ts',
    ],
    hasDatabase: true,
  },
  'storage-people': {
    files: [
      'src/storage/{database,prepared}.ts',
      'src/storage/{auth/codes,auth/sessions,users/email-key,users/users}.ts',
      'src/storage/{audit/audit-log,calls/idempotency-keys,installation/facts,mails/mail-outbox}.ts',
    ],
    tests: [
      'src/storage/{database,prepared}.test.ts',
      'src/storage/{auth/codes,auth/sessions,users/email-key,users/users}.test.ts',
      'src/storage/{audit/audit-log,calls/idempotency-keys,installation/facts,mails/mail-outbox}.test.ts',
    ],
    hasDatabase: true,
  },
  'storage-candles': {
    files: ['src/storage/candles/{candle-cache,candle-chunks,candle-months}.ts'],
    firstTests: ['src/storage/candles/candle-months.test.ts'],
    tests: ['src/storage/candles/{candle-chunks,candle-months}.test.ts'],
    hasDatabase: true,
  },
  // The longest of all: a worker is killed, a backup goes to another server.
  'storage-runs': {
    files: ['src/storage/backtests/{backtests,jobs}.ts', 'src/storage/backup/{backup,restore}*.ts'],
    firstTests: ['src/storage/backtests/backtests.test.ts'],
    tests: ['src/storage/{backtests/backtests,backtests/jobs,backup/backup}.test.ts'],
    hasDatabase: true,
  },
  runner: {
    files: ['src/runner/*.ts', 'src/runner/bots/**/*.ts', '!src/runner/bots/unpaid-funding.ts'],
    firstTests: [
      'src/runner/every.test.ts',
      'src/runner/bots/{bot-feed,bot-inbox,bot-settings,bot-steps,decision-log,failures,late-fills,loop-start}.test.ts',
      'src/runner/bots/{running-bot-by-hand,signal-feed,step-writes,stored-state,trade-rows}.test.ts',
    ],
    tests: ['src/runner/{every,runner,runner-by-hand}.test.ts', 'src/runner/bots/*.test.ts'],
    hasDatabase: true,
  },
  feeds: {
    files: ['src/feeds/*.ts', '!src/feeds/exchange-markets.ts'],
    tests: ['src/feeds/*.test.ts'],
    hasDatabase: false,
  },
};
