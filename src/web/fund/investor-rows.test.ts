import { expect, test } from 'vitest';
import { anInvestorRow } from '../testing/samples/fund.ts';
import { idOf } from '../testing/samples/ids.ts';
import { anonymized, firstFilter, issueOf, rowsOfPage, summaryCsv } from './investor-rows.ts';

test('VALID-43 a start after the end is refused; equal days pass', () => {
  const text = 'Start date must be before end date';
  expect(issueOf({ ...firstFilter, start: '2026-11-02', end: '2026-11-01' })?.text).toBe(text);
  for (const [start, end] of [
    ['2026-11-01', '2026-11-01'],
    ['2026-11-01', '2026-11-02'],
    ['2026-11-02', ''],
    ['', '2026-11-02'],
  ] as const) {
    expect(issueOf({ ...firstFilter, start, end })).toBeNull();
  }
});

test('VALID-44 a trader id that is not a UUID is refused', () => {
  for (const traderId of ['x', '1234', `${idOf(1)}0`, idOf(1).replaceAll('-', '')]) {
    expect(issueOf({ ...firstFilter, traderId })?.text).toBe('Invalid trader ID format');
  }
  for (const traderId of ['', idOf(1), idOf(1).toUpperCase()]) expect(issueOf({ ...firstFilter, traderId })).toBeNull();
});

test('INV-06, OP-75 traders are numbered in the order of the rows; the same trader has the same number', () => {
  const rows = [3, 1, 3, 2].map((number) => anInvestorRow(number));
  expect(anonymized(rows).map(({ trader_id: id }) => id)).toEqual(['Trader 1', 'Trader 2', 'Trader 1', 'Trader 3']);
  expect(anonymized(rows).map(({ trader_name: name }) => name)).toEqual(['Trader 1', 'Trader 2', 'Trader 1', 'Trader 3']);
  expect(rows[0]?.trader_id).toBe(idOf(3));
});

test('INV-12 a page has ten rows, the last one what is left', () => {
  const rows = Array.from({ length: 21 }, (_, i) => anInvestorRow(i));
  expect([1, 2, 3].map((page) => rowsOfPage(rows, page).length)).toEqual([10, 10, 1]);
  expect(rowsOfPage(rows, 2)[0]?.trader_id).toBe(idOf(10));
});

test('INV-08, INV-09, OP-67, OP-68, OP-75 the file has the columns, plain numbers and the win rate as percent', () => {
  const text = summaryCsv([
    anInvestorRow(1, { total_pnl: -3.5, roi_percent: -1.23456, win_rate: 0.5325, sharpe_ratio: -0.55412, avg_latency: 212.5 }),
    anInvestorRow(2, { sharpe_ratio: null, avg_latency: null, mode: 'testnet' }),
  ]);
  expect(text.slice(1).split('\r\n')).toEqual([
    '"trader_id","mode","total_pnl","roi_percent","max_drawdown","num_trades","win_rate","sharpe_ratio","avg_latency","ml_label_count"',
    `"${idOf(1)}","live","-3.5","-1.23","4.2","12","53.25%","-0.5541","212.5","3"`,
    `"${idOf(2)}","testnet","12.3","4.1","4.2","12","58.33%","","","3"`,
    '',
  ]);
});
