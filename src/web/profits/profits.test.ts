import { describe, expect, test, vi } from 'vitest';
import { aLedger, someSums } from '../testing/samples/profits.ts';
import { exportCsv, exportJson, exportName } from './exports.ts';
import { daySentence, shortPnl } from './figure-words.ts';
import { shownLedger } from './ledgers.ts';
import { dayByKey, monthOfDays } from './month-of-days.ts';
import { issueOf, monthAfter, rangeOf, rangeText } from './profit-range.ts';
import { runningTotal } from './running-total.ts';

const none = { from: null, to: null };

describe('a range', () => {
  test.each([
    ['this-month', '2026-11-23', '2026-11-01', '2026-11-30'],
    ['this-month', '2028-02-29', '2028-02-01', '2028-02-29'],
    ['last-month', '2026-01-31', '2025-12-01', '2025-12-31'],
    ['last-month', '2026-03-01', '2026-02-01', '2026-02-28'],
    ['this-year', '2026-11-23', '2026-01-01', '2026-12-31'],
    ['7', '2026-01-03', '2025-12-28', '2026-01-03'],
    ['30', '2026-11-23', '2026-10-25', '2026-11-23'],
    ['90', '2026-11-23', '2026-08-26', '2026-11-23'],
    ['all', '2026-11-23', null, null],
  ] as const)('%s on %s is from %s to %s', (name, today, from, to) => {
    expect(rangeOf(name, { from: '2020-01-01', to: '2020-01-02' }, today)).toEqual({ from, to });
  });

  test('of one’s own is what was entered, and must not be upside down', () => {
    const own = { from: '2026-11-04', to: '2026-11-03' };
    expect(rangeOf('own', own, '2026-11-23')).toBe(own);
    expect(issueOf(own)).toBe('Start date must be before end date');
    for (const fine of [none, { from: '2026-11-03', to: '2026-11-03' }, { from: '2090-01-01', to: null }]) expect(issueOf(fine)).toBe(null);
  });

  test.each([
    [{ from: '2026-11-01', to: '2026-11-30' }, '2026-11-01 to today'],
    [{ from: '2026-10-01', to: '2026-10-31' }, '2026-10-01 to 2026-10-31'],
    [{ from: '2026-10-01', to: '2026-10-01' }, '2026-10-01'],
    [{ from: '2090-10-01', to: '2090-10-05' }, 'from 2090-10-01 on'],
    [{ from: null, to: '2026-10-05' }, 'up to 2026-10-05'],
    [none, 'since the first trade'],
  ])('%o reads %s', (range, text) => {
    expect(rangeText(range, '2026-11-23')).toBe(text);
  });

  test('months follow each other over the end of a year', () => {
    expect([monthAfter('2026-01', -1), monthAfter('2026-12', 1), monthAfter('2026-05', 0)]).toEqual(['2025-12', '2027-01', '2026-05']);
  });
});

