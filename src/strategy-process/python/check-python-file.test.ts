import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFile } from '../check-file.ts';
import { wallsOfSystem } from '../child-command.ts';
import { StrategyError } from '../strategy-error.ts';
import { noPython } from './find-python.ts';
import type { KeptPythonDescription } from './python-facts.ts';
import { classText, type ClassParts, parameterClasses } from './testing/class-text.ts';
import { needsPython, testPythonPlaces } from './testing/test-python.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-check-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { node: process.execPath, walls: wallsOfSystem() };

function write(file: string, text: string): string {
  writeFileSync(join(folder, file), text);
  return file;
}

const check = (file: string) => checkFile({ ...options, python: testPythonPlaces }, folder, file);
const checked = async (name: string, parts: ClassParts = {}) =>
  (await check(write(`${name}.py`, classText(name, parts)))).strategies[0] as KeptPythonDescription;

async function faultOf(file: string): Promise<string> {
  try {
    await check(file);
    return 'nothing';
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    return error.message;
  }
}

test('where there is no Python, a file in Python is refused with what to do', async () => {
  write('Any.py', classText('Any'));
  const python = { ...noPython, path: '/nowhere' };
  await expect(checkFile({ ...options, python }, folder, 'Any.py')).rejects.toThrow(
    'There is no Python here: install Python 3.11 or later, or name one with --python or FLOTILLA_PYTHON.',
  );
});

