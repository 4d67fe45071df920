import { expect, test } from 'vitest';
import type { BacktestResult } from '../backtest/backtest-result.ts';
import type { Ohlc, Scenario } from '../backtest/testing/scenario.ts';
import { f, hour, simulate, start2024, z } from '../backtest/testing/scenario.ts';
import { toColumns } from '../market/candle.ts';
import { dayMs } from '../market/durations.ts';
import { seededRandom } from '../simulation/seeded-random.ts';
import type { PortfolioGroup } from './portfolio-summary.ts';
import { portfolioSummary } from './portfolio-summary.ts';

/** Candles that go up and down by a seed. */
function walk(seed: number, count: number): Ohlc[] {
  const random = seededRandom(seed);
  const candles: Ohlc[] = [z];
  let price = 100;
  while (candles.length < count) {
    const open = price;
    price = Math.max(20, price * (1 + (random() - 0.5) * 0.06));
    candles.push(
      [open, Math.max(open, price) * 1.002, Math.min(open, price) * 0.998, price].map(
        (value) => Math.round(value * 100) / 100,
      ) as unknown as Ohlc,
    );
  }
  return candles;
}

const symbols = ['A', 'B', 'C'];
const count = 24 * 70; // from January into March

function aRun(settings: Scenario['settings'] = {}, enterShort = false): BacktestResult {
  const random = seededRandom(11);
  const numbers = () => Array.from({ length: 300 }, () => Math.floor(random() * count));
  return simulate({
    pairs: Object.fromEntries(
      symbols.map((symbol, i) => [
        symbol,
        {
          candles: walk(i + 1, count),
          enter: numbers(),
          exit: numbers().map((at) => [at, `out ${at % 3}`] as [number, string]),
          ...(enterShort ? { enterShort: numbers() } : {}),
        },
      ]),
    ),
    settings: { maxOpenTrades: 2, stoploss: -0.05, minimalRoi: { 0: 0.08 }, ...settings },
  });
}

function summaryOf(result: BacktestResult, slippageShare = 0) {
  const candles = symbols.map((symbol, i) => ({
    symbol,
    candles: toColumns(
      walk(i + 1, count).map(([open, high, low, close], at) => ({ openTime: start2024 + at * hour, open, high, low, close, volume: 1 })),
    ),
  }));
  return portfolioSummary(result, { to: start2024 + count * hour, currency: 'USDT', candles, withoutCandles: ['D'], slippageShare });
}

test('every split of a run adds up to the run, and that to its trades', () => {
  const result = aRun();
  const found = summaryOf(result);
  const net = result.trades.reduce((sum, { profit }) => sum + (profit ?? 0), 0);
  expect(result.trades.length).toBeGreaterThan(60);
  expect(found.net_pnl).toBeCloseTo(net, 9);
  expect(found.total).toMatchObject({ trades: result.trades.length, wins: result.trades.filter(({ profit }) => (profit ?? 0) > 0).length });
  const splits: Record<string, readonly Pick<PortfolioGroup, 'pnl' | 'trades'>[]> = {
    pairs: found.pairs,
    directions: found.directions,
    tags: found.entry_tags,
    exits: found.exit_reasons,
    weekdays: found.weekdays,
    hours: found.hours,
    days: found.days,
    months: found.months,
  };
  for (const [name, groups] of Object.entries(splits)) {
    expect(
      groups.reduce((sum, { pnl }) => sum + pnl, 0),
      name,
    ).toBeCloseTo(net, 9);
    expect(
      groups.reduce((sum, { trades }) => sum + trades, 0),
      name,
    ).toBe(result.trades.length);
  }
  expect(found.equity.at(-1)?.value).toBeCloseTo(found.starting_balance + net, 6);
  expect(found.starting_balance + found.net_pnl).toBeCloseTo(found.final_balance, 6);
  expect(found.days).toHaveLength(count / 24);
  expect(found.months.map(({ month }) => month)).toEqual(['2024-01', '2024-02', '2024-03']);
  expect(found.candles).toBe(3 * count);
  expect(found.without_candles).toEqual(['D']);
});

test('a month’s ratio is of the balance at its start', () => {
  const { months, starting_balance: start } = summaryOf(aRun());
  const [january, february] = months;
  expect(january?.ratio).toBeCloseTo((january?.pnl ?? 0) / start, 12);
  expect(february?.ratio).toBeCloseTo((february?.pnl ?? 0) / (start + (january?.pnl ?? 0)), 12);
});

