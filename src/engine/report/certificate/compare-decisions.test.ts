import { expect, test } from 'vitest';
import { compareDecisions } from './compare-decisions.ts';
import { aDecision, candleTime } from './testing/a-day-of-trades.ts';

const none = { enterLong: false, exitLong: false, enterShort: false, exitShort: false };
const long = { ...none, enterLong: true };
const at = (n: number) => `BTC/USDT ${candleTime(n)}`;

test('a decision is the same when its flags are those of the replay, and it was made by them', () => {
  const decisions = [
    aDecision(),
    aDecision({ candleTime: candleTime(1), ...long, action: 'enter', gate: null }),
    aDecision({ candleTime: candleTime(2), ...long, gate: 'slots-full' }),
    aDecision({ candleTime: candleTime(3), action: 'enter', gate: null }), // without a signal
    aDecision({ candleTime: candleTime(4), exitLong: true }),
    aDecision({ candleTime: candleTime(5), gate: 'strategy-failed', failure: 'It threw.' }),
    aDecision({ candleTime: candleTime(6), ...long }), // a candle that was not replayed
  ];
  const stored = new Map([none, long, long, none, none, long].map((flags, n) => [at(n), flags]));
  const compared = compareDecisions(decisions, stored, null);
  expect(compared).toMatchObject({ recorded: 6, same: 3, failed: 1, ofData: [] });
  expect(compared.differing.map((each) => each.candleTime)).toEqual([candleTime(3), candleTime(4)]);
  expect(compared.isDiffering({ symbol: 'BTC/USDT', candleTime: candleTime(3) })).toBe(true);
  expect(compared.isDiffering({ symbol: 'ETH/USDT', candleTime: candleTime(3) })).toBe(false);
});

test('one that is the same on the candles the bot saw is of the data, and no alarm', () => {
  const decisions = [aDecision({ ...long, action: 'enter', gate: null }), aDecision({ candleTime: candleTime(1), ...long })];
  const stored = new Map([at(0), at(1)].map((key) => [key, none]));
  const seen = new Map([
    [at(0), long],
    [at(1), none],
  ]);
  const compared = compareDecisions(decisions, stored, seen);
  expect([compared.ofData.length, compared.differing.map((each) => each.candleTime)]).toEqual([1, [candleTime(1)]]);
});
