import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { AnswerWithData } from '#engine/strategy/callback-memo.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { wallsOfSystem } from '../child-command.ts';
import type { ProcessTimes, StrategyOfVersion } from '../strategy-processes.ts';
import { productTimes, StrategyProcesses } from '../strategy-processes.ts';
import { trialCandles } from '../trial-candles.ts';
import { nameOfSeries } from './series-name.ts';
import { classText, type ClassParts, parameterClasses } from './testing/class-text.ts';
import { needsPython, testPythonPlaces } from './testing/test-python.ts';
import { WarmParent } from './warm-parent.ts';

const candles = trialCandles(1_000, '5m', 7);
const of = { symbol: 'BTC/USDT', own: { candles, series: 'BTC/USDT' }, timeframeMs: 300_000 };
const asked = { trade: aTrade(), time: 1, price: 1, profitRatio: 0 };

function processesWith(times: Partial<ProcessTimes> = {}) {
  const options = { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces };
  const processes = new StrategyProcesses(
    options,
    { ...productTimes, loadMs: patienceMs, rowMs: patienceMs, callbackMs: patienceMs, ...times },
    () => undefined,
  );
  onTestFinished(() => processes.end());
  return processes;
}

/** A class as a running bot has it. */
function running(name: string, parts: ClassParts = {}, config: object = {}, parameters: Record<string, number> = {}): StrategyOfVersion {
  const python = {
    config: { runmode: 'dry_run', stake_currency: 'USDT', trading_mode: 'spot', timeframe: '5m', ...config },
    pairs: ['BTC/USDT', 'ETH/USDT'],
    parameters,
  };
  return { version: { id: name, file: `${name}.py`, files: { [`${name}.py`]: classText(name, parts) }, python }, exportName: name };
}

/** The Python processes that this one and its children have started, and have not ended. */
function pythons(): { pid: number; parent: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const isOurs = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('shim/parent.py');
      return isOurs && stat[0] !== 'Z' ? [{ pid: Number(name), parent: Number(stat[1]) }] : [];
    } catch {
      return []; // it has ended, or is not a process
    }
  });
}

const parentOf = (found: ReturnType<typeof pythons>): number => found.find(({ parent }) => parent === process.pid)?.pid ?? 0;

test('the folder of a program that was killed is removed by the next, and that of one that runs is not', () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const [left, kept] = [gone, process.ppid].map((pid) => mkdtempSync(join(tmpdir(), `flotilla-strategy-${pid}-`)));
  onTestFinished(() => rmSync(kept, { recursive: true, force: true }));
  const next = `import { processFolder } from ${JSON.stringify(import.meta.resolve('./process-folder.ts'))}; console.log(processFolder());`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', next], { encoding: 'utf8' });
  rmSync(stdout.trim(), { recursive: true });
  expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);
});

