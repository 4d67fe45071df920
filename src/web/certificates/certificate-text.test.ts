import { describe, expect, test } from 'vitest';
import { aCertificate, aCertifiedTrade } from '../testing/samples/certificates.ts';
import { explanationOf, resultOf, sentencesOf, stateOf, titleOf, versionsText } from './certificate-text.ts';

const title = (promised: string, made: string) => titleOf({ promised, made, currency: 'USDT' });
const certificate = (of: Parameters<typeof aCertificate>[1] = {}) => aCertificate({}, of).certificate!;

describe('the title says what of the promise arrived', () => {
  test.each([
    ['21.4', '19.28', '90.1% of the backtest’s promise reached the account'],
    ['10', '11.2', '112.0% of the backtest’s promise reached the account'],
    ['10', '10.00', 'All of the backtest’s promise reached the account'],
    ['10', '0', 'Nothing of the backtest’s promise of $10.00 reached the account: it made nothing'],
    ['10', '-3', 'Nothing of the backtest’s promise of $10.00 reached the account: it lost $3.00'],
    ['-5.6', '-6.04', 'The backtest loses $5.60; the account lost $6.04'],
    ['-5.6', '1', 'The backtest loses $5.60; the account made $1.00'],
    ['-5.6', '-5.6', 'The account lost what the backtest loses: $5.60'],
    ['0', '2', 'The backtest makes nothing of the day; the account made $2.00'],
    ['0', '-2', 'The backtest makes nothing of the day; the account lost $2.00'],
    ['0', '0', 'Nothing was promised, and nothing was made'],
  ])('%s and %s', (promised, made, words) => {
    expect(title(promised, made)).toBe(words);
  });
});

describe('the sentences', () => {
  const outcome = { promised: '21.4', made: '19.28', currency: 'USDT' };
  test('say on what the day was replayed, what is the same, and how far the difference is explained', () => {
    expect(sentencesOf(outcome, certificate()).join(' ')).toBe(
      'The day was replayed on the candles the bot saw. It made the same 2 trades from the same 96 decisions. The difference of $2.12 is explained to the last decimal.',
    );
    const other = certificate({
      candles: { replayed: 96, seen: 96, same: 95, differing: 1, listed: [] },
      trades_same: 1,
      parts: { unexplained: '-0.5' },
    });
    expect(sentencesOf(outcome, other).join(' ')).toBe(
      'The day was replayed on the stored candles, and on those the bot saw: 1 candle differs. 1 of 2 trades were made by both; 96 of 96 decisions are the same. $0.50 is not explained.',
    );
    const bare = certificate({
      candles: { replayed: 96, seen: 0, same: 0, differing: 0, listed: [] },
      decisions: { recorded: 0, same: 0, failed: 0, of_data: 0, differing: [] },
    });
    expect(sentencesOf({ ...outcome, made: '21.40' }, bare).join(' ')).toBe(
      'The day was replayed on the stored candles; what the bot saw of them is not on record. Both made 2 of 2 trades; the decisions of the day are not on record. Both are equal to the last decimal.',
    );
  });

  test('a trade says what explains it', () => {
    expect(explanationOf(aCertifiedTrade(), 'USDT')).toBe('fill price -$0.48, delay -$0.16, fees -$0.08');
    expect(explanationOf(aCertifiedTrade({ parts: {} }), 'USDT')).toBe('equal to the last decimal');
    const refused = aCertifiedTrade({ parts: { intervention: '-1' }, why: 'the kill switch was pressed' });
    expect(explanationOf(refused, 'USDT')).toBe('interventions -$1.00: the kill switch was pressed');
    expect(
      [{}, { fee: '1' }, { decision: '1' }, { decision: '1', unexplained: '2' }].map((parts) => resultOf(aCertifiedTrade({ parts }))),
    ).toEqual(['equal', 'explained', 'decision differs', 'unexplained']);
  });

  test('settings are one version, or several with their times', () => {
    const at = (time: string, bot: number) => ({ from: `2026-11-20T${time}:00.000Z`, bot, strategy: 1 });
    expect(versionsText([at('00:00', 14)])).toBe('version 14, all day');
    expect(versionsText([at('00:00', 14), at('09:30', 15)])).toBe('version 14, 15 from 09:30');
  });
});

test.each([
  [{ state: 'waiting' as const }, 'being replayed'],
  [{ state: 'failed' as const }, 'not replayed'],
  [{ differing: 1 }, 'a decision differs'],
  [{ differing: 3, promised: '1', made: '1' }, '3 decisions differ'],
  [{ promised: '-5.6', made: '-5.6' }, 'equal'],
  [{ promised: '5.6', made: '5.599999999999999999' }, 'not equal'],
])('what a day has come to in some words: %j is %s', (changes, words) => {
  const { state, promised, made, differing } = { ...aCertificate(), state: 'done' as const, ...changes };
  expect(stateOf({ state, promised, made, differing })).toBe(words);
});
