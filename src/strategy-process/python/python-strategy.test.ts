import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trade } from '#engine/account/trade.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { trialCandles } from '../trial-candles.ts';
import { wallsOfSystem } from '../child-command.ts';
import { encodeFrame } from '../wire/frames.ts';
import { pythonCommand } from './python-command.ts';
import type { PythonLoad } from '../wire/python-load.ts';
import { PythonStrategy } from './python-strategy.ts';
import { startWaited } from './started-process.ts';
import { needsPython, testPython } from './testing/test-python.ts';
import { Wanted } from './wanted.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-python-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const times = { loadMs: patienceMs, columnsMs: patienceMs, rowMs: patienceMs, callbackMs: patienceMs };
const candles = trialCandles(600, '5m', 7);

/** A class that enters every 50th candle; with other methods, and lines before it. */
function file(name: string, methods = '', head = '', populate = 'pass'): string {
  writeFileSync(
    join(folder, `${name}.py`),
    `${head}
class ${name}:
    timeframe = "5m"
    stoploss = -0.1
    minimal_roi = {"0": 0.02}

    def populate_indicators(self, dataframe, metadata):
        ${populate}
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe.index % 50 == 10, "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe
${methods.replaceAll(/^/gmu, '    ')}
`,
  );
  return `${name}.py`;
}

async function load(name: string, over: Partial<PythonLoad> = {}, given: Partial<typeof times> = {}): Promise<PythonStrategy> {
  const command = pythonCommand(testPython ?? '', wallsOfSystem());
  const load = { source: { folder, file: name }, exportName: null, config: {}, pairs: ['BTC/USDT'], markets: {}, ...over };
  return await PythonStrategy.load(startWaited(command), load, { ...times, ...given });
}

/** What is said of a file that is loaded and computed. */
async function faultOf(name: string, given: Partial<typeof times> = {}): Promise<string> {
  let strategy: PythonStrategy | null = null;
  try {
    strategy = await load(name, {}, given);
    strategy.columns('BTC/USDT', candles, { indicators: false, keep: true });
    return 'nothing';
  } catch (error) {
    return ((strategy === null ? error : await strategy.explained(error)) as Error).message;
  } finally {
    await strategy?.end();
  }
}