describe.skipIf(testPythonPlaces.given === null)(needsPython('a file in Python before it is used'), () => {
  test('is tried: what it says of itself, the settings of its class, its texts with its parameters, and what it costs', async () => {
    write('Whole.json', '{"strategy_name": "Whole"}');
    write('lines.py', 'far = 3\n');
    const fields = `use_exit_signal = False
exit_profit_only = True
exit_profit_offset = 0.01
ignore_roi_if_entry_signal = True
startup_candle_count = 30
unfilledtimeout = {"entry": 10, "exit": 30, "unit": "seconds"}
protections = [{"method": "CooldownPeriod", "stop_duration_candles": 3}]`;
    const file = write('Whole.py', classText('Whole', { head: 'from lines import far', fields }));
    const { files, strategies, computeMs, memoryMb, hash } = await check(file);
    expect(Object.keys(files).sort()).toEqual(['Whole.json', 'Whole.py', 'lines.py']);
    expect(strategies).toHaveLength(1);
    expect(strategies[0]).toMatchObject({
      name: 'Whole',
      startupCandles: 30,
      defaults: { timeframe: '5m', stoploss: -0.1, minimalRoi: { 0: 0.02 } },
      fixed: {
        useExitSignal: false,
        exitProfitOnly: true,
        exitProfitOffset: 0.01,
        ignoreRoiIfEntrySignal: true,
        unfilledTimeout: { entryMs: 10_000, exitMs: 30_000 },
        protections: [{ kind: 'cooldown', stopCandles: 3 }],
      },
      python: { unannounced: [], lookAhead: null, remarks: [] },
    });
    expect(computeMs).toBeGreaterThan(0);
    expect(memoryMb).toBeGreaterThan(0);
    write('Whole.json', '{"strategy_name": "Whole", "params": {}}');
    expect((await check(file)).hash).not.toBe(hash);
  });

  test('a file beside it comes before a module of the same name that Python has', async () => {
    write('pip.py', 'far = 3\n');
    expect(Object.keys((await check(write('Beside.py', classText('Beside', { head: 'from pip import far' })))).files)).toContain('pip.py');
    rmSync(join(folder, 'pip.py'));
  });

  test('with several classes it has as many strategies; one that goes short is tried on perpetuals', async () => {
    write('Two.py', `${classText('First')}\n${classText('Second', { fields: 'can_short = True' })}`);
    const { strategies } = await check('Two.py');
    expect(strategies.map(({ name, canShort }) => [name, canShort])).toEqual([
      ['First', false],
      ['Second', true],
    ]);
  });

  test('its parameters are those of the class, as numbers in steps', async () => {
    const fields = `period = Parameter(12, "buy", low=5, high=40)
far = Parameter(0.25, "sell", low=0.1, high=0.9, decimals=2)
line = Parameter("slow", "buy", opt_range=["fast", "slow"])
outside = Parameter(50, "protection", low=1, high=20)
enabled = True
@property
def protections(self):
    return [{"method": "CooldownPeriod", "stop_duration": self.config["max_open_trades"]}]
@property
def broken(self):
    raise ValueError("not asked")`;
    const { parameters } = await checked('Searched', { head: parameterClasses, fields });
    expect(parameters).toEqual({
      period: { default: 12, min: 5, max: 40, step: 1, space: 'buy', meaning: 'period of the class, declared from 5 to 40.' },
      far: { default: 0.25, min: 0.1, max: 0.9, step: 0.01, space: 'sell', meaning: 'far of the class, declared from 0.1 to 0.9.' },
      line: { default: 1, min: 0, max: 1, step: 1, space: 'buy', meaning: 'One of: 0 fast, 1 slow.' },
      outside: { default: 50, min: 1, max: 50, step: 1, meaning: 'outside of the class, declared from 1 to 20.' },
    });
  });

  test('that looks ahead is not refused: it is noted, with pair and candle', async () => {
    const { python } = await checked('Ahead', { populate: 'dataframe["average"] = dataframe["close"].shift(-1)' });
    expect(python.lookAhead).toMatch(
      /^Ahead looks ahead: on BTC\/USDT enterLong of the candle of 2025-01-\d\d \d\d:\d\d \(number \d+\) is \d when/u,
    );
  });

  test('that says another thing at the second time is noted too', async () => {
    const populate =
      'self.asked = getattr(self, "asked", 0) + 1\ndataframe["average"] = dataframe["close"] + (1 if self.asked % 2 else -1)';
    const { python } = await checked('Moody', { populate });
    expect(python.remarks).toEqual([
      'Moody says another thing of the same candles at the second time: exitLong differs.'.replace('exitLong', 'enterLong'),
    ]);
  });

  test('that names no timeframe is tried on candles of five minutes, and these are suggested', async () => {
    const { defaults, python } = await checked('Open', { fields: 'timeframe = None' });
    expect(defaults.timeframe).toBe('5m');
    expect(python.remarks).toEqual(['Open names no timeframe: 5m is suggested.']);
  });

  test('settings in older words are read as freqtrade reads them on spot', async () => {
    const fields = `order_types = {"buy": "limit", "sell": "market", "emergencysell": "market", "stoploss": "market"}
order_time_in_force = {"buy": "gtc", "sell": "ioc"}
unfilledtimeout = {"buy": 7, "sell": 9}`;
    const { words, fixed } = await checked('Older', { fields });
    expect(words['order_types']).toEqual({ entry: 'limit', exit: 'market', emergency_exit: 'market', stoploss: 'market' });
    expect(fixed.unfilledTimeout).toEqual({ entryMs: 420_000, exitMs: 540_000 });
  });

  test('what it reads besides is known: what it announces, and what it asks for without', async () => {
    const populate = `for frame in ("15m", "1h"):
    self.dp.get_pair_dataframe(metadata["pair"], frame)
self.dp.get_pair_dataframe("SOL/USDT", "5m")`;
    const methods = 'def informative_pairs(self):\n    return [(pair, "1d") for pair in self.dp.current_whitelist()]';
    const { announced, python } = await checked('Reads', { populate, methods });
    const spot = (symbol: string, timeframe: string) => ({ symbol, timeframe, kind: 'spot' });
    expect(announced).toEqual([spot('BTC/USDT', '1d'), spot('ETH/USDT', '1d')]);
    expect(python.unannounced).toEqual([spot('{pair}', '15m'), spot('{pair}', '1h'), spot('SOL/USDT', '5m')]);
  });

  test.each<[string, string, string | RegExp]>([
    ['No.py', 'x = 1\n', 'No.py has no strategy: a class with populate_indicators and populate_entry_trend.'],
    ['Twice.py', `${classText('Twice')}\n${classText('Twice')}`, /^Twice\.py defines Twice twice, in the lines \d+ and \d+\.$/u],
    [
      'Lacks.py',
      classText('Lacks', { head: 'import no_such_module' }),
      'It imports no_such_module, which this Python does not have (Lacks.py, line 2).',
    ],
    ['Dies.py', classText('Dies', { head: 'import os; os._exit(3)' }), 'The strategy’s process has ended by itself (with code 3).'],
    [
      'Faults.py',
      classText('Faults', { populate: 'import ctypes; ctypes.string_at(0)' }),
      'The strategy’s process has ended by itself (by SIGSEGV).',
    ],
    [
      'Leaves.py',
      classText('Leaves', { head: 'import sys; sys.exit()' }),
      'It ends the program (sys.exit), which a strategy may not (Leaves.py, line 2).',
    ],
    [
      'Forks.py',
      classText('Forks', { head: 'import os; os.fork()' }),
      'PermissionError: it starts another process, which a strategy may not (Forks.py, line 2).',
    ],
    ['Odd.py', classText('Odd', { fields: 'timeframe = "7m"' }), /^Odd\.py: Odd asks for candles of 7m; there are 1m, /u],
    [
      'Shorts.py',
      classText('Shorts', { fields: 'can_short = True\norder_types = {"buy": "limit", "sell": "limit"}' }),
      'Shorts has "buy" in order_types, an older word that only spot allows: write "entry".',
    ],
    ['Broken.py', 'class Broken:\n  def (:\n', 'SyntaxError: invalid syntax (Broken.py, line 2).'],
    [
      'Guard.py',
      classText('Guard', { fields: 'protections = [{"method": "Prayer"}]' }),
      /^Guard\.py: "protections\[0\]\.method" must be "CooldownPeriod"/u,
    ],
    ['Throws.py', classText('Throws', { populate: 'dataframe["nothing"]' }), "KeyError: 'nothing' (Throws.py, line 12)."],
  ])('%s is refused in a sentence', async (file, text, sentence) => {
    const said = await faultOf(write(file, text));
    if (typeof sentence === 'string') expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
  });
});
