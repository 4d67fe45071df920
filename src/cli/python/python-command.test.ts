import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsPython, testPython } from '#strategy-process/python/testing/test-python.ts';
import { writeTo } from '../testing/sandbox-candles.ts';
import { pythonCommand } from './python-command.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-python-command-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  words: string[],
  configured: string | null = null,
  home = folder,
): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const environment = { configured, home, path: process.env['PATH'] ?? '', all: { ...process.env, PIP_NO_INDEX: '1' } };
  const code = await pythonCommand(
    words,
    environment,
    (line) => out.push(line),
    (line) => err.push(line),
  );
  return { code, out, err };
}

/** A program that says it is a Python of some kind. */
function pretender(name: string, said: string): string {
  return makeProgram(writeTo(folder, name, `#!/bin/sh\necho '${said}'\n`));
}

function makeProgram(file: string): string {
  chmodSync(file, 0o755);
  return file;
}

const versions = (over: object): string =>
  JSON.stringify({ python: '3.11.7', pandas: '3.1.1', numpy: '2.4.6', talib: '0.8.2', freqtrade: '2026.9', ...over });

describe('flotilla python check', () => {
  test.each<[string, object, number, string[]]>([
    ['all', {}, 0, ['pandas     3.1.1', 'TA-Lib     0.8.2', 'freqtrade  2026.9', 'Strategies in Python run here.']],
    [
      'other',
      { freqtrade: '2025.1', talib: null },
      0,
      [
        'pandas     3.1.1',
        'TA-Lib     missing: PROGRAM -m pip install TA-Lib',
        'freqtrade  2025.1',
        'Strategies in Python run here. Those that import talib do not. Trades were compared with freqtrade 2026.9; with 2025.1 they may differ.',
      ],
    ],
    [
      'bare',
      { pandas: null, talib: null, freqtrade: null },
      1,
      [
        'pandas     missing: PROGRAM -m pip install pandas',
        'TA-Lib     missing: PROGRAM -m pip install TA-Lib',
        'freqtrade  missing: PROGRAM -m pip install freqtrade',
        'Without pandas no strategy in Python runs. `flotilla python set-up` makes a Python that has all of it.',
      ],
    ],
    [
      'old',
      { python: '3.8.10' },
      1,
      ['pandas     3.1.1', 'TA-Lib     0.8.2', 'freqtrade  2026.9', 'Strategies in Python need Python 3.10 or later.'],
    ],
  ])('%s', async (name, over, code, lines) => {
    const program = pretender(name, versions(over));
    const found = await run(['check', '--python', program]);
    const { python } = JSON.parse(versions(over));
    const expected = [`Python     ${python}, ${program}`, ...lines.map((line) => line.replace('PROGRAM', program))];
    expect(found).toEqual({ code, out: expected, err: [] });
  });

  test('the given Python goes before the configured one, and that before the one of set-up', async () => {
    const [given, configured] = [pretender('given', versions({})), pretender('configured', versions({}))];
    const home = join(folder, 'with-own');
    mkdirSync(join(home, 'python/bin'), { recursive: true });
    const own = makeProgram(writeTo(home, 'python/bin/python', `#!/bin/sh\necho '${versions({})}'\n`));
    const first = async (words: string[], named: string | null) => (await run(['check', ...words], named, home)).out[0];
    expect(await first(['--python', given], configured)).toBe(`Python     3.11.7, ${given}`);
    expect(await first([], configured)).toBe(`Python     3.11.7, ${configured}`);
    expect(await first([], null)).toBe(`Python     3.11.7, ${own}`);
  });

  test('what is not a Python is said', async () => {
    const said = (words: string[], named: string | null = null) => run(words, named).then(({ code, err }) => [code, ...err]);
    expect(await said(['check', '--python', '/no/python'])).toEqual([2, '--python names /no/python, which is not a program here.']);
    expect(await said(['check'], 'nopython')).toEqual([2, 'FLOTILLA_PYTHON names nopython, which is not a program here.']);
    expect(await said(['check', '--python', '/bin/false'])).toEqual([2, '/bin/false is not a Python that runs.']);
    expect(await said(['fly'])).toEqual([2, '"fly" is nothing that can be done with Python. Give one of check, set-up.']);
  });
});

describe.skipIf(testPython === null)(needsPython('flotilla python set-up'), () => {
  test('what cannot be installed leaves nothing behind', async () => {
    const home = join(folder, 'new');
    const { code, out, err } = await run(['set-up', '--python', testPython ?? ''], null, home);
    expect({ code, err }).toEqual({ code: 1, err: [] });
    expect(out.at(-1)).toMatch(/^That failed, and .*\/new\/python was removed again: .*freqtrade/u);
    expect(existsSync(join(home, 'python'))).toBe(false);
  });

  test('what is there is not made again', async () => {
    const home = join(folder, 'there');
    mkdirSync(join(home, 'python'), { recursive: true });
    expect((await run(['set-up'], null, home)).err[0]).toMatch(/python is there already; remove it to make another/u);
  });
});
