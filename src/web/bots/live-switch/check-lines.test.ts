import { expect, test } from 'vitest';
import { aDrill, aLiveCheck } from '../../testing/samples/live-check.ts';
import { checkLines, keySentence } from './check-lines.ts';

const now = Date.parse('2026-11-22T12:00:00.000Z');
const lineOf = (name: string, check: ReturnType<typeof aLiveCheck>) => checkLines(check, now).find((line) => line.name === name);
const { key } = aLiveCheck();

test('when all is well everything that can be known is good, with its figure', () => {
  expect(checkLines(aLiveCheck(), now).map(({ name, value, tone }) => `${tone} ${name}: ${value}`)).toEqual([
    'good API key stored: ****9f3c',
    'good API key checked: ok, 1m 0s ago',
    'good Database writes are durable: yes',
    'good Live trading on this server: enabled',
    'good Owner verified: yes',
    'good Kill switch: not pressed',
    'good Open paper trades: none',
    'good Exchange clock: +11 ms',
    'unknown Drill: not run',
  ]);
});

test.each([
  ['API key stored', { key: null }, 'none'],
  ['API key checked', { key: key && { ...key, check: 'refused' as const } }, 'refused 1m 0s ago'],
  ['API key checked', { key: key && { ...key, can_trade: false } }, 'may not trade, 1m 0s ago'],
  ['API key checked', { key: key && { ...key, can_withdraw: true } }, 'may withdraw, 1m 0s ago'],
  ['Database writes are durable', { store_fault: 'The database lies in memory.' }, 'The database lies in memory.'],
  ['Live trading on this server', { live_enabled: false }, 'disabled'],
  ['Owner verified', { owner_verified: false }, 'no'],
  ['Kill switch', { trading_state: 'halted' as const }, 'halted: no entries'],
  ['Open paper trades', { open_trades: 2 }, '2: close them first'],
  ['Exchange clock', { clock_offset_ms: -1_500.4 }, '-1500 ms'],
  ['Drill', { drill: aDrill({ differences: ['Order a-1 was placed 2 times.'] }) }, '1 difference, 2m 0s ago'],
  ['Drill', { drill: aDrill({ differences: ['a', 'b'] }) }, '2 differences, 2m 0s ago'],
  ['Drill', { drill: aDrill({ orders: 0 }) }, 'no order could be placed, 2m 0s ago'],
])('%s: what is wrong is bad and says so', (name, changes, value) => {
  expect(lineOf(name, aLiveCheck(changes))).toEqual({ name, value, tone: 'bad' });
});

test.each([
  ['API key checked', { key: null }, 'not possible without a key'],
  ['Drill', { drill: aDrill({ is_current: false, differences: ['a'] }) }, 'with other settings, 2m 0s ago'],
  ['API key checked', { key: key && { ...key, check: null } }, 'not yet'],
  ['API key checked', { key: key && { ...key, check: 'unreachable' as const } }, 'the exchange did not answer, 1m 0s ago'],
  ['Exchange clock', { clock_offset_ms: null }, 'not measured yet'],
])('%s: what is not known is not called good', (name, changes, value) => {
  expect(lineOf(name, aLiveCheck(changes))).toEqual({ name, value, tone: 'unknown' });
});

test.each([
  [key, 'Checked 2026-11-22 11:59:00 UTC: it may trade, it may not withdraw.'],
  [
    key && { ...key, can_trade: null, can_withdraw: null },
    'Checked 2026-11-22 11:59:00 UTC: the exchange takes it, whether it may withdraw, the exchange does not say.',
  ],
  [key && { ...key, can_trade: false, can_withdraw: true }, 'Checked 2026-11-22 11:59:00 UTC: it may not trade, it may withdraw.'],
  [key && { ...key, check: 'refused' as const }, 'Checked 2026-11-22 11:59:00 UTC: the exchange refuses it.'],
  [key && { ...key, check: 'unreachable' as const }, 'Checked 2026-11-22 11:59:00 UTC: the exchange did not answer.'],
  [key && { ...key, check: null }, 'It was not checked yet.'],
  [null, 'The bot has no API key yet.'],
])('what the exchange said of the key is a sentence', (of, sentence) => {
  expect(keySentence(of)).toBe(sentence);
});

test('a key that is saved with the switch is not called checked', () => {
  expect(checkLines(aLiveCheck({ key: null }), now, true)[0]).toEqual({
    name: 'API key checked',
    value: 'when it is saved',
    tone: 'unknown',
  });
});

test('a drill that went well says how many orders it was', () => {
  expect(lineOf('Drill', aLiveCheck({ drill: aDrill() }))).toEqual({ name: 'Drill', value: '146 orders, no difference', tone: 'good' });
});
