import type { Mutant } from './mutant.ts';
import { storage, unit } from './mutant.ts';

/** How much of what the backtester makes of a bot's day reached its account. */
export const certificates: readonly Mutant[] = [
  {
    name: 'certificate-short-as-long',
    harm: 'A short that earned is certified as one that lost.',
    file: 'src/engine/report/certificate/split-difference.ts',
    find: 'signOf(made.direction) === 1 ? value : minus(zero, value)',
    replace: 'value',
    ...unit('src/engine/report/certificate/certificate'),
  },
  {
    name: 'certificate-coins-sold-twice',
    harm: 'Coins that were kept as a fee count as sold, and the account is certified more than it has.',
    file: 'src/engine/report/certificate/day-trade.ts',
    find: 'keepsCoins ? minus(toDecimal(fill.amount), toDecimal(fill.fee)) : toDecimal(fill.amount)',
    replace: 'toDecimal(fill.amount)',
    ...unit('src/engine/report/certificate/certificate'),
  },
  {
    name: 'certificate-hides-a-decision',
    harm: 'A bot enters without a signal of its strategy, and nobody is alarmed.',
    file: 'src/engine/report/certificate/compare-decisions.ts',
    find: "return wantsEntry || decision.action !== 'enter';",
    replace: 'return true;',
    ...unit('src/engine/report/certificate/compare-decisions'),
  },
  {
    name: 'certificate-guesses',
    harm: 'What nothing on record explains is passed off as explained.',
    file: 'src/engine/report/certificate/causes.ts',
    find: "'no-record': ['unexplained',",
    replace: "'no-record': ['delay',",
    ...unit('src/engine/report/certificate/certificate'),
  },
  {
    name: 'certificate-of-another-claim',
    harm: 'A process that was overtaken writes its certificate over that of the process which has taken over.',
    file: 'src/storage/certificates/certificates.ts',
    find: "and state = 'replaying' and tries = ${tries} and claimed_at = ${claimedAt}::timestamptz",
    replace: "and state = 'replaying'",
    ...storage('src/server/certificates/certificates'),
  },
  {
    name: 'certificate-asked-for-twice',
    harm: 'Two people who ask at once start the replay of a day again while it is under way.',
    file: 'src/storage/certificates/certificates.ts',
    find: "\n        where certificates.state in ('done', 'failed')",
    replace: '',
    ...storage('src/server/certificates/certificates'),
  },
  {
    name: 'backtest-continues-without-what-is-held',
    harm: 'A day that begins with an open trade is replayed as if nothing was held.',
    file: 'src/engine/backtest/prepared-backtest.ts',
    find: 'const firstId = hold(run, start?.trades ?? []);',
    replace: 'const firstId = hold(run, []);',
    ...unit('src/engine/backtest/prepared-backtest'),
  },
  {
    name: 'interest-is-income-in-a-certificate',
    harm: 'The certificate of a margin bot counts the interest that it has paid as income.',
    file: 'src/engine/report/certificate/day-trade.ts',
    find: 'funding: minus(minus(fundingUntil(trade, day, day.to), fundingUntil(trade, day, day.from)), interestWithin(trade, day)),',
    replace: 'funding: plus(minus(fundingUntil(trade, day, day.to), fundingUntil(trade, day, day.from)), interestWithin(trade, day)),',
    ...unit('src/engine/report/certificate/certificate'),
  },
  {
    name: 'interest-of-shorts-as-of-longs',
    harm: 'The interest that a short owes in coins is certified as so much money, and that of a long as coins: it is wrong by the price of the coin.',
    file: 'src/engine/report/certificate/day-trade.ts',
    find: "sum = plus(sum, trade.direction === 'short' ? plus(bought, times(bought, fee)) : owed);",
    replace: "sum = plus(sum, trade.direction === 'long' ? plus(bought, times(bought, fee)) : owed);",
    ...unit('src/engine/report/certificate/certificate'),
  },
];
