import type { Mutant } from './mutant.ts';
import { storage, unit } from './mutant.ts';

const seen = 'src/storage/strategies/seen-strategies.ts';
const handlers = 'src/server/strategies/rule-strategies.ts';
const byRole = storage('src/server/strategies/rule-strategies');

/** What protects rules of people, and bots from them, each taken away. */
export const rules: readonly Mutant[] = [
  {
    name: 'rules-of-others-are-used',
    harm: 'Anybody trades by the rules of another person.',
    file: seen,
    find: 'or strategies.is_shared or',
    replace: 'or true or',
    ...byRole,
  },
  {
    name: 'every-version-is-seen-through-a-bot',
    harm: 'Who has had the rules once reads all that their maker has done since.',
    file: seen,
    find: 'bots.code_id = strategy_code.id and',
    replace: '',
    ...byRole,
  },
  {
    name: 'removed-rules-are-used',
    harm: 'A bot is made of rules that their maker has removed.',
    file: seen,
    find: 'strategies.removed_at is null',
    replace: 'true',
    ...byRole,
  },
  {
    name: 'two-saves-of-one-version',
    harm: 'The second of two people who save loses what the first has written.',
    file: handlers,
    find: 'before === null || before.number !== body.based_on',
    replace: 'before === null',
    ...byRole,
  },
  {
    name: 'a-save-moves-the-stop-of-bots',
    harm: 'Whoever saves rules moves the stops of the bots that trade by them.',
    file: handlers,
    find: '!(await isInUse(trx, strategy.id));',
    replace: 'true;',
    ...byRole,
  },
  {
    name: 'bots-are-made-of-rules-that-go',
    harm: 'A bot is made of rules that are removed in the same moment.',
    file: 'src/server/bots/bot-settings.ts',
    find: 'await holdUsable(trx, caller, strategy.id);',
    replace: '',
    ...byRole,
  },
  {
    name: 'versions-are-taken-of-rules-taken-back',
    harm: 'A bot takes a version of rules that are nobody else’s any more.',
    file: 'src/server/bots/take-version.ts',
    find: 'if (!(await holdUsableStrategy(trx, strategyReader(caller), bot.strategyId))) throw new HttpError(403, notSharedAnyMore);',
    replace: '',
    ...byRole,
  },
  {
    name: 'a-row-sees-a-later-candle-of-another-pair',
    harm: 'A bot trades by what its backtest could not know.',
    file: 'src/runner/bots/other-series.ts',
    find: 'sliceColumns(candles, 0, firstAtOrAfter(candles.openTime, this.#newestAt(watched, time) + 1))',
    replace: 'candles',
    ...storage('src/runner/bots/other-series'),
  },
  {
    name: 'a-row-does-not-wait-for-a-longer-candle',
    harm: 'A bot decides with an older hour than its backtest.',
    file: 'src/runner/bots/other-series.ts',
    find: 'newestClosedWith(timeframe, time + this.#ownLength)',
    replace: 'newestClosedWith(timeframe, time)',
    ...storage('src/runner/bots/other-series'),
  },
  {
    name: 'a-row-does-not-wait-for-another-pair',
    harm: 'A bot decides with an older candle of another pair than its backtest.',
    file: 'src/runner/bots/other-series.ts',
    find: 'if (late() === null) return null;',
    replace: 'return null;',
    ...storage('src/runner/bots/other-series'),
  },
  {
    name: 'endless-rules',
    harm: 'One document of rules keeps the runner from the trades of everybody.',
    file: 'src/engine/rules/faults.ts',
    find: 'values > mostValues ?',
    replace: 'values > mostValues * 99 ?',
    ...unit('src/engine/rules/faults'),
  },
];
