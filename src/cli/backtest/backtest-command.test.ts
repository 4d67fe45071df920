import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backtestCommand } from './backtest-command.ts';
import type { BacktestReport } from './backtest-report.ts';
import { lookaheadCommand } from './lookahead-command.ts';
import { csvOf, sandboxCandles, writeTo } from '../testing/sandbox-candles.ts';

const minute = 60_000;
const start = Date.UTC(2025, 2, 3);
const config = { stake_amount: 100, max_open_trades: 2, fee: 0.001, markets: { '*': { amount_step: 0.00001 } }, stoploss: -0.01 };

let folder = '';
let datadir = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-command-'));
  datadir = join(folder, 'candles');
  for (const base of ['BTC', 'ETH']) writeTo(datadir, `${base}_USDT-5m.csv`, csvOf(sandboxCandles(base, 'spot', start, 3000, 5 * minute)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(over: object, ...words: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const file = writeTo(folder, 'config.json', JSON.stringify({ ...config, ...over }));
  const out: string[] = [];
  const err: string[] = [];
  const given = (name: string, value: string): string[] => (words.includes(name) ? [] : [name, value]);
  const all = [
    ...given('--strategy', 'Waves'),
    ...given('--config', file),
    ...given('--datadir', datadir),
    ...given('--pairs', 'BTC/USDT'),
  ];
  if (all.includes('Waves')) all[all.indexOf('Waves')] = strategyFile('waves.ts', '');
  const code = await backtestCommand(
    [...all, ...words],
    (line) => out.push(line),
    (line) => err.push(line.replaceAll(`${folder}/`, '')),
  );
  return { code, out, err };
}

async function report(over: object, ...words: string[]): Promise<BacktestReport & { times: Record<string, number> }> {
  const { code, out, err } = await run(over, '--json', ...words);
  expect({ code, err, lines: out.length }).toEqual({ code: 0, err: [], lines: 1 });
  return JSON.parse(out[0]);
}

async function refused(over: object, ...words: string[]): Promise<string[]> {
  const { code, out, err } = await run(over, ...words);
  expect({ code, out }).toEqual({ code: 2, out: [] });
  return err;
}

/** A file with a strategy that buys every 40th candle and sells 20 later, changed by some lines of code. */
function strategyFile(name: string, change: string, more = '', head = ''): string {
  return writeTo(
    folder,
    name,
    `import { noSignals } from '#engine/strategy/strategy.ts';
${head}
export default {
  name: 'Waves', title: 'Waves', description: '', losesWhen: '', kind: 'range', canShort: false, startupCandles: 10,
  defaults: { timeframe: '5m', stoploss: -0.1, minimalRoi: {}, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false },
  parameters: {},
  compute(candles) {
    const signals = noSignals(candles.close.length);
    for (let i = 0; i < candles.close.length; i++) {
      signals.enterLong[i] = i % 40 === 30 ? 1 : 0;
      signals.exitLong[i] = i % 40 === 10 ? 1 : 0;
    }
    ${change}
    return signals;
  },
  ${more}
};
`,
  );
}

describe('what is reported', () => {
  test('people read both sets of figures, a row per pair and reason, and the mode', async () => {
    const { code, out } = await run({ dry_run: true, minimal_roi: { 0: 0.01, 60: 0.002 } }, '--pairs', 'BTC/USDT', 'ETH/USDT');
    expect(code).toBe(0);
    const text = out.join('\n');
    expect(out[0]).toBe('Waves on 5m candles, spot, BTC/USDT ETH/USDT');
    expect(out[1]).toBe('2025-03-03 00:50 to 2025-03-13 09:55 UTC, 10 days');
    expect(out[2]).toContain(
      'stake 100 USDT; start 1000 USDT; of which 99 % tradable; max 2 open trades; fee 0.1 %; stop -1 %; trailing off; ROI 0 min 1 %, 60 min 0.2 %',
    );
    expect(out[3]).toBe('Mode: parity, the same trades as freqtrade');
    expect(text).toMatch(/per trade, freqtrade +daily equity/u);
    expect(text).toMatch(/^Sharpe +-?\d+\.\d{3} +-?\d+\.\d{3}$/mu);
    expect(text).toMatch(/^BTC\/USDT +\d+ /mu);
    expect(text).toMatch(/^exit_signal +\d+ /mu);
    expect(text).toMatch(/^Equity +[▁▂▃▄▅▆▇█]{11}$/mu);
    expect(text).toContain('Note: Ignored in a backtest: dry_run.');
  });

  test('programs read one object with the same, and how long each part took', async () => {
    const found = await report({}, '--pairs', 'BTC/USDT', 'ETH/USDT');
    expect(found).toMatchObject({
      strategy: 'Waves',
      mode: 'parity',
      quirksOff: [],
      stakeCurrency: 'USDT',
      startingBalance: 1000,
      pairs: ['BTC/USDT', 'ETH/USDT'],
    });
    expect(found.byPair.reduce((sum, { trades }) => sum + trades, 0)).toBe(found.perTrade.tradeCount);
    expect(found.byExitReason.reduce((sum, { totalProfit }) => sum + totalProfit, 0)).toBeCloseTo(found.finalBalance - 1000, 8);
    expect(found.perTrade.tradeCount).toBeGreaterThan(100);
    expect(found.equity).toHaveLength(11);
    expect(Object.keys(found.times)).toEqual(['loadMs', 'signalsMs', 'lookAheadMs', 'loopMs', 'quirksMs', 'reportMs']);
  });

  test('a figure that cannot be said is n/a and null, not -100', async () => {
    const once = strategyFile(
      'once.ts',
      'signals.enterLong.fill(0); signals.exitLong.fill(0); signals.enterLong[30] = 1; signals.exitLong[400] = 1;',
    );
    const { out } = await run({ stoploss: -0.9 }, '--strategy', once);
    expect(out.find((line) => line.startsWith('Sharpe'))).toMatch(/^Sharpe +n\/a +-?\d/u);
    expect(out.find((line) => line.startsWith('SQN'))).toMatch(/^SQN +n\/a$/u);
    const found = await report({ stoploss: -0.9 }, '--strategy', once);
    expect(found.perTrade).toMatchObject({ tradeCount: 1, sharpe: null, sortino: null, sqn: null });
    const none = await report({}, '--strategy', strategyFile('none.ts', 'signals.enterLong.fill(0);'));
    expect(none.perTrade).toMatchObject({ tradeCount: 0, sharpe: null, profitFactor: null, expectancyRatio: null });
  });

  test('the range is cut with both ends, and the warm-up lies before it', async () => {
    const found = await report({}, '--timerange', '20250305-20250307');
    expect([found.startTime, found.endTime]).toEqual([Date.UTC(2025, 2, 5), Date.UTC(2025, 2, 7)]);
  });

  test('realistic runs say which quirks changed the result', async () => {
    const tight = { trailing_stop: true, trailing_stop_positive: 0.001, trailing_stop_positive_offset: 0.002 };
    const found = await report(tight, '--realistic', 'Q11,Q17');
    expect(found.mode).toBe('realistic');
    expect(found.quirksOff.map(({ quirk, changesTrades }) => [quirk, changesTrades])).toEqual([
      ['Q11', true],
      ['Q17', false],
    ]);
    const parity = await report(tight);
    expect(found.parityBalance).toBe(parity.finalBalance);
    expect(found.quirksOff[0].balanceChange).toBeCloseTo(found.finalBalance - parity.finalBalance, 8);
    const all = await report({}, '--realistic', 'all');
    expect(all.quirksOff.map(({ quirk }) => quirk)).toEqual(
      Array.from({ length: 28 }, (_, i) => `Q${i + 1}`).filter((quirk) => quirk !== 'Q10'),
    );
    const { out } = await run(tight, '--realistic', 'Q11');
    expect(out[4]).toMatch(
      /^ {2}Q11 {2}switching it off alone changes the result by [+-]\d+\.\d+ USDT \(The high moves the trailing stop/u,
    );
  });

  test('a quirk that changes only what is counted is said to', async () => {
    const words = ['--pairs', 'BTC/USDT', 'ETH/USDT', '--timeframe', '15m', '--timeframe-detail', '5m', '--realistic', 'Q19'];
    const found = await report({ max_open_trades: 1 }, ...words);
    expect(found.quirksOff).toMatchObject([{ quirk: 'Q19', changesTrades: false, changesCounts: true, balanceChange: 0 }]);
    const { out } = await run({ max_open_trades: 1 }, ...words);
    expect(out[4]).toBe(
      '  Q19  switching it off alone changes what is counted, but no trade (With detail candles a rejected signal is counted at every step.)',
    );
  });

  test('Q1 off, the leverage of the configuration counts beside a callback', async () => {
    const perpetuals = join(folder, 'leveraged');
    writeTo(perpetuals, 'futures/BTC_USDT_USDT-5m-futures.csv', csvOf(sandboxCandles('BTC', 'futures', start, 2000, 5 * minute)));
    const file = strategyFile('twofold.ts', '', 'callbacks: { leverage: () => 2 },');
    const over = { trading_mode: 'futures', exchange_name: 'binance', leverage: 4, stoploss: -0.9 };
    const words = ['--strategy', file, '--pairs', 'BTC/USDT:USDT', '--datadir', perpetuals];
    const [twofold, fourfold] = [await report(over, ...words), await report(over, ...words, '--realistic', 'Q1')];
    expect(fourfold.quirksOff).toMatchObject([{ quirk: 'Q1', changesTrades: true }]);
    expect(fourfold.perTrade.tradeCount).toBe(twofold.perTrade.tradeCount);
    expect(fourfold.perTrade.totalVolume / twofold.perTrade.totalVolume).toBeCloseTo(2, 2);
  });

  test('a quirk that changes nothing is said to', async () => {
    const { out } = await run({}, '--realistic', 'Q1,Q6');
    expect(out.slice(4, 6).map((line) => line.slice(0, 27))).toEqual(['  Q1   changes nothing here', '  Q6   changes nothing here']);
  });

  test('a file of trades is the lines alone, each ended', async () => {
    const file = join(folder, 'trades.csv');
    await run({}, '--export-trades', file);
    expect(readFileSync(file, 'utf8')).toMatch(/^(?:BTC\/USDT,long,\d{13},\d{13},\d+\.\d{8},\d+\.\d{8},\d+\.\d{8},\w+,-?\d+\.\d{8}\n)+$/u);
    expect(await refused({}, '--export-trades', join(folder, 'no', 'such', 'trades.csv'))).toEqual([
      expect.stringContaining('The trades cannot be written to no/such/trades.csv (ENOENT'),
    ]);
  });

  test('built-in strategies go by name', async () => {
    const found = await report({}, '--strategy', 'EmaCross', '--timeframe', '15m');
    expect(found).toMatchObject({ strategy: 'EmaCross', timeframe: '15m' });
    expect(found.notes).toContain('BTC/USDT: the 15m candles are built from 5m.');
  });
});

test('funding comes from files of rates and mark prices, and its absence is said', async () => {
  const perpetuals = join(folder, 'perpetuals');
  const candles = sandboxCandles('BTC', 'futures', start, 2000, 5 * minute);
  writeTo(perpetuals, 'futures/BTC_USDT_USDT-5m-futures.csv', csvOf(candles));
  const file = join(folder, 'perpetual-trades.csv');
  const over = {
    trading_mode: 'futures',
    exchange_name: 'binance',
    markets: { '*': { amount_step: 0.001, tiers: [{ max_leverage: 20, maintenance_rate: 0.01 }] } },
  };
  const words = ['--pairs', 'BTC/USDT:USDT', '--datadir', perpetuals, '--export-trades', file];
  const without = await report(over, ...words);
  expect(without.notes).toEqual(['BTC/USDT:USDT: no funding is paid, because there is no 1h-funding_rate and no 1h-mark file.']);

  const hours = candles.filter(({ openTime }) => openTime % (60 * minute) === 0);
  const rateAt = (i: number): number => (i % 3 === 0 ? -0.0002 : 0.0005);
  writeTo(perpetuals, 'futures/BTC_USDT_USDT-1h-mark.csv', csvOf(hours));
  const rates = hours.map((hour, i) => ({ ...hour, open: rateAt(i), high: 0, low: 0, close: 0, volume: 0 }));
  writeTo(perpetuals, 'futures/BTC_USDT_USDT-1h-funding_rate.csv', csvOf(rates));
  const paid = await report(over, ...words);
  expect(paid.notes).toEqual([]);
  let owed = 0;
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const [, , opened, closed, , , amount] = line.split(',').map(Number);
    hours.forEach(({ openTime, open }, i) => (owed += openTime >= opened && openTime <= closed ? rateAt(i) * open * amount : 0));
  }
  expect(owed).toBeGreaterThan(0.1);
  expect(paid.finalBalance).toBeCloseTo(without.finalBalance - owed, 5);
});

describe('what is refused, in one sentence each, with exit code 2', () => {
  test('all faults of a configuration are reported together', async () => {
    expect(
      await refused({
        stake_amount: 'much',
        stop_loss: -0.1,
        telegramm: {},
        trading_mode: 'options',
        minimal_roi: { soon: 1 },
        exchange: { name: 'binance', pair_whitlist: [] },
        unfilledtimeout: { unit: 'hours' },
        order_types: { entry: 'stop' },
        protections: [{ method: 'Luck' }, { method: 'CooldownPeriod', stop_duration: 5, stop_duration_candles: 2 }],
        markets: { 'BTC/USDT': { amount_step: 0, lot: 1 } },
        pairlists: [{ method: 'VolumePairList' }],
      }),
    ).toEqual([
      '"trading_mode" must be "spot" or "margin" or "futures", and is "options".',
      '"protections[0].method" must be "CooldownPeriod" or "StoplossGuard" or "LowProfitPairs" or "MaxDrawdown", and is "Luck".',
      'A protection takes one of "stop_duration", "stop_duration_candles" and "unlock_at".',
      '"stake_amount" must be a number or "unlimited", and is "much".',
      '"minimal_roi" must be an object of minutes to ratios, such as { "0": 0.02 }, and is {"soon":1}.',
      '"unfilledtimeout.unit" must be "minutes" or "seconds", and is "hours".',
      '"order_types.entry" must be "limit" or "market", and is "stop".',
      'A backtest supports only "StaticPairList" in "pairlists": name the pairs in "exchange.pair_whitelist".',
      '"markets.BTC/USDT.amount_step" must be a number above 0, and is 0.',
      'The key "markets.BTC/USDT.lot" is not known.',
      'The key "exchange.pair_whitlist" is not known; is "exchange.pair_whitelist" meant?',
      'The key "stop_loss" is not known; is "stoploss" meant?',
      'The key "telegramm" is not known; is "telegram" meant?',
    ]);
  });

  test.each<[object, string]>([
    [{ stoploss: 0 }, 'The stoploss must be a ratio other than 0, for example -0.1.'],
    [{ stake_amount: 'unlimited', max_open_trades: -1 }, 'An unlimited stake needs a limit of open trades, to know by how many to divide.'],
    [{ trailing_stop: true, trailing_only_offset_is_reached: true }, 'Trailing only above the offset needs a positive trailing stop.'],
    [
      { trailing_stop: true, trailing_stop_positive: 0 },
      'A positive trailing stop of 0 would exit at once: leave it out or give a ratio above 0.',
    ],
    [
      { trailing_stop: true, trailing_stop_positive: 0.02, trailing_stop_positive_offset: 0.01 },
      'The trailing offset (0.01) must be above the positive trailing stop (0.02).',
    ],
    [{ order_types: { entry: 'market' }, entry_pricing: { price_side: 'same' } }, 'Market entries need the price side "other" or "ask".'],
    [{ order_types: { entry: 'market' } }, 'Market entries need "entry_pricing": { "price_side": "other" }.'],
    [{ order_types: { exit: 'market' }, exit_pricing: {} }, 'Market exits need "exit_pricing": { "price_side": "other" }.'],
    [{ stake_amount: 0.00001 }, '"stake_amount" must be at least 0.0001, and is 0.00001.'],
    [{ unfilledtimeout: { entry: 0 } }, '"unfilledtimeout.entry" must be a number of at least 1, and is 0.'],
    [{ unfilledtimeout: { exit: 0.5 } }, '"unfilledtimeout.exit" must be a number of at least 1, and is 0.5.'],
    [{ tradable_balance_ratio: -0.1 }, 'The tradable balance ratio must be from 0 to 1, and was -0.1.'],
    [{ stake_currency: 'EUR' }, 'BTC/USDT is not traded in the stake currency EUR.'],
    [{ trading_mode: 'futures' }, '"BTC/USDT" is not a futures pair; for example, BTC/USDT:USDT.'],
    [{ stake_amount: null }, '"stake_amount" is missing: give the stake of a trade, or "unlimited".'],
  ])('impossible settings: %j', async (over, sentence) => {
    expect(await refused(over)).toEqual([sentence]);
  });

  test.each<[string[], string]>([
    [['--strategy', 'NoSuch'], 'There is no strategy "NoSuch". Give the path of a file, or one of EmaCross, '],
    [['--strategy', './no/such.ts'], 'The strategy file ./no/such.ts does not exist.'],
    [['--datadir', '/no/such'], 'The folder /no/such does not exist.'],
    [['--config', '/no/such.json'], 'The configuration /no/such.json cannot be read (ENOENT'],
    [['--timerange', '2025'], 'The time range "2025" is not valid; use, for example, 20250401-20250701, 20250401- or -20250701.'],
    [['--timerange', '20250231-'], 'The time range "20250231-" is not valid; use, for example,'],
    [['--timerange', '20250401-20250301'], 'The time range 20250401-20250301 ends before it begins.'],
    [['--timerange', '20300101-'], 'No pair has a candle left after the range and the warm-up are taken off.'],
    [['--timeframe', '7m'], 'There is no timeframe "7m"; use one of 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d, 1w.'],
    [['--timeframe', '1m'], 'BTC/USDT: there are no candles in candles: neither BTC_USDT-1m.feather, .csv.gz, .csv nor a smaller'],
    [['--timeframe-detail', '15m'], 'The detail timeframe 15m must be smaller than the timeframe and divide it; the timeframe is 5m.'],
    [['--realistic', 'Q99'], 'There is no quirk Q99; use Q1 to Q29, or all.'],
    [['--realistic', 'Q10'], 'Q10 cannot be switched off: a candle does not show which came first, its high or its low; '],
    [['--pairs', 'BTCUSDT'], '"BTCUSDT" is not a spot pair; for example, BTC/USDT.'],
    [['--fast'], "Unknown option '--fast'."],
    [['--timefrmae', '5m'], "Unknown option '--timefrmae' (Did you mean --timeframe?)"],
    [['--json=yes'], "Unknown option '--json=yes'."],
    [['--json', 'yes'], 'Too many arguments. Expected 0 arguments but got 1: yes.'],
    [['--timerange'], "Option '--timerange <RANGE>' argument missing."],
    [['--timerange', '--json'], "Option '--timerange <RANGE>' argument '--json' is invalid. It needs a value."],
    [['--timerange='], "Option '--timerange <RANGE>' argument '' is invalid. It needs a value."],
    [['--timeframe', '5m', '--timeframe', '15m'], "Option '--timeframe <TIMEFRAME>' argument '15m' is invalid. It is given twice."],
  ])('words: %j', async (words, sentence) => {
    const found = await refused({}, ...words);
    expect(found.map((line) => line.slice(0, sentence.length))).toContain(sentence);
    expect(found).toHaveLength(1);
  });

  test('a tradable balance ratio of 0 is accepted, as by the reference, and nothing is traded', async () => {
    const { perTrade } = await report({ tradable_balance_ratio: 0 });
    expect(perTrade.tradeCount).toBe(0);
  });

  test('a configuration that is not JSON is refused by line', async () => {
    const file = writeTo(folder, 'broken.json', '{\n  // the stake\n  "stake_amount": 100,\n  "max_open_trades" 3\n}\n');
    expect(await refused({}, '--config', file)).toEqual([expect.stringMatching(/^broken\.json, line 4: this is not valid JSON \(/u)]);
  });
});

describe('a strategy at fault', () => {
  test.each<[string, string, string, string, string]>([
    [
      'throws',
      'if (candles.close.length > 1234) null.x = 1;',
      '',
      '',
      'Waves fails on BTC/USDT, first at the candle of 2025-03-07 06:50 (number 1234): Cannot set properties of null',
    ],
    [
      'short',
      'signals.exitLong = signals.exitLong.slice(0, 2000);',
      '',
      '',
      'Waves returns 2000 rows of exitLong for the 3000 candles of BTC/USDT; the first candle without one is that of 2025-03-09 22:40.',
    ],
    ['missing', 'delete signals.enterShort;', '', '', 'Waves returns no column enterShort on BTC/USDT.'],
    [
      'nan',
      'signals.enterLong = Float64Array.from(signals.enterLong); signals.enterLong[70] = NaN;',
      '',
      '',
      'Waves returns NaN for enterLong on BTC/USDT at the candle of 2025-03-03 05:50 (number 70), and must return 0 or 1.',
    ],
    [
      'indicator',
      'signals.indicators = { fast: new Float64Array(7) };',
      '',
      '',
      'Waves returns 7 rows of indicators.fast for the 3000 candles of BTC/USDT; the first candle without one is that of 2025-03-03 00:35.',
    ],
    [
      'tags',
      'signals.enterTag = new Uint8Array(3000); signals.enterTag[5] = 1;',
      '',
      '',
      'Waves returns tag 1 as enterTag on BTC/USDT at the candle of 2025-03-03 00:25, and has 0 tags.',
    ],
    [
      'sorts',
      'const lowest = candles.close.sort()[0]; signals.indicators = { lowest: new Float64Array(3000).fill(lowest) };',
      '',
      '',
      'Waves changes the candles of BTC/USDT that it was given: close of the candle of 2025-03-03 00:00 (number 0) was ',
    ],
    [
      'ahead',
      'for (let i = 0; i < 3000; i++) signals.enterLong[i] = candles.close[i + 1] > candles.close[i] * 1.002 ? 1 : 0;',
      '',
      '',
      'Waves looks ahead: on BTC/USDT enterLong of the candle of ',
    ],
    [
      'lowest',
      'const bottom = Math.min(...candles.low); signals.exitLong = signals.exitLong.map((_, i) => candles.low[i] < bottom * 1.01 ? 1 : 0);',
      '',
      '',
      'Waves looks ahead: on BTC/USDT exitLong of the candle of ',
    ],
    [
      'stake',
      '',
      'callbacks: { stake: () => NaN },',
      '',
      'Waves: the callback stake returns NaN on BTC/USDT at the candle of 2025-03-03 02:35, and must return a number.',
    ],
    [
      'exit',
      '',
      'callbacks: { customExit: ({ trade }) => trade.nothing.there },',
      '',
      'Waves: the callback customExit fails on BTC/USDT at the candle of 2025-03-03 02:35: Cannot read properties of undefined',
    ],
    [
      'callback',
      '',
      'callbacks: { custom_stake: () => 1 },',
      '',
      'callback.ts: there is no callback "custom_stake"; the callbacks are leverage, stake, ',
    ],
    ['shape', '', 'canShort: 1, startupCandles: -1, parameters: { fast: {} },', '', 'shape.ts: "canShort" must be true or false.'],
    [
      'import',
      '',
      '',
      "import { x } from './no-such.ts'; export const y = x;",
      'The strategy file import.ts cannot be loaded: Cannot find module',
    ],
  ])('%s', async (name, change, more, head, sentence) => {
    const found = await refused({}, '--strategy', strategyFile(`${name}.ts`, change, more, head));
    expect(found[0].slice(0, sentence.length)).toBe(sentence);
    expect(found).toHaveLength(name === 'shape' ? 3 : 1);
  });

  test('a change of a position is a number, or stake and tag', async () => {
    const file = strategyFile('adjust.ts', '', 'callbacks: { adjustPosition: () => ({ stake: 5, tag: 7 }) },', '');
    expect(await refused({ position_adjustment_enable: true }, '--strategy', file)).toEqual([
      'Waves: the callback adjustPosition returns {"stake":5,"tag":7} on BTC/USDT at the candle of 2025-03-03 02:35, and must return a number, { stake, tag } or null.',
    ]);
  });

  test('a file with several strategies needs a name', async () => {
    const one = readFileSync(strategyFile('one.ts', ''), 'utf8').replace('export default {', 'export const first = {');
    const file = writeTo(folder, 'two.ts', `${one}\nexport const second = { ...first, name: 'Second' };\n`);
    expect(await refused({}, '--strategy', file)).toEqual([`two.ts exports several strategies; choose one: two.ts#first, two.ts#second.`]);
    expect((await report({}, '--strategy', `${file}#second`)).strategy).toBe('Second');
    expect(await refused({}, '--strategy', `${file}#third`)).toEqual(['two.ts exports nothing named "third".']);
  });
});

describe('lookahead', () => {
  async function search(strategy: string, ...words: string[]) {
    const out: string[] = [];
    const code = await lookaheadCommand(
      ['--strategy', strategy, '--datadir', datadir, ...words],
      (line) => out.push(line),
      (line) => out.push(line),
    );
    return { code, out };
  }

  test('one that does not is said to be clean, on all pairs of the folder', async () => {
    expect(await search('EmaCross')).toEqual({
      code: 0,
      out: [
        'BTC/USDT: none in 3000 candles of 5m.',
        'ETH/USDT: none in 3000 candles of 5m.',
        'EmaCross was not found to use later candles.',
      ],
    });
  });

  test('the first candle that differs is named', async () => {
    // It knows a fall of the next candle, and acts on it only once in a while.
    const file = strategyFile(
      'rare.ts',
      'for (let i = 0; i < 3000; i++) signals.exitLong[i] = i === 777 && candles.close[i + 1] > 0 ? 1 : 0;',
    );
    expect(await search(file, '--pairs', 'ETH/USDT')).toEqual({
      code: 1,
      out: [
        'Waves looks ahead: on ETH/USDT exitLong of the candle of 2025-03-05 16:45 (number 777) is 0 when the candles up to 2025-03-05 16:45 are known, and 1 when later ones are.',
      ],
    });
  });

  test('what is wrong is said', async () => {
    expect(await search('NoSuch')).toMatchObject({ code: 2 });
    expect(await search('EmaCross', '--pairs', 'XRP/USDT')).toMatchObject({ code: 2 });
  });
});