describe.skipIf(testPythonPlaces.given === null)(needsPython('classes in Python for running bots'), () => {
  test('give the row of the newest candle, as their columns have it; bots of the same share a process', async () => {
    const processes = processesWith();
    const one = running('One', {
      head: 'asked = []',
      methods: 'def custom_exit(self, **words):\n    asked.append(1)\n    return str(len(asked))',
    });
    const row = await processes.row(one, {}, of);
    const { enterLong, exitLong, indicators } = await processes.columns(one, {}, of);
    expect(row).toMatchObject({
      enterLong: enterLong[999] === 1,
      exitLong: exitLong[999] === 1,
      enterTag: enterLong[999] === 1 ? 'above' : null,
    });
    expect(row.values).toEqual({ average: Number(indicators['average'][999].toPrecision(6)) });
    expect(enterLong[999] + exitLong[999]).toBe(1);
    expect(indicators['average']?.[999]).toBeGreaterThan(0);
    expect(await Promise.all([one, one].map((each) => processes.callback(each, 'customExit', asked)))).toEqual(['1', '2']);
    // Another configuration is another process: what is kept of one is not the other's.
    expect(
      await processes.callback(
        running(
          'One',
          { head: 'asked = []', methods: 'def custom_exit(self, **words):\n    asked.append(1)\n    return str(len(asked))' },
          { stake_amount: 5 },
        ),
        'customExit',
        asked,
      ),
    ).toBe('1');
  });

  test('two classes of one file have a process each', async () => {
    const processes = processesWith();
    const says = (word: string): string => `def custom_exit(self, **words):\n    return "${word}"`;
    const { version } = running('First', { methods: says('first') });
    const text = `${version.files['First.py']}\n${classText('Second', { methods: says('second') })}`;
    const both = ['First', 'Second'].map((exportName) => ({ version: { ...version, files: { 'First.py': text } }, exportName }));
    const answers = both.map((each) => processes.callback(each, 'customExit', asked));
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  test('one that is started again is shown all closed trades, and then what is new', async () => {
    const processes = processesWith();
    const methods = `def custom_exit(self, trade, **words):
    if trade.id == 13:
        import ctypes
        ctypes.string_at(0)
    return " ".join(str(each.id) for each in Trade.get_trades_proxy(is_open=False))`;
    const { version, exportName } = running('Limits', { head: 'from freqtrade.persistence import Trade', methods });
    const persistence = { 'freqtrade/__init__.py': '', 'freqtrade/persistence.py': 'class Trade:\n    pass\n' };
    const limits = { version: { ...version, files: { ...version.files, ...persistence } }, exportName };
    const closed = [3, 4, 5].map((id) => aTrade({ id, isOpen: false, profit: -1, profitRatio: -0.1, closeTime: 1 }));
    const wallet = { free: 900, tied: 100, total: 1_000, available: 900 };
    const shown = (count: number, trade = aTrade()) => {
      const account = { open: [trade], closed: closed.slice(0, count), wallet, startingBalance: 1_000 };
      return processes.callback(limits, 'customExit', { ...asked, trade }, account);
    };
    expect([await shown(1), await shown(2)]).toEqual(['3', '3 4']);
    await expect(shown(2, aTrade({ id: 13 }))).rejects.toThrow('has ended by itself');
    expect([await shown(2), await shown(3)]).toEqual(['3 4', '3 4 5']);
  });

  test('one that dies takes no other with it, and is started again with the next question', async () => {
    const processes = processesWith();
    const [steady, dying] = [
      running('Steady', { methods: 'asked = 0\ndef custom_exit(self, **words):\n    self.asked += 1\n    return str(self.asked)' }),
      running('Dying', { methods: 'def custom_exit(self, **words):\n    import ctypes\n    ctypes.string_at(0)' }),
    ];
    expect(await processes.callback(steady, 'customExit', asked)).toBe('1');
    for (let i = 0; i < 2; i++)
      await expect(processes.callback(dying, 'customExit', asked)).rejects.toThrow(
        'The strategy’s process has ended by itself (by SIGSEGV).',
      );
    expect(await processes.callback(steady, 'customExit', asked)).toBe('2');
  });

  test('one that hangs, prints without end or wants more memory than it may is ended; the next question starts it again', async () => {
    const processes = processesWith({ callbackMs: 2_000 });
    const hanging = (name: string, does: string): StrategyOfVersion =>
      running(name, { methods: `def custom_exit(self, **words):\n    ${does}` });
    await expect(processes.callback(hanging('Hangs', 'while True: pass'), 'customExit', asked)).rejects.toThrow(
      'The strategy gave no answer for 2 s; its process was ended.',
    );
    await expect(processes.callback(hanging('Prints', 'while True: print("x" * 1000)'), 'customExit', asked)).rejects.toThrow(
      'The strategy gave no answer for 2 s; its process was ended.',
    );
    await expect(processesWith().callback(hanging('Hoards', 'return len(bytearray(10_000_000_000))'), 'customExit', asked)).rejects.toThrow(
      'The callback customExit failed: It used more memory than it may (Hoards.py, line 24).',
    );
  });

  test('what a strategy keeps with a trade comes back with the answer, and is given with the next question', async () => {
    const processes = processesWith();
    const methods = `def custom_exit(self, trade, **words):
    known = trade.get_custom_data("seen", [])
    known.append(words["current_rate"])
    trade.set_custom_data("seen", known)
    return str(len(known)) if len(known) < 3 else None`;
    const keeping = running('Keeping', { methods });
    const first = (await processes.callback(keeping, 'customExit', asked)) as AnswerWithData;
    expect([first.value, first.customData]).toEqual(['1', { seen: [1] }]);
    const trade = { ...aTrade(), customData: first.customData };
    const second = (await processes.callback(keeping, 'customExit', { ...asked, trade, price: 2 })) as AnswerWithData;
    expect([second.value, second.customData]).toEqual(['2', { seen: [1, 2] }]);
    // Nothing is kept in the process: the answer to the first question is what it was.
    expect(await processes.callback(keeping, 'customExit', asked)).toEqual(first);
  });

  test('what it reads besides is what it was given with the row; what it did not announce is said', async () => {
    const processes = processesWith();
    const populate = 'dataframe["hours"] = len(self.dp.get_pair_dataframe("ETH/USDT", "1h")) if self.dp.runmode.value == "dry_run" else -1';
    const reading = running('Reading', { populate });
    await expect(processes.row(reading, {}, of)).rejects.toThrow(
      'The strategy asks for candles of ETH/USDT on 1h (spot), which it does not announce in informative_pairs.',
    );
    const name = nameOfSeries({ symbol: 'ETH/USDT', timeframe: '1h', kind: 'spot' });
    const others = { [name]: { candles: trialCandles(77, '1h', 8), series: 'ETH' } };
    const { indicators } = await processes.columns(reading, {}, { ...of, others });
    expect(indicators['hours']?.[999]).toBe(77);
  });

  test('parameters have the values they are made with, in indicators and callbacks; those of the class where none are named', async () => {
    const processes = processesWith();
    const parts = {
      head: parameterClasses,
      fields: 'period = Parameter(12, "buy", low=5, high=40)\nline = Parameter("slow", "buy", opt_range=["fast", "slow"])',
      populate: 'dataframe["period"] = self.period.value',
      methods: 'def custom_exit(self, **words):\n    return f"{self.period.value} {self.line.value}"',
    };
    const said = async (parameters: Record<string, number>) => {
      const strategy = running('Searched', parts, {}, parameters);
      const { indicators } = await processes.columns(strategy, parameters, of);
      return [indicators['period']?.[999], await processes.callback(strategy, 'customExit', asked)];
    };
    expect(await said({})).toEqual([12, '12 slow']);
    expect(await said({ period: 30, line: 0 })).toEqual([30, '30 fast']);
    expect(await said({ line: 7 })).toEqual([12, '12 slow']);
  });

  test('of two columns with the tag of an entry the first is it, and the second the tag of an exit, as in a backtest of freqtrade', async () => {
    const processes = processesWith();
    // What freqtrade makes of the buy_tag of an older file.
    const methods = `def populate_exit_trend(self, dataframe, metadata):
    dataframe[["enter_long", "exit_long", "exit_tag", "buy_tag"]] = (1, 1, "left", "older")
    return dataframe.rename(columns={"buy_tag": "enter_tag"})`;
    const twice = running('Twice', { methods });
    const tagged = { enterLong: true, exitLong: true, exitTag: 'older' };
    expect(await processes.row(twice, {}, of)).toMatchObject(tagged);
  });

  test('callbacks see the candles that a bot has decided on', async () => {
    const processes = processesWith();
    const methods = `def custom_exit(self, pair, **words):
    frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
    return f"{len(frame)} {frame['date'].iloc[-1].minute}"`;
    const seeing = running('Seeing', { methods });
    await processes.row(seeing, {}, of);
    const newest = candles.openTime[999];
    const inNext = { ...asked, trade: aTrade({ symbol: 'BTC/USDT' }), time: newest + 300_000 + 1_000 };
    expect(await processes.callback(seeing, 'customExit', inNext)).toBe(`1000 ${new Date(newest).getUTCMinutes()}`);
  });

  test('a callback comes before the rows that wait, but for that of its pair: it sees the candles that it would have seen after all', async () => {
    const processes = processesWith();
    const populate = 'seen.append(metadata["pair"])';
    const methods = `def custom_exit(self, pair, **words):
    frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
    return f"{' '.join(seen)} {len(frame)}"

def bot_loop_start(self, **words):
    return None`;
    const busy = running('Busy', { head: 'seen = []', populate, methods });
    await processes.description(busy); // it runs
    const rows = ['1', '2', '3', 'ETH/USDT', '4'].map((symbol) => processes.row(busy, {}, { ...of, symbol }));
    const time = candles.openTime[999] + 300_000 + 1_000;
    const loop = processes.callback(busy, 'loopStart', time);
    const inNext = { ...asked, trade: aTrade({ symbol: 'ETH/USDT' }), time };
    expect(await processes.callback(busy, 'customExit', inNext)).toBe('1 ETH/USDT 1000');
    await Promise.all([loop, ...rows]);
    expect(await processes.callback(busy, 'customExit', inNext)).toBe('1 ETH/USDT 2 3 4 1000');
  });

  test.skipIf(process.platform !== 'linux')('what a copy shares with its parent it keeps sharing when others are made', async () => {
    const processes = processesWith();
    await processes.row(running('First'), {}, of);
    const [first] = pythons().filter(({ parent }) => parent === parentOf(pythons()));
    const ownMb = (): number =>
      Number(/^Private_Dirty:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${first?.pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
    const before = ownMb();
    await processes.row(running('Second'), {}, of);
    await processes.row(running('Third'), {}, of);
    expect(ownMb() - before).toBeLessThan(5);
  });

  test.skipIf(process.platform !== 'linux')(
    'when nobody asks any more the process ends, then its parent; both are started again',
    async () => {
      const processes = processesWith({ idleMs: 200 });
      const methods = 'asked = 0\ndef custom_exit(self, **words):\n    self.asked += 1\n    return str(self.asked)';
      const quiet = running('Quiet', { methods }, { timeframe: undefined });
      expect(await processes.callback(quiet, 'customExit', asked)).toBe('1');
      const before = parentOf(pythons());
      expect(before).toBeGreaterThan(0);
      await expect.poll(() => pythons().filter(({ parent }) => parent === before || parent === process.pid)).toEqual([]);
      expect(await processes.callback(quiet, 'customExit', asked)).toBe('1');
      expect(parentOf(pythons())).not.toBe(before);
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'one on long candles keeps what it has from one candle to the next, though nobody asks between',
    async () => {
      const processes = processesWith({ idleMs: 200 });
      const methods = 'asked = 0\ndef custom_exit(self, **words):\n    self.asked += 1\n    return str(self.asked)';
      const [hourly, without] = [
        running('Hourly', { methods }, { timeframe: '1h' }),
        running('Without', { methods }, { timeframe: undefined }),
      ];
      expect(await processes.callback(hourly, 'customExit', asked)).toBe('1');
      expect(await processes.callback(without, 'customExit', asked)).toBe('1');
      // The one that was asked last is over, so the time of the other has long passed.
      await expect.poll(() => pythons().filter(({ parent }) => parent === parentOf(pythons())).length).toBe(1);
      expect(await processes.callback(hourly, 'customExit', asked)).toBe('2');
      expect(await processes.callback(without, 'customExit', asked)).toBe('1');
    },
  );

  test('a parent that is ended makes no copies from then on', () => {
    const parent = new WarmParent({ file: 'sleep', args: ['60'], environment: {} });
    parent.end();
    expect(parent.isOver).toBe(true);
  });

  test.skipIf(process.platform !== 'linux')(
    'when it is over nothing is left: no process, no folder; and when the parent is killed its copies go too',
    async () => {
      const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('flotilla-strategy-')));
      const processes = processesWith();
      const one = running('One');
      await processes.row(one, {}, of);
      await processes.row(running('Two'), {}, of);
      const known = parentOf(pythons());
      expect(pythons().filter(({ parent }) => parent === known)).toHaveLength(2);
      process.kill(known, 'SIGKILL');
      await expect.poll(() => pythons().filter(({ pid, parent }) => pid === known || parent === known)).toEqual([]);
      // What was asked while it died has failed; what is asked afterwards has not.
      await expect.poll(() => processes.row(one, {}, of).catch(String)).toMatchObject({ exitShort: false });
      await processes.end();
      await expect.poll(() => pythons().filter(({ parent }) => parent === process.pid)).toEqual([]);
      const left = readdirSync(tmpdir()).filter(
        (name) => name.startsWith('flotilla-strategy-') && !before.has(name) && existsSync(`${tmpdir()}/${name}/strategy/One.py`),
      );
      expect(left).toEqual([]);
    },
  );
});