describe('the running total', () => {
  const days = aLedger().days;
  const now = Date.parse('2026-11-23T18:00:00Z');

  test('is 0 when the range begins, changes at the end of each day, and ends with the sum at this moment', () => {
    const points = runningTotal(days, { from: '2026-11-01', to: '2026-11-30' }, now);
    expect(points[0]).toEqual({ time: Date.parse('2026-11-01'), pnl: 0 });
    expect(points.slice(1, 3)).toEqual([
      { time: Date.parse('2026-11-02'), pnl: 0 },
      { time: Date.parse('2026-11-03'), pnl: 12.5 },
    ]);
    expect(points.at(-1)).toEqual({ time: now, pnl: -7.5 });
    expect(points).toHaveLength(24);
    expect(points.every(({ time }, place) => place === 0 || time > (points[place - 1]?.time ?? 0))).toBe(true);
  });

  test('adds exactly', () => {
    const tenths = Array.from({ length: 10 }, (_, i) => ({
      day: `2026-11-${String(i + 1).padStart(2, '0')}`,
      ...someSums({ profit: '0.1' }),
    }));
    expect(runningTotal(tenths, none, now).at(-1)?.pnl).toBe(1);
    expect(runningTotal(tenths.slice(0, 3), { from: null, to: '2026-11-03' }, now).map(({ pnl }) => pnl)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  test('begins with the first trade when the range begins long before it, and has no point without one', () => {
    expect(runningTotal(days, { from: '0001-01-01', to: '9999-12-31' }, now)[0]).toEqual({ time: Date.parse('2026-11-02'), pnl: 0 });
    expect(runningTotal(days, none, now)[0]).toEqual({ time: Date.parse('2026-11-02'), pnl: 0 });
    expect(runningTotal([], { from: '2026-11-01', to: '2026-11-30' }, now)).toEqual([]);
  });

  test('at midnight has two different moments for the day that begins', () => {
    const midnight = Date.parse('2026-11-20');
    const points = runningTotal(days, { from: '2026-11-19', to: '2026-11-30' }, midnight);
    expect(new Set(points.map(({ time }) => time)).size).toBe(points.length);
  });
});

describe('the calendar', () => {
  test('has weeks from Monday to Sunday, and colours by the largest day of the month', () => {
    const weeks = monthOfDays('2026-11', [...aLedger().days, { day: '2026-12-01', ...someSums({ profit: '9000' }) }]);
    expect(weeks).toHaveLength(6);
    expect(weeks[0]?.map((each) => each?.day ?? null)).toEqual([null, null, null, null, null, null, '2026-11-01']);
    expect(weeks.flat().filter((each) => each !== null)).toHaveLength(30);
    expect(weeks.flat().flatMap((each) => (each?.sums ? [[each.day, Number(each.strength.toFixed(3))]] : []))).toEqual([
      ['2026-11-02', 0.625],
      ['2026-11-20', 1],
    ]);
    expect(monthOfDays('2027-02', [])).toHaveLength(4);
  });

  test('has the weekdays of UTC, wherever the person is', () => {
    try {
      for (const zone of ['America/New_York', 'Pacific/Auckland']) {
        vi.stubEnv('TZ', zone);
        expect(monthOfDays('2026-11', [])[0]?.map((each) => each?.day ?? null)).toEqual([
          ...Array.from({ length: 6 }, () => null),
          '2026-11-01',
        ]);
      }
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('keys lead to the day beside, above and below, and to both ends of the month', () => {
    expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'a'].map((key) => dayByKey('2026-11-01', key))).toEqual([
      '2026-10-31',
      '2026-11-02',
      '2026-10-25',
      '2026-11-08',
      '2026-11-01',
      '2026-11-30',
      null,
    ]);
  });

  test('a day says what it came to', () => {
    const [day] = aLedger().days;
    const of = (sums: typeof day | null) => ({ day: '2026-11-02', sums: sums ?? null, strength: 1 });
    expect(daySentence(of(day), 'USDT', false)).toBe('2026-11-02: +$12.50 in 2 trades, 1 won, fees $0.40, funding -$0.10.');
    expect(daySentence(of({ day: '2026-11-02', ...someSums({ funding: '0.3' }) }), 'USDT', false)).toMatch(/, funding \+\$0\.30\.$/u);
    expect(daySentence(of(null), 'USDT', false)).toBe('2026-11-02: no trade was closed.');
    expect(daySentence(of(null), 'USDT', true)).toBe('2026-11-02 is not in the range.');
  });

  test.each([
    [0.001, 'USDT', '+0.00'],
    [-0.004, 'USDT', '+0.00'],
    [-9.994, 'USDT', '-9.99'],
    [9.996, 'USDT', '+10.0'],
    [-41.83, 'USDT', '-41.8'],
    [99.96, 'USDT', '+100'],
    [-1234.5, 'USDT', '-1235'],
    [12_345, 'USDT', '+12.3k'],
    [-1_234_567, 'USDT', '-1235k'],
    [0.0123456, 'BTC', '+0.01235'],
    [-12.3456, 'BTC', '-12.3'],
  ])('%d %s is short: %s', (amount, currency, text) => {
    expect(shortPnl(amount, currency)).toBe(text);
  });
});

describe('the part that is shown', () => {
  const ledgers = [aLedger({ mode: 'live' }), aLedger({ mode: 'live', currency: 'BTC' }), aLedger()];
  test('is of the chosen mode and currency, else the most real', () => {
    const shown = (mode: string | null, currency: string | null) => {
      const ledger = shownLedger(ledgers, mode, currency);
      return `${ledger?.mode} ${ledger?.currency}`;
    };
    expect([shown(null, null), shown('paper', null), shown('live', 'BTC'), shown('paper', 'BTC'), shown('testnet', 'BTC')]).toEqual([
      'live USDT',
      'paper USDT',
      'live BTC',
      'paper USDT',
      'live BTC',
    ]);
    expect(shownLedger([], 'live', 'USDT')).toBe(null);
  });
});

describe('a file', () => {
  const of = { ledger: aLedger(), grouping: 'bot', range: { from: '2026-11-01', to: '2026-11-30' } } as const;

  test('OP-75 CSV has each group to the last digit, the total, and no formula', () => {
    expect(exportName(of)).toBe('profits_paper_USDT_bot_2026-11-01_2026-11-30');
    expect(exportCsv(of).replace('\uFEFF', '').trimEnd().split('\r\n')).toEqual([
      '"mode","currency","bot","detail","trades","wins","losses","profit","fees","funding"',
      '"paper","USDT","Dip Buyer","","2","1","1","12.5","0.4","-0.1"',
      `"paper","USDT","'=Night Trend","version 3","1","1","0","-20.000000000000000001","0.4","-0.1"`,
      '"paper","USDT","total","","3","2","1","-7.500000000000000001","0.4","-0.1"',
    ]);
  });

  test('JSON says what it is about and loses no digit', () => {
    const file = JSON.parse(exportJson(of)) as Record<string, unknown>;
    expect(file).toMatchObject({ mode: 'paper', currency: 'USDT', from: '2026-11-01', to: '2026-11-30', grouped_by: 'bot' });
    expect(file['total']).toEqual(of.ledger.figures);
    expect(file['groups']).toEqual(of.ledger.groups);
  });
});
