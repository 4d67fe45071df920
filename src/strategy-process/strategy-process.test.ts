import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { signalRowAt } from '#engine/bot/signal-row.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { copyColumns, sliceColumns } from '#engine/market/candle.ts';
import { rsiReversal } from '#strategies/rsi-reversal.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import type { Listener } from './connection.ts';
import { NotAsked } from './not-asked.ts';
import { StrategyError } from './strategy-error.ts';
import { encodeFrame } from './wire/frames.ts';
import { wallsOfSystem } from './child-command.ts';
import { StrategyProcess } from './strategy-process.ts';
import { swingingCandles } from './testing/candles.ts';
import type { StrategyParts } from './testing/strategy-text.ts';
import { strategyText } from './testing/strategy-text.ts';
import { patienceMs as machinePatienceMs } from '../../test/support/patience.ts';
import { signalsOfBytes } from './wire/column-bytes.ts';
import type { Loaded, SourceFiles } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';

/** A strategy process gives way to all others, so that one with much to do takes long on a busy machine. */
const patienceMs = 3 * machinePatienceMs;
const walls = wallsOfSystem();
const candles = swingingCandles(500);
const given = { own: { candles } };
const of = { exportName: 'default', parameters: { period: 10 }, symbol: 'BTC/USDT' };
const started: StrategyProcess[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-strategies-'));
});
afterEach(() => Promise.all(started.splice(0).map((each) => each.end())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(files: SourceFiles): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function start(): StrategyProcess {
  const strategy = new StrategyProcess({ node: process.execPath, walls, folder });
  started.push(strategy);
  return strategy;
}

async function load(file: string, deadlineMs = patienceMs): Promise<{ strategy: StrategyProcess; loaded: Loaded }> {
  const strategy = start();
  const { answer } = await strategy.ask('load', { source: { folder, file } }, deadlineMs);
  return { strategy, loaded: answer };
}

async function loaded(parts: StrategyParts = {}): Promise<StrategyProcess> {
  write({ 'mine.ts': strategyText(parts) });
  return (await load('mine.ts')).strategy;
}

/** The sentence with which loading a text fails, or with which its row of the newest candle does. */
async function faultOf(text: string | StrategyParts, deadlineMs = patienceMs): Promise<string> {
  write({ 'mine.ts': typeof text === 'string' ? text : strategyText(text) });
  const strategy = start();
  const failed = (error: Error): string => error.message;
  const atLoad = await strategy.ask('load', { source: { folder, file: 'mine.ts' } }, deadlineMs).then(() => null, failed);
  return atLoad ?? (await strategy.ask('row', of, deadlineMs, given).then(() => 'nothing failed', failed));
}

describe('a strategy in a process of its own', () => {
  test('says what it is, and every file it is made of', async () => {
    write({
      'lines/slope.ts': `export const steep = 3;`,
      'mine.ts': strategyText({
        before: `import { steep } from './lines/slope.ts';`,
        callbacks: `customExit: () => (steep > 3 ? 'steep' : null), stopAfterFill: true,`,
      }),
    });
    const { loaded: found } = await load('mine.ts');
    expect(Object.keys(found.files).sort()).toEqual(['lines/slope.ts', 'mine.ts']);
    expect(found.files['lines/slope.ts']).toBe('export const steep = 3;');
    expect(found.strategies).toEqual([
      expect.objectContaining({
        exportName: 'default',
        name: 'Above',
        title: 'Above the average',
        startupCandles: 20,
        callbacks: ['customExit'],
        stopAfterFill: true,
      }),
    ]);
  });

  test('answers the same from the texts that were kept of it, when its files are gone', async () => {
    write({ 'a/one.ts': `export { two } from '../two.ts';`, 'two.ts': 'export const two = 2;' });
    write({ 'mine.ts': strategyText({ before: `import { two } from './a/one.ts';`, compute: 'signals.exitLong[count - 1] = two - 1;' }) });
    const { strategy, loaded: found } = await load('mine.ts');
    const before = await strategy.ask('row', of, patienceMs, given);
    rmSync(join(folder, 'two.ts'));
    const again = new StrategyProcess({ node: process.execPath, walls, folder: null });
    started.push(again);
    await again.ask('load', { source: { files: found.files, file: 'mine.ts' } }, patienceMs);
    expect(await again.ask('row', of, patienceMs, given)).toEqual(before);
    expect(before.answer).toMatchObject({ exitLong: true, enterTag: before.answer.enterLong ? 'above' : null });
  });

  test('gives the rows and columns that the same code gives in the product', async () => {
    write({ 'reversal.ts': `export { rsiReversal } from '#strategies/rsi-reversal.ts';` });
    const { strategy } = await load('reversal.ts');
    const parameters = defaultParameters(rsiReversal);
    const here = rsiReversal.compute(candles, parameters);
    const ask = { exportName: 'rsiReversal', parameters, symbol: 'BTC/USDT' };
    const { answer: head, body: columns } = await strategy.ask('columns', ask, patienceMs, given);
    expect(signalsOfBytes(head, columns)).toEqual(here);
    const { answer: row } = await strategy.ask('row', ask, patienceMs, given);
    expect(row).toMatchObject(signalRowAt(here, 499));
    expect(Object.keys(row.values ?? {}).length).toBeGreaterThan(0);
    expect(row.near?.length).toBeGreaterThan(0);
  });

  test('answers callbacks, is shown the whole trade, and changes a copy of it', async () => {
    const trade = aTrade({ id: 7 });
    const strategy = await loaded({
      callbacks: `customStop: ({ trade, price }) => { const before = trade.stop; trade.stop = 1e9; trade.orders.length = 0; return before / price; },
        confirmEntry: ({ symbol }) => symbol === 'BTC/USDT',`,
    });
    const question = { trade, time: 5, price: 200, profitRatio: 0.1, afterFill: false };
    const ask = (callback: 'customStop' | 'confirmEntry', asked: unknown) =>
      strategy.ask('callback', { exportName: 'default', callback, question: asked }, patienceMs);
    const { stop, orders } = structuredClone(trade);
    expect((await ask('customStop', question)).answer).toEqual({ value: stop / 200 });
    expect(trade).toMatchObject({ stop, orders });
    expect((await ask('confirmEntry', { symbol: 'BTC/USDT', time: 1 })).answer).toEqual({ value: true });
  });

  test('a hundred questions at once are answered in their sequence', async () => {
    const strategy = await loaded();
    const rows = await Promise.all(
      Array.from({ length: 100 }, (_, i) => strategy.ask('row', { ...of, parameters: { period: 2 + (i % 40) } }, patienceMs, given)),
    );
    expect(strategy.load).toBe(0);
    expect(new Set(rows.map(({ answer }) => answer.values?.['average'])).size).toBe(40);
    expect(rows[3]).toEqual(rows[43]);
  });

  test('candles arrive whole whatever comes before them: a callback, or the candles of its pair', async () => {
    const strategy = await loaded({ callbacks: 'roi: () => 0.5,' });
    const fresh = await loaded();
    const reading = (count: number, i: number): [pair: string, given: CandlesOfQuestion] => {
      const [pair, beside] = [`pair ${i}`, `pair ${(i + 1) % 5}`];
      const window = (start: number) => ({ candles: copyColumns(sliceColumns(candles, start, count)) });
      const [own, other] = [window(i), window((i + 1) % 5)];
      return [pair, { own: { ...own, series: pair }, others: { other: { ...other, series: beside } } }];
    };
    const rounds = [300, 301, 302].flatMap((count) => [0, 1, 2, 3, 4].map((i) => reading(count, i)));
    const order: string[] = [];
    const rows = rounds.map(async ([pair, of5], i) => {
      const answered = await strategy.ask('row', of, patienceMs, of5, pair);
      order.push(`${pair} ${i}`);
      return answered;
    });
    const question = { exportName: 'default', callback: 'roi' as const, question: null };
    const asked = ['pair 3', 'pair 1', 'nobody'].map(async (pair) => {
      await strategy.ask('callback', question, patienceMs, undefined, pair);
      order.push(pair);
    });
    const whole = await Promise.all(rounds.map(([, { own }]) => fresh.ask('row', of, patienceMs, { own: { candles: own.candles } })));
    await Promise.all(asked);
    expect(await Promise.all(rows)).toEqual(whole);
    expect(strategy.isOver).toBe(false);
    // The first was being answered already. Then what the callbacks may depend on, each as it was asked.
    const before = ['pair 3 3', 'pair 3 8', 'pair 3 13', 'pair 3', 'pair 1 1', 'pair 1 6', 'pair 1 11', 'pair 1', 'nobody'];
    expect(order.slice(0, 10)).toEqual(['pair 0 0', ...before]);
    expect(order.slice(10)).toEqual(['pair 2 2', 'pair 4 4', 'pair 0 5', 'pair 2 7', 'pair 4 9', 'pair 0 10', 'pair 2 12', 'pair 4 14']);
  });

  test('candles of a named series go over once, however the questions between end', async () => {
    const strategy = await loaded({ compute: `if (period === 3) { candles.close[0] = 1; } if (period === 4) throw new Error('no idea');` });
    const fresh = await loaded();
    const ask = (process: StrategyProcess, window: CandleColumns, period = 10, exportName = 'default') =>
      process.ask('row', { ...of, exportName, parameters: { period } }, patienceMs, {
        own: { candles: window, series: 'sandbox BTC/USDT' },
      });
    const part = (from: number, to: number): CandleColumns => copyColumns(sliceColumns(candles, from, to));
    const expectSame = async (window: CandleColumns): Promise<void> => {
      const whole = await fresh.ask('row', of, patienceMs, { own: { candles: window } });
      expect(await ask(strategy, window)).toEqual(whole);
    };
    await expectSame(part(0, 300));
    await expectSame(part(1, 301));
    await expect(ask(strategy, part(2, 302), 3)).rejects.toThrow('changes the candles');
    await expect(ask(strategy, part(3, 303), 4)).rejects.toThrow('no idea');
    await expect(ask(strategy, part(4, 304), 10, 'other')).rejects.toThrow('There is no strategy other in this file.');
    await expectSame(part(5, 305));
    await expectSame(part(0, 306)); // the window has grown
    const corrected = part(1, 307);
    corrected.close[300] = 250;
    await expectSame(corrected);
    await expectSame(part(2, 308)); // and is as it was again
  });

  test('candles of other pairs come by the names that the strategy has for them, and must not be changed either', async () => {
    const reads = `compute(candles, { period }, others) {
      const count = candles.close.length;
      const line = new Float64Array(count).fill(others['BTC/USDT']?.close.at(-1) ?? -1);
      if (period === 3) others['BTC/USDT'].close[0] = 1;
      return noSignals(count, { line });
    },`;
    const strategy = await loaded({ fields: reads });
    const ask = (period: number) =>
      strategy.ask('row', { ...of, symbol: 'ETH/USDT', parameters: { period } }, patienceMs, {
        own: { candles, series: 'ETH/USDT' },
        others: { 'BTC/USDT': { candles: sliceColumns(candles, 0, 400), series: 'BTC/USDT' } },
      });
    expect((await ask(10)).answer.values).toEqual({ line: Number(candles.close[399].toPrecision(6)) });
    await expect(ask(3)).rejects.toThrow(
      'Above changes the candles of BTC/USDT that it was given: close of the candle of 2025-04-04 00:00 (number 0)',
    );
    expect((await ask(10)).answer.values).toBeDefined();
  });

  test('is tried: twice the same, no look-ahead, and what it costs', async () => {
    const strategy = await loaded();
    const { answer } = await strategy.ask('try', of, patienceMs, given);
    expect(answer.computeMs).toBeGreaterThan(0);
    expect(answer.memoryMb).toBeGreaterThan(20);
  });
});

describe('what is wrong with it is one sentence, and the process answers on', () => {
  test.each<[string, string | StrategyParts, RegExp]>([
    ['a syntax error', 'export default {{;', /^mine\.ts cannot be loaded: .+\(mine\.ts, line 1\)\.$/u],
    ['a file that exports nothing', 'export {};', /^mine\.ts exports no strategy/u],
    ['an object that is not a strategy', 'export default { name: 5, compute() {} };', /^mine\.ts: "name" must be a text\./u],
    ['a fault in a field', { fields: 'startupCandles: -1,' }, /^mine\.ts: "startupCandles" must be a whole number of at least 0\.$/u],
    ['other pairs in the way of before', { fields: `otherPairs: ['ETH/USDT'],` }, /^mine\.ts: "otherPairs" is said as "series"/u],
    ['a series that is none', { fields: `series: { timeframe: '1h' } as never,` }, /^mine\.ts: "series" must be a list such as/u],
    ['a series without anything', { fields: `series: [{}],` }, /^mine\.ts: "series", entry 1 needs a "symbol" or a "timeframe"\.$/u],
    ['a field of a series', { fields: `series: [{ timeframe: '1h', pair: 'x' }] as never,` }, /entry 1 has "pair", which is not known/u],
    [
      'a pair of a series',
      { fields: `series: [{ timeframe: '1h' }, { symbol: '{base}' }],` },
      /entry 2: "symbol" must be a pair such as BTC\/USDT/u,
    ],
    ['a timeframe of a series', { fields: `series: [{ timeframe: '7m' }] as never,` }, /entry 1: "timeframe" must be one of 1m, /u],
    [
      'a warm-up of a series',
      { fields: `series: [{ timeframe: '1h', startupCandles: 0.5 }],` },
      /entry 1: "startupCandles" must be a whole number/u,
    ],
    [
      'a shorter series',
      { fields: `series: [{ timeframe: '1m' }],` },
      /^mine\.ts: "series": Above reads candles of 1m, which cannot be made of candles of 5m\.$/u,
    ],
    [
      'a series that needs too much',
      { fields: `series: [{ timeframe: '1d', startupCandles: 30 }],` },
      /Above needs 8928 candles of 5m before the first that counts; the most are 5000\.$/u,
    ],
    [
      'too many series',
      { fields: `series: Array.from({ length: 13 }, () => ({ timeframe: '1h' })),` },
      /"series" may have 12 entries at most, and has 13\.$/u,
    ],
    ['an import that is not there', { before: `import './gone.ts';` }, /gone\.ts does not exist/u],
    [
      'an import of a package',
      { before: `import 'ccxt';` },
      /^mine\.ts imports ccxt: a strategy may import #engine\/\.\.\., #strategies\/\.\.\. and files of its own folder\./u,
    ],
    ['an import of the network', { before: `import net from 'node:net'; net.connect(80);` }, /imports node:net/u],
    ['an import of the file system', { before: `import { readFileSync } from 'fs'; readFileSync('/etc/passwd');` }, /imports fs/u],
    [
      'an import by way of the engine',
      { before: `import { readKey } from '#engine/../vault/master-key.ts'; readKey;` },
      /^mine\.ts imports #engine\/\.\.\/vault\/master-key\.ts: a strategy may import/u,
    ],
    [
      'an import by way of the built-in strategies',
      { before: `import '#strategies/../package.json';` },
      /^mine\.ts imports #strategies\/\.\.\/package\.json: a strategy may import/u,
    ],
    ['an import from outside the folder', { before: `import '../../etc/passwd';` }, /imports \.\.\/\.\.\/etc\/passwd/u],
    ['a socket', { before: `fetch('http://127.0.0.1:1');` }, /fetch is not defined/u],
    ['the environment', { before: `export const home = process.env.HOME;` }, /process is not defined/u],
    ['an exit', { compute: `process.exit(0);` }, /process is not defined/u],
    ['a timer', { before: `setTimeout(() => { for (;;); }, 1);` }, /setTimeout is not defined/u],
    ['the clock', { compute: `signals.enterLong[0] = Date.now() % 2;` }, /a strategy must not read the clock/u],
    ['the clock in another way', { compute: `new Date();` }, /a strategy must not read the clock/u],
    ['chance', { compute: `signals.enterLong[0] = Math.random() < 0.5 ? 1 : 0;` }, /a strategy must not use chance/u],
    [
      'a thrown string',
      { compute: `throw 'just so';` },
      /^Above fails on BTC\/USDT, first at the candle of 2025-04-04 00:00 \(number 0\): just so\.$/u,
    ],
    [
      'a failure at the 400th candle',
      { compute: `if (count > 399) throw new Error('too much');` },
      /first at the candle of 2025-04-05 09:15 \(number 399\): too much \(mine\.ts, line \d+\)\.$/u,
    ],
    [
      'columns of the wrong length',
      { compute: `signals.enterLong = new Uint8Array(3);` },
      /returns 3 rows of enterLong for the 500 candles/u,
    ],
    ['flags that are no flags', { compute: `signals.exitLong = new Float64Array(count).fill(NaN) as never;` }, /returns NaN for exitLong/u],
    ['a tag of a megabyte', { compute: `signals.tags = ['x'.repeat(1e6)];` }, /has a tag of 1000000 characters; the longest may have 255/u],
    ['a tag that is not there', { compute: `signals.enterTag[9] = 7;` }, /returns tag 7 as enterTag/u],
    [
      'changed candles',
      { compute: `candles.close[5] = 1;` },
      /changes the candles of BTC\/USDT that it was given: close of the candle of 2025-04-04 00:25/u,
    ],
    [
      'more memory in arrays than it may have',
      { compute: `const all = []; for (;;) all.push(new Float64Array(5e6).fill(1));` },
      /Array buffer allocation failed|more memory than it may/u,
    ],
  ])('%s', async (_, text, sentence) => {
    expect(await faultOf(text)).toMatch(sentence);
  });

  test('a link that leads out of the folder is not followed', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'flotilla-outside-'));
    try {
      writeFileSync(join(outside, 'secret.ts'), 'export const secret = 1;');
      const link = join(folder, 'link.ts');
      if (!existsSync(link)) symlinkSync(join(outside, 'secret.ts'), link);
      expect(await faultOf({ before: `import './link.ts';` })).toMatch(/link\.ts lies outside its folder/u);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test('a strategy that looks ahead, and one that says something else at the second time', async () => {
    const ahead = await loaded({ compute: `for (let i = 0; i + 1 < count; i++) signals.enterLong[i] = close[i + 1] > close[i] ? 1 : 0;` });
    await expect(ahead.ask('try', of, patienceMs, given)).rejects.toThrow(/^Above looks ahead: on BTC\/USDT enterLong of the candle/u);
    const nextHour = await loaded({
      before: `import { aligned } from '#engine/strategy/series.ts';`,
      fields: `series: [{ symbol: '{base}/BTC', timeframe: '1h' }],
        compute(candles, _, others) {
          const { candles: hours, rows } = aligned(candles, others, { symbol: '{base}/BTC', timeframe: '1h' });
          const signals = noSignals(rows.length);
          for (let i = 0; i < rows.length; i++) signals.enterLong[i] = hours.close[rows[i] + 1] > 100 ? 1 : 0;
          return signals;
        },`,
    });
    const withOther = { ...given, others: { '{base}/BTC': { candles: swingingCandles(500) } } };
    await expect(nextHour.ask('try', of, patienceMs, withOther)).rejects.toThrow(
      /^Above looks ahead: on BTC\/USDT enterLong of the candle/u,
    );
    const moody = await loaded({ before: 'let turn = 0;', compute: 'signals.exitLong[3] = turn++ % 2;' });
    await expect(moody.ask('try', of, patienceMs, given)).rejects.toThrow(
      'Above gives another answer for the same candles at the second time: exitLong differs on BTC/USDT.',
    );
  });

  test('a callback that fails or gives nonsense', async () => {
    const strategy = await loaded({
      callbacks: `customExit: () => { throw new Error('no idea'); }, customStop: () => 'far' as never, roi: () => Number.NaN, confirmExit: () => 1 as never, stake: () => Infinity,`,
    });
    const ask = (callback: 'customExit' | 'customStop' | 'roi' | 'confirmExit' | 'stake' | 'leverage') =>
      strategy.ask('callback', { exportName: 'default', callback, question: { trade: aTrade(), time: 0 } }, patienceMs);
    await expect(ask('customExit')).rejects.toThrow(/^Above: the callback customExit fails on .+: no idea \(mine\.ts, line \d+\)\.$/u);
    await expect(ask('customStop')).rejects.toThrow(/returns "far" .+ and must return a number or null\.$/u);
    await expect(ask('roi')).rejects.toThrow('returns NaN');
    await expect(ask('confirmExit')).rejects.toThrow('must return a boolean');
    await expect(ask('stake')).rejects.toThrow('returns Infinity');
    await expect(ask('leverage')).rejects.toThrow('The strategy has no callback leverage.');
    expect((await strategy.ask('row', of, patienceMs, given)).answer.values).toBeDefined();
  });

  test('a text that no database can keep is cleaned: it is not a reason to leave a trade alone', async () => {
    const strategy = await loaded({
      compute: `signals.tags = ['up \\ud83d', 'do\\0wn']; signals.enterTag = new Uint8Array(count).fill(1); signals.exitTag = new Uint8Array(count).fill(2); signals.enterLong.fill(1);`,
      callbacks: `customExit: () => 'en\\0ough \\ud83d', adjustPosition: () => ({ stake: 5, tag: '\\ude00more' }),`,
    });
    const { answer } = await strategy.ask('row', of, patienceMs, given);
    expect(answer).toMatchObject({ enterTag: 'up \ufffd', exitTag: 'down' });
    const ask = async (callback: 'customExit' | 'adjustPosition') =>
      (await strategy.ask('callback', { exportName: 'default', callback, question: { trade: aTrade(), time: 0 } }, patienceMs)).answer
        .value;
    expect(await ask('customExit')).toBe('enough \ufffd');
    expect(await ask('adjustPosition')).toEqual({ stake: 5, tag: '\ufffdmore' });
  });

  test('a gigabyte of prints is read by nobody', async () => {
    const strategy = await loaded({ compute: `const line = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) console.log(line);` });
    expect((await strategy.ask('row', of, patienceMs, given)).answer.values).toBeDefined();
  });
});

describe('what ends the process is one sentence too', () => {
  const shortMs = 1_500;
  const late = 'The strategy gave no answer for 1.5 s; its process was ended.';

  test('an endless loop at load, at the 400th candle and in a callback', async () => {
    expect(await faultOf('for (;;);', shortMs)).toBe(late);
    expect(await faultOf({ compute: 'if (count >= 400) for (;;);' }, shortMs)).toBe(late);
    const strategy = await loaded({ callbacks: 'customExit: () => { for (;;); }' });
    const exit = { exportName: 'default', callback: 'customExit' as const, question: { trade: aTrade(), time: 0 } };
    const asked = strategy.ask('callback', exit, shortMs);
    const behind = strategy.ask('row', of, shortMs, given); // waits for its turn, and fails with the reason
    await expect(asked).rejects.toThrow(late);
    await expect(behind).rejects.toThrow(late);
    expect(strategy.isOver).toBe(true);
    await expect(strategy.ask('row', of, shortMs, given)).rejects.toThrow(late);
  });

  test('promises without end', async () => {
    // Each is free again before the next: who kept them all would run out of memory, on a quick machine before the deadline.
    expect(await faultOf({ before: 'for (;;) await null;' }, shortMs)).toBe(late);
  });

  test('more memory than the heap may have', async () => {
    expect(
      await faultOf({ compute: `const all: string[][] = []; for (;;) all.push(Array.from({ length: 1e5 }, (_, i) => 'x' + i));` }),
    ).toBe('The strategy used more memory than it may; its process has ended.');
  });

  test('a kill between question and answer', async () => {
    const strategy = await loaded({ callbacks: 'customExit: () => { for (;;); }' });
    const exit = { exportName: 'default', callback: 'customExit' as const, question: { trade: aTrade(), time: 0 } };
    const asked = strategy.ask('callback', exit, patienceMs);
    process.kill(strategy.pid!, 'SIGKILL');
    await expect(asked).rejects.toThrow('The strategy’s process has ended by itself (by SIGKILL).');
  });

  test('a program that is not there', async () => {
    const strategy = new StrategyProcess({ node: '/nowhere/node', walls: { network: false, memory: false }, folder });
    await expect(strategy.ask('row', of, patienceMs, given)).rejects.toThrow(
      'The strategy’s process could not be started: spawn /nowhere/node ENOENT.',
    );
  });
});

describe.skipIf(process.platform !== 'linux')('the walls', () => {
  test('it has no environment, a lower priority, and ends with whoever started it', async () => {
    const strategy = await loaded();
    const environment = readFileSync(`/proc/${strategy.pid}/environ`, 'utf8')
      .split('\0')
      .filter((each) => each !== '');
    const names = environment.map((each) => each.split('=')[0]).filter((name) => name !== 'PWD'); // the shell's own
    expect(names.sort()).toEqual(['PATH', 'TZ']);
    const nice = Number(readFileSync(`/proc/${strategy.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]);
    expect(nice).toBeGreaterThan(0);
    const pid = strategy.pid!;
    await strategy.end();
    while (existsSync(`/proc/${pid}`)) await sleep(10);
  });

  test.skipIf(!walls.network)('it has no network', async () => {
    const strategy = await loaded();
    const devices = readFileSync(`/proc/${strategy.pid}/net/dev`, 'utf8');
    expect(devices).toContain('lo:');
    expect(devices.trim().split('\n').length).toBe(3); // two lines above, and the loopback, which is down
  });
});

test('nothing is asked of a process that is being ended, also where an answer comes after all', async () => {
  let listener: Listener | null = null;
  const sent: number[] = [];
  const process = new StrategyProcess((given) => {
    listener = given;
    return { pid: undefined, send: (bytes) => sent.push(bytes.length), kill: () => undefined };
  });
  const slow = process.ask('callback', { exportName: 'default', callback: 'roi', question: null }, 1);
  const next = process.ask('callback', { exportName: 'default', callback: 'roi', question: null }, 60_000).catch((error: unknown) => error);
  await expect.poll(() => process.isOver).toBe(true); // it was late
  listener!.data(encodeFrame({ id: 1, answer: { value: 1 } }));
  listener!.ended(new StrategyError('It is gone.'));
  expect((await slow).answer).toEqual({ value: 1 });
  expect([await next, sent.length]).toEqual([expect.any(NotAsked), 1]);
});
