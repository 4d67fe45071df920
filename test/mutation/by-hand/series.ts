import type { Mutant } from './mutant.ts';
import { storage, unit } from './mutant.ts';

const series = 'src/engine/strategy/series.ts';
const sent = 'src/strategy-process/wire/sent-candles.ts';
const onWire = unit('src/strategy-process/wire/candles-once');

/** Several series of a strategy, and candles that go to its process once. */
export const severalSeries: readonly Mutant[] = [
  {
    name: 'longer-candle-before-it-has-closed',
    harm: 'A strategy sees an hour before it is over: it earns fortunes in a backtest and nothing after it.',
    file: 'src/engine/market/longer-candles.ts',
    find: 'isComplete = step > 0 && openTime[i] + step >= bucket + lengthMs;',
    replace: 'isComplete = true;',
    ...unit('src/engine/strategy/series'),
  },
  {
    name: 'others-of-later-in-the-check',
    harm: 'The check for look-ahead gives a strategy later candles of the other pair, and finds nothing.',
    file: series,
    find: 'firstAtOrAfter(candles.openTime, time + 1)',
    replace: 'candles.openTime.length',
    ...unit('src/engine/strategy/series'),
  },
  {
    name: 'warm-up-of-a-series-forgotten',
    harm: 'A bot trades by an average of hours that is made of a few of them.',
    file: series,
    find: 'return Math.max(startupCandles, ...needed);',
    replace: 'return Math.max(startupCandles, 0 * needed.length);',
    ...unit('src/engine/strategy/series'),
  },
  {
    name: 'pattern-of-a-pair-not-followed',
    harm: 'A strategy that reads its pair against bitcoin reads the same one for all.',
    file: series,
    find: ".replaceAll('{base}', base)",
    replace: '',
    ...unit('src/engine/strategy/series'),
  },
  {
    name: 'missing-candles-are-silence',
    harm: 'A strategy whose other pair is not there never trades, and nobody learns why.',
    file: series,
    find: 'if (symbol !== undefined && (others === undefined || !Object.hasOwn(others, symbol)))',
    replace: 'if (symbol !== undefined && others === undefined)',
    ...unit('src/engine/strategy/series'),
  },
  {
    name: 'corrected-candle-not-sent',
    harm: 'A strategy decides on a candle that the exchange has corrected.',
    file: sent,
    find: 'while (i < kept && Object.is(a[i], b[i])) i++;',
    replace: "while (i < kept && (name !== 'openTime' || Object.is(a[i], b[i]))) i++;",
    ...onWire,
  },
  {
    name: 'window-that-moves-on-keeps-its-beginning',
    harm: 'A bot computes over other candles than a backtest does.',
    file: 'src/strategy-process/wire/held-candles.ts',
    find: 'sliceColumns(before, dropped, dropped + kept)',
    replace: 'sliceColumns(before, 0, dropped + kept)',
    ...onWire,
  },
  {
    name: 'ends-that-disagree-go-on',
    harm: 'After a fault of the wire each row is computed on candles that never were.',
    file: 'src/strategy-process/wire/held-candles.ts',
    find: 'if (dropped + kept > (before?.openTime.length ?? 0)) throw new OutOfStep();',
    replace: '',
    ...onWire,
  },
  {
    name: 'strategy-changes-what-is-kept',
    harm: 'One strategy that writes into its candles spoils every row after it.',
    file: 'src/strategy-process/wire/held-candles.ts',
    find: 'return copyColumns(candles);',
    replace: 'return candles;',
    ...onWire,
  },
  {
    name: 'stop-at-exchange-holds-up-the-plan',
    harm: 'Live bots of rules never follow their position plan, which backtests and paper do.',
    file: 'src/engine/rules/position-plan.ts',
    find: "return isWaiting(order) && (order.type !== 'stop' || order.filled > 0);",
    replace: 'return isWaiting(order);',
    ...unit('src/engine/rules/position-plan'),
  },
  {
    name: 'bot-without-the-pair-it-reads',
    harm: 'A bot is made on a market without the pair that its file reads, and fails at every candle.',
    file: 'src/server/bots/strategy-on-market.ts',
    find: '.find(({ pair }) => !pairs.includes(pair));',
    replace: '.find(({ pair }) => !pairs.includes(pair) && pairs.length === 0);',
    ...storage('src/server/strategies/rules-calculated', 'cannot be had'),
  },
];