test('the best and worst trade of a group are of its trades: where all have lost, the best is a loss', () => {
  const { trades } = aRun();
  const lost = trades.filter(({ profit }) => (profit ?? 0) < 0);
  const won = trades.filter(({ profit }) => (profit ?? 0) > 0);
  for (const some of [lost, won]) {
    const profits = some.map(({ profit }) => profit ?? 0);
    const { total } = summaryOf({ ...aRun(), trades: some });
    expect(profits.length).toBeGreaterThan(10);
    expect([total.best, total.worst]).toEqual([Math.max(...profits), Math.min(...profits)]);
  }
});

test('weekday and hour are those of the entry, in UTC', () => {
  const result = simulate({ pairs: { A: { candles: [z, ...Array.from({ length: 40 }, () => f)], enter: [30], exit: [33] } } });
  const found = summaryOf(result);
  expect(new Date(result.trades[0]?.openTime ?? 0).toISOString()).toBe('2024-01-02T07:00:00.000Z'); // a Tuesday
  expect([found.weekdays, found.hours]).toMatchObject([[{ key: '2', trades: 1 }], [{ key: '7', trades: 1 }]]);
});

test('slippage is its share of what the fills cost', () => {
  const whole = summaryOf(aRun());
  const parts = summaryOf(aRun(), 0.25);
  expect([whole.slippage, parts.slippage, parts.fees]).toEqual([
    0,
    expect.closeTo(whole.fees / 4, 9),
    expect.closeTo(whole.fees * 0.75, 9),
  ]);
});

test('what was refused is listed signal by signal, by time, up to a number', () => {
  const given = aRun();
  expect(given.entries.listed).toEqual([]); // nobody asked
  const pairs = { A: { candles: walk(1, 30), enter: [1, 2, 3, 4, 29], enterShort: [9] }, B: { candles: walk(2, 30), enter: [2, 3] } };
  const run = (mostRefusedListed: number) => simulate({ pairs, settings: { maxOpenTrades: 1, stoploss: -0.9 }, mostRefusedListed }).entries;
  const { listed, refused } = run(100);
  expect(listed).toHaveLength(refused.reduce((sum, each) => sum + each.count, 0));
  for (const { gate, count: times } of refused) expect(listed.filter((each) => each.gate === gate)).toHaveLength(times);
  expect(listed.map(({ time }) => time)).toEqual(listed.map(({ time }) => time).toSorted((a, b) => a - b));
  expect(listed.find(({ gate }) => gate === 'short-not-allowed')).toEqual({
    time: start2024 + 10 * hour,
    symbol: 'A',
    gate: 'short-not-allowed',
  });
  expect(run(2).listed).toHaveLength(2);
  expect(run(2).refused).toEqual(refused); // the counts are whole
});

test('holding puts equal parts into the pairs', () => {
  const found = summaryOf(aRun());
  const factors = symbols.map((_, i) => (walk(i + 1, count).at(-1)?.[3] ?? 0) / (walk(i + 1, count)[0]?.[3] ?? 1));
  expect(found.hold_pnl).toBeCloseTo(
    (found.starting_balance * factors.reduce((sum, factor) => sum + factor, 0)) / 3 - found.starting_balance,
    6,
  );
  expect(found.hold).toHaveLength(1_000);
});

test('a run without a trade has figures, and none is beyond reading', () => {
  const found = summaryOf(simulate({ pairs: { A: { candles: walk(1, 30) } } }));
  expect(found.total).toEqual({ key: '', trades: 0, wins: 0, pnl: 0, profit_factor: null, best: 0, worst: 0, minutes: 0 });
  expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  expect(found.entries.no_trades).toMatch(/^No trades/u);
});

test('two runs with the same trades have the same fingerprint, others do not', () => {
  expect(summaryOf(aRun()).fingerprint).toBe(summaryOf(aRun()).fingerprint);
  expect(summaryOf(aRun()).fingerprint).toMatch(/^[0-9a-f]{16}$/u);
  expect(summaryOf(aRun({ stoploss: -0.06 })).fingerprint).not.toBe(summaryOf(aRun()).fingerprint);
});

test('the pnl of a day is that of the trades which left on it', () => {
  const result = aRun();
  const { days } = summaryOf(result);
  const [trade] = result.trades;
  const day = new Date(Math.floor((trade?.closeTime ?? 0) / dayMs) * dayMs).toISOString().slice(0, 10);
  const on = result.trades.filter(({ closeTime }) => new Date(closeTime ?? 0).toISOString().startsWith(day));
  expect(days.find((each) => each.day === day)?.pnl).toBeCloseTo(
    on.reduce((sum, { profit }) => sum + (profit ?? 0), 0),
    9,
  );
});
