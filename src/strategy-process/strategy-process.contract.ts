import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { patienceMs } from '../../test/support/patience.ts';
import type { StrategyProcess } from './strategy-process.ts';
import { swingingCandles } from './testing/candles.ts';
import { signalsOfBytes } from './wire/column-bytes.ts';

/** A language that strategies are written in, with texts that do the same in each. */
export interface Language {
  start: (folder: string) => StrategyProcess;
  file: string; // of the strategy below
  exportName: string;
  /**
   * A strategy that enters with the tag `up` where a candle closes above the one before, leaves where below; imports its limit of 0.5 from
   * another file; leaves with `enough` above that profit, and fails in its `confirmEntry`.
   */
  files: Readonly<Record<string, string>>;
  failing: string; // a text whose third line fails when it is loaded
  endless: string; // a text that is never loaded to its end
}

const candles = swingingCandles(300);
const { close } = candles;
const count = close.length;

/** What a strategy process does, whatever its strategy is written in. */
export function keepsTheContract({ start, file, exportName, files, failing, endless }: Language): void {
  const started: StrategyProcess[] = [];
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-contract-'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  });
  afterEach(() => Promise.all(started.splice(0).map((each) => each.end())));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const begin = (): StrategyProcess => {
    const strategy = start(folder);
    started.push(strategy);
    return strategy;
  };
  const loaded = async (): Promise<StrategyProcess> => {
    const strategy = begin();
    await strategy.ask('load', { source: { folder, file } }, patienceMs);
    return strategy;
  };
  const of = { exportName, parameters: {}, symbol: 'BTC/USDT' };

  test('it says what the strategy is, and every file it is made of', async () => {
    const { answer } = await begin().ask('load', { source: { folder, file } }, patienceMs);
    expect(answer.files).toEqual(files);
    expect(answer.strategies).toEqual([
      expect.objectContaining({
        exportName,
        name: 'Steps',
        canShort: false,
        startupCandles: 2,
        series: [],
        parameters: {},
        stopAfterFill: false,
        defaults: expect.objectContaining({ timeframe: '5m', stoploss: -0.05, minimalRoi: { 0: 0.02 }, trailingStop: false }),
      }),
    ]);
    expect([...(answer.strategies[0]?.callbacks ?? [])].sort()).toEqual(['confirmEntry', 'customExit']);
  });

  test('all rows, and the row of the newest candle, are what the strategy says of them', async () => {
    const strategy = await loaded();
    const { answer: head, body } = await strategy.ask('columns', of, patienceMs, { own: { candles } });
    const signals = signalsOfBytes(head, body);
    expect([...signals.enterLong]).toEqual([...close].map((price, i) => (i > 0 && price > close[i - 1] ? 1 : 0)));
    expect([...signals.exitLong]).toEqual([...close].map((price, i) => (i > 0 && price < close[i - 1] ? 1 : 0)));
    expect(signals.indicators['step']?.[count - 1]).toBe(close[count - 1] - close[count - 2]);
    for (let end = count - 20; end <= count; end++) {
      const { answer: row } = await strategy.ask('row', of, patienceMs, { own: { candles: sliceColumns(candles, 0, end) } });
      const isUp = close[end - 1] > close[end - 2];
      expect(row).toMatchObject({
        enterLong: isUp,
        exitLong: close[end - 1] < close[end - 2],
        enterTag: isUp ? 'up' : null,
        exitTag: null,
      });
    }
  });

  test('candles that were sent are not sent again: the answers are the same', async () => {
    const [once, whole] = [await loaded(), await loaded()];
    for (let end = 100; end < count; end += 7) {
      const window = sliceColumns(candles, end - 90, end);
      const sent = await once.ask('row', of, patienceMs, { own: { candles: window, series: 'BTC/USDT' } });
      expect(sent.answer).toEqual((await whole.ask('row', of, patienceMs, { own: { candles: window } })).answer);
      const columns = await once.ask('columns', of, patienceMs, { own: { candles: window, series: 'BTC/USDT' } });
      expect(columns).toEqual(await whole.ask('columns', of, patienceMs, { own: { candles: window } }));
    }
  });

  test('a callback is shown the trade, and its answer comes back; one that fails is said, and the process lives on', async () => {
    const strategy = await loaded();
    const ask = async (profitRatio: number): Promise<unknown> => {
      const question = { trade: aTrade({ id: 7 }), time: 300_000, price: 101, profitRatio };
      return (await strategy.ask('callback', { exportName, callback: 'customExit', question }, patienceMs)).answer;
    };
    expect([await ask(0.4), await ask(0.6)]).toEqual([{ value: null }, { value: 'enough 7' }]);
    const question = { symbol: 'BTC/USDT', time: 0, direction: 'long', tag: null, price: 1, amount: 1 };
    const failed = strategy.ask('callback', { exportName, callback: 'confirmEntry', question }, patienceMs).then(
      ({ answer }) => JSON.stringify(answer),
      (error: Error) => error.message,
    );
    expect(await failed).toContain('no mood');
    expect(await ask(0.6)).toEqual({ value: 'enough 7' });
  });

  test('a strategy that is not there is a sentence', async () => {
    const strategy = await loaded();
    const other = { ...of, exportName: 'nobody' };
    await expect(strategy.ask('row', other, patienceMs, { own: { candles } })).rejects.toThrow('There is no strategy nobody in this file.');
  });

  test('what fails while it is loaded is a sentence with its line', async () => {
    writeFileSync(join(folder, `failing-${file}`), failing);
    const asked = begin().ask('load', { source: { folder, file: `failing-${file}` } }, patienceMs);
    await expect(asked).rejects.toThrow(new RegExp(`no good.* \\(failing-${file.replace('.', '\\.')}, line 3\\)\\.$`, 'u'));
  });

  test('what takes too long is ended, and what waits fails with it', async () => {
    writeFileSync(join(folder, `endless-${file}`), endless);
    const strategy = begin();
    const asked = [1, 2].map(() => strategy.ask('load', { source: { folder, file: `endless-${file}` } }, 3_000));
    for (const each of asked) await expect(each).rejects.toThrow('The strategy gave no answer for 3 s; its process was ended.');
    expect(strategy.isOver).toBe(true);
  });
}