describe.skipIf(testPython === null)(needsPython('a strategy in Python'), () => {
  test('says what it is, and gives its columns', async () => {
    const strategy = await load(file('Fifty', '', '', 'dataframe["mean"] = dataframe["close"].rolling(5).mean()'));
    expect(strategy.description).toMatchObject({
      name: 'Fifty',
      canShort: false,
      callbacks: [],
      words: { timeframe: '5m', stoploss: -0.1 },
    });
    const signals = strategy.columns('BTC/USDT', candles, { indicators: true, keep: true });
    expect([...signals.enterLong].flatMap((flag, i) => (flag === 1 ? [i] : []))).toEqual(Array.from({ length: 12 }, (_, i) => 10 + i * 50));
    const { close } = candles;
    expect(signals.indicators['mean']?.[9]).toBeCloseTo((close[5] + close[6] + close[7] + close[8] + close[9]) / 5, 8);
    expect(signals.indicators['mean']?.[3]).toBeNaN();
    await strategy.end();
  });

  test('is kept from secrets, the network and other programs', async () => {
    const spies = `
def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
    found = []
    if "DATABASE_URL" in os.environ or "MASTER_KEY" in os.environ:
        found.append("environment")
    for name, attempt in (("network", lambda: socket.create_connection(("127.0.0.1", 9))), ("program", lambda: subprocess.run(["true"])), ("fork", os.fork)):
        try:
            attempt()
            found.append(name)
        except PermissionError:
            pass
    return ",".join(found) or "kept"
`;
    process.env['DATABASE_URL'] = 'postgres://secret';
    const strategy = await load(file('Spy', spies, 'import os, socket, subprocess'));
    delete process.env['DATABASE_URL'];
    expect(strategy.callbacks().customExit?.({ trade: aTrade(), time: 600_000, price: 1, profitRatio: 0 })).toBe('kept');
    await strategy.end();
  });

  test('what a callback fails with is counted, and the answer of the reference counts', async () => {
    const strategy = await load(file('Failing', 'def confirm_trade_entry(self, **words):\n    return 1 / 0'));
    const question = { symbol: 'BTC/USDT', time: 0, direction: 'long', tag: null, price: 1, amount: 1 } as const;
    expect([strategy.callbacks().confirmEntry?.(question), strategy.callbacks().confirmEntry?.(question)]).toEqual([true, true]);
    const first = 'ZeroDivisionError: division by zero (Failing.py, line 18).';
    expect(strategy.failures()).toEqual([{ callback: 'confirmEntry', count: 2, first }]);
    await strategy.end();
  });

  test('asks for candles it was not given, and sees in callbacks what had closed', async () => {
    const populate = 'self.dp.get_pair_dataframe(metadata["pair"], "1h")';
    const seen = 'def custom_exit(self, trade, **words):\n    return str(len(self.dp.get_pair_dataframe(trade.pair, "1h")))';
    const strategy = await load(file('Hourly', seen, '', populate));
    const wanted = { symbol: 'BTC/USDT', timeframe: '1h', kind: 'spot' };
    const ask = () => strategy.columns('BTC/USDT', candles, { indicators: false, keep: true });
    expect(ask).toThrow(new Wanted(wanted));
    const start = Math.ceil(candles.openTime[0] / 3_600_000) * 3_600_000;
    const hours = { ...trialCandles(40, '1h', 7), openTime: Float64Array.from({ length: 40 }, (_, i) => start + i * 3_600_000) };
    strategy.putSeries(wanted, hours);
    expect(ask().enterLong).toHaveLength(600);
    const lengthAt = (time: number) => strategy.callbacks().customExit?.({ trade: aTrade(), time, price: 1, profitRatio: 0 });
    expect([lengthAt(start + 3_600_000), lengthAt(start + 3_599_999), lengthAt(start + 7_200_000)]).toEqual(['1', '0', '2']);
    await strategy.end();
  });

  test('the class of trades that a file imports answers from the account, which is asked for with the first question', async () => {
    mkdirSync(join(folder, 'freqtrade'));
    writeFileSync(join(folder, 'freqtrade/__init__.py'), '');
    writeFileSync(join(folder, 'freqtrade/persistence.py'), 'class Trade:\n    pass\n');
    const count =
      'def custom_exit(self, trade, **words):\n    closed = Trade.get_trades_proxy(is_open=False)\n    return f"{len(closed)} {sum(each.id for each in closed)} {Trade.get_open_trade_count()} {self.wallets.get_free(\'USDT\')}"';
    const strategy = await load(file('Counts', count, 'from freqtrade.persistence import Trade'), { config: { stake_currency: 'USDT' } });
    const ask = () => strategy.callbacks().customExit?.({ trade: aTrade(), time: 600_000, price: 1, profitRatio: 0 });
    expect(ask).toThrow(new Wanted('account'));
    const closed: Trade[] = [];
    const wallet = { free: 900, tied: 100, total: 1000, available: 900 };
    const view = { openTrades: () => [aTrade()], closedTrades: () => closed, wallet: () => wallet };
    strategy.begin({ view, startingBalance: 1000 });
    const close = (id: number) => closed.push(aTrade({ id, isOpen: false, profit: 1, profitRatio: 0.1, closeTime: 600_000 }));
    const said = [ask(), close(3) && ask(), ask(), close(4) && ask()];
    expect(said).toEqual(['0 0 1 900', '1 3 1 900', '1 3 1 900', '2 7 1 900']);
    strategy.begin({ view: { ...view, closedTrades: () => [] }, startingBalance: 1000 });
    expect(ask()).toBe('0 0 1 900');
    await strategy.end();
  });

  test('an entry that still waits is none that was made, however much of it has filled', async () => {
    const count = 'def custom_exit(self, trade, **words):\n    return f"{trade.nr_of_successful_entries} {len(trade.open_orders)}"';
    const strategy = await load(file('Entries', count));
    const filled = anOrder({ id: '1', side: 'buy', amount: 2, filled: 2, state: 'filled' });
    const waiting = anOrder({ id: '2', side: 'buy', amount: 2, filled: 1, state: 'open' });
    const trade = aTrade({ orders: [filled, waiting] });
    expect(strategy.callbacks().customExit?.({ trade, time: 600_000, price: 1, profitRatio: 0 })).toBe('1 1');
    await strategy.end();
  });

  test('a method for entries that wait decides about no exit, and one for exits about no entry', async () => {
    const timeout = (of: string): string => `def check_${of}_timeout(self, **words):\n    return True`;
    for (const of of ['entry', 'exit', 'buy', 'sell'] as const) {
      const strategy = await load(file(`Late${of}`, timeout(of)));
      const isTimedOut = (['entry', 'exit'] as const).map((purpose) => {
        const order = anOrder({ id: '1', purpose, side: purpose === 'entry' ? 'buy' : 'sell', state: 'open' });
        return strategy.callbacks().isTimedOut?.({ trade: aTrade({ orders: [order] }), order, time: 600_000 });
      });
      const isOfEntries = of === 'entry' || of === 'buy';
      expect([of, ...isTimedOut]).toEqual([of, isOfEntries, !isOfEntries]);
      await strategy.end();
    }
  });

  test('a large library that is seldom used is loaded when something of it is used', async () => {
    mkdirSync(join(folder, 'scipy'));
    writeFileSync(join(folder, 'scipy/__init__.py'), '');
    writeFileSync(join(folder, 'scipy/stats.py'), 'import sys\nsys.loaded = "loaded"\nanswer = 7\n');
    const use = 'raise ValueError(f"{getattr(sys, \'loaded\', None)} {stats.answer} {sys.loaded}")';
    const said = await faultOf(file('Later', '', 'import sys\nfrom scipy import stats', use));
    expect(said).toMatch(/^ValueError: None 7 loaded/u);
    rmSync(join(folder, 'scipy'), { recursive: true });
  });

  test.each([
    ['Exits', '', '', 'import os; os._exit(3)', 'The strategy’s process has ended by itself (with code 3).'],
    ['Crashes', '', 'import ctypes', 'ctypes.string_at(0)', 'The strategy’s process has ended by itself (by SIGSEGV).'],
    ['Leaves', '', 'import sys', 'sys.exit(1)', 'It ends the program (sys.exit), which a strategy may not (Leaves.py, line 8).'],
    ['Throws', '', '', 'dataframe["no such column"]', "KeyError: 'no such column' (Throws.py, line 8)."],
    ['Shortens', '', '', 'dataframe = dataframe.iloc[5:]', 'ValueError: populate_indicators returns 595 rows for 600 candles.'],
    ['Misses', '', 'import no_such_module', 'pass', 'It imports no_such_module, which this Python does not have (Misses.py, line 1).'],
    ['Unreadable', '', 'def broken(:', 'pass', 'SyntaxError: invalid syntax (Unreadable.py, line 1).'],
    ['Books', '', '', 'self.dp.orderbook("BTC/USDT", 5)', 'It reads the order book of BTC/USDT (dp.orderbook), and a backtest has none.'],
    ['Nan', 'trailing_stop_positive_offset = float("nan")', '', 'pass', 'A setting of the class is nan, which is not a number.'],
    ['Locks', '', '', 'self.lock_pair("BTC/USDT")', 'Locks locks pairs itself (lock_pair), which is not offered: use protections.'],
    [
      'Monthly',
      'def informative_pairs(self):\n    return [("BTC/USDT", "2d")]',
      '',
      'pass',
      /^Monthly asks for candles of 2d; there are 1m, /u,
    ],
  ])('%s: a sentence', async (name, methods, head, populate, sentence) => {
    const said = await faultOf(file(name, methods, head, populate));
    if (typeof sentence === 'string') expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
  });

  test('asked as a bot asks, it sees its windows alone; in callbacks each row is as it was when it was the newest', async () => {
    const lines = `dataframe["last"] = dataframe["close"].iloc[-1]
        dataframe["count"] = len(dataframe)`;
    const methods = `
def custom_exit(self, pair, current_time, **words):
    frame, _ = self.dp.get_analyzed_dataframe(pair, "5m")
    own = self.dp.get_pair_dataframe(pair)
    newest = frame.iloc[-1]
    return f"{len(frame)} {newest['last'] == newest['close']} {newest['count']} {len(own)}"`;
    const strategy = await load(file('Rows', methods, '', lines), { config: { runmode: 'dry_run' } });
    try {
      for (let end = 101; end <= 300; end++) {
        const window = { candles: sliceColumns(candles, end - 100, end), series: 'BTC/USDT' };
        // A window has its own first row: what the class says of row 10 of it is not what it says of row 10 of all.
        expect(strategy.row('BTC/USDT', { own: window }, { gather: true }).enterLong).toBe(false);
      }
      strategy.putSeries({ symbol: 'BTC/USDT', timeframe: '5m', kind: 'spot' }, candles);
      strategy.begin(null);
      const callbacks = strategy.callbacks();
      const at = (row: number): unknown =>
        callbacks.customExit?.({ trade: aTrade({ symbol: 'BTC/USDT' }), time: candles.openTime[row], price: 1, profitRatio: 0 });
      expect([at(150), at(299)]).toEqual(['149 True 100 150', '298 True 100 299']);
    } finally {
      await strategy.end();
    }
  });

  test('what it keeps between its calls is known by name: in itself, its class and its file, and nothing that stays as it is', async () => {
    const head = 'seen = []\nlimit = {"most": 3}';
    const lines = `seen.append(1)
        self.newest = dataframe
        self.best["BTC"] = 7`;
    const methods = '\nbest = {}\nsame = {"a": [1, 2]}\nother = lambda self: 1';
    const watched = await load(file('Keeps', methods, head, lines), { watched: true });
    const plain = await load(file('Plain', '\nbest = {}'), { watched: true });
    try {
      expect([watched.changedMemory(), plain.changedMemory()]).toEqual([[], []]);
      for (const each of [watched, plain]) each.row('BTC/USDT', { own: { candles } }, { gather: false });
      expect([watched.changedMemory(), plain.changedMemory()]).toEqual([['seen', 'self.best', 'self.newest'], []]);
    } finally {
      await Promise.all([watched.end(), plain.end()]);
    }
  });

  test('one that hangs, or prints for ever, is ended when its time is over, with what it has started', async () => {
    const late = 'The strategy gave no answer for 3 s; its process was ended.';
    expect(await faultOf(file('Hangs', '', 'while True:\n    pass'), { loadMs: 3_000 })).toBe(late);
    expect(await faultOf(file('Prints', '', '', 'while True: print("x" * 1000)'), { columnsMs: 3_000 })).toBe(late);
  });

  test('one whose candles do not follow those it was sent ends itself, and answers with no other candles', async () => {
    const { file: program, args, environment } = pythonCommand(testPython ?? '', wallsOfSystem());
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let said = 0;
    child.stdio[4]?.on('data', (bytes: Buffer) => (said += bytes.length));
    const heads = { own: { series: 'BTC', dropped: 0, kept: 5, added: 0 }, others: {}, forgotten: [] };
    (child.stdio[3] as Writable).write(encodeFrame({ id: 1, kind: 'columns', exportName: 'X', symbol: 'BTC/USDT', candles: heads }));
    expect([(await ended)[0], said]).toEqual([1, 0]);
  });

  test('the class that is meant is the one that is named, else that of the file, else the only one', async () => {
    const other = file('Other');
    writeFileSync(join(folder, 'Two.py'), 'from Other import Other as Base\nclass One(Base):\n    pass\nclass Two(Base):\n    pass\n');
    writeFileSync(join(folder, 'several.py'), 'from Other import Other as Base\nclass One(Base):\n    pass\nclass Two(Base):\n    pass\n');
    writeFileSync(join(folder, 'twice.py'), 'from Other import Other as Base\nclass One(Base):\n    pass\nclass One(Base):\n    pass\n');
    const nameOf = async (name: string, exportName: string | null = null): Promise<string> => {
      try {
        const strategy = await load(name, { exportName });
        await strategy.end();
        return strategy.description.name;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(await nameOf(other)).toBe('Other');
    expect(await nameOf('Two.py')).toBe('Two');
    expect(await nameOf('several.py', 'One')).toBe('One');
    expect(await nameOf('several.py')).toBe('several.py has several strategies; choose one: several.py#One, several.py#Two.');
    expect(await nameOf('several.py', 'Three')).toBe('several.py has no strategy Three; it has One, Two.');
    expect(await nameOf('twice.py')).toBe('twice.py defines One twice, in the lines 2 and 4.');
    writeFileSync(join(folder, 'empty.py'), 'x = 1\n');
    expect(await nameOf('empty.py')).toBe('empty.py has no strategy: a class with populate_indicators and populate_entry_trend.');
  });
});

describe('a Python that cannot be used', () => {
  test('is said', async () => {
    const command = { file: '/bin/false', args: [], environment: {} };
    const load = { source: { folder, file: 'x.py' }, exportName: null, config: {}, pairs: [], markets: {} };
    await expect(PythonStrategy.load(startWaited(command), load, times)).rejects.toThrow(
      'The strategy’s process has ended by itself (with code 1).',
    );
    expect(() => startWaited({ ...command, file: '/no/such/python' })).toThrow('/no/such/python cannot be started.');
  });
});
