import type { Mutant } from './mutant.ts';
import { storage, unit } from './mutant.ts';

const study = 'src/engine/lab/study.ts';
const judgement = unit('src/engine/lab/judgement/judgement');
const command = unit('src/cli/hyperopt/hyperopt-command');

/** Searches that fool whoever believes them. */
export const lab: readonly Mutant[] = [
  {
    name: 'luck-of-one-try',
    harm: 'The best of a thousand tries is judged like the first.',
    file: 'src/engine/lab/judgement/deflated-sharpe.ts',
    find: 'return Math.sqrt(variance) * highest;',
    replace: 'return 0 * highest;',
    ...judgement,
  },
  {
    name: 'overfitting-counted-on-the-half-that-chose',
    harm: 'No choice is ever called overfitted: it is looked at where it was made.',
    file: 'src/engine/lab/judgement/overfitting.ts',
    find: 'outside[i] = sharpeOf(allSums[i] - sum[i], allSquares[i] - square[i], half);',
    replace: 'outside[i] = inSample[i];',
    ...judgement,
  },
  {
    name: 'walk-forward-chooses-with-what-follows',
    harm: 'Walking forward has seen what comes, and always looks well.',
    file: 'src/engine/lab/judgement/walk-forward.ts',
    find: 'const best = bestOf(tries, from, now);',
    replace: 'const best = bestOf(tries, from, to);',
    ...judgement,
  },
  {
    name: 'tries-of-earlier-studies-forgotten',
    harm: 'Ten studies of a hundred tries are judged like one.',
    file: 'src/cli/hyperopt/run-study.ts',
    find: 'luckOf(bestDaily, addTries(before, own))',
    replace: 'luckOf(bestDaily, own)',
    ...command,
  },
  {
    name: 'sealed-stretch-is-searched',
    harm: 'The stretch that was to be kept for one look has decided which epoch is the best.',
    file: 'src/engine/lab/study-range.ts',
    find: 'return { studied: { from, to: boundary }, sealed: { from: boundary + stepMs, to } };',
    replace: 'return { studied: { from, to }, sealed: { from: boundary + stepMs, to } };',
    ...unit('src/engine/lab/study-range'),
  },
  {
    name: 'sealed-stretch-opened-again-and-again',
    harm: 'Epoch after epoch is tried on the sealed stretch until one looks well.',
    file: 'src/cli/hyperopt/hyperopt-show-command.ts',
    find: 'if (opened.epoch !== epoch.epoch)',
    replace: 'if (opened.epoch !== epoch.epoch && false)',
    ...command,
  },
  {
    name: 'model-sees-the-batch-before',
    harm: 'The same seed gives other epochs on a faster machine: nobody can repeat a study.',
    file: study,
    find: 'const known = this.#tried.slice(0, Math.max(0, from - batchSize));',
    replace: 'const known = this.#tried;',
    ...unit('src/engine/lab/study'),
  },
  {
    name: 'signals-of-other-parameters',
    harm: 'Epochs are judged by the signals of another epoch.',
    file: 'src/engine/lab/epoch-runner.ts',
    find: 'const key = JSON.stringify([isDelayed, parameters]);',
    replace: 'const key = JSON.stringify([isDelayed]);',
    ...unit('src/engine/lab/epoch-runner'),
  },
  {
    name: 'changed-candles-unnoticed',
    harm: 'One epoch changes the candles of all others, and the best is the best on prices that never were.',
    file: 'src/cli/hyperopt/hyperopt-command.ts',
    find: 'refuseChangedCandles(job, task);',
    replace: '',
    ...command,
  },
  {
    name: 'quiet-candle-with-an-exit-passed',
    harm: 'A backtest misses exit signals, and its profit is another.',
    file: 'src/engine/backtest/loop.ts',
    find: 'if (at < pair.firstRow || exits[at - 1] === 1 || !(low[at]',
    replace: 'if (at < pair.firstRow || !(low[at]',
    ...unit('src/engine/backtest/invariants'),
  },
  {
    name: 'fee-in-doubles-that-are-not-exact',
    harm: 'Profits differ from the exchange in the last decimals, where products are too long for doubles.',
    file: 'src/engine/market/decimal.ts',
    find: 'return Math.abs(value) <= Number.MAX_SAFE_INTEGER && Math.abs(digits) <= Number.MAX_SAFE_INTEGER ?',
    replace: 'return Math.abs(value) <= Infinity ?',
    ...unit('src/engine/market/decimal'),
  },
  {
    name: 'batch-of-a-dead-worker-written-late',
    harm: 'A worker that was given up writes over what another has found since: epochs are counted twice.',
    file: 'src/storage/studies/study-work.ts',
    find: ".where('attempts', '=', attempts)\n      .where('losses', 'is', null)",
    replace: ".where('losses', 'is', null)",
    ...storage('src/storage/studies/study-work'),
  },
  {
    name: 'seal-of-a-study-opened-twice',
    harm: 'One try after the other is run on the sealed time, until one looks well.',
    file: 'src/storage/studies/studies.ts',
    find: ".where('unsealedAt', 'is', null)",
    replace: '',
    ...storage('src/server/studies/studies'),
  },
  {
    name: 'endless-limits-kept-as-none',
    harm: 'On perpetuals no epoch of a study makes a trade: the largest amounts come back from the database as nothing.',
    file: 'src/engine/market/kept-instrument.ts',
    find: 'maxNotional: tier.maxNotional ?? Infinity',
    replace: 'maxNotional: tier.maxNotional ?? 0',
    ...unit('src/engine/market/kept-instrument'),
  },
];
