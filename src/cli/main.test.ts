import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Runs the command line as a person does, and returns what it printed and its exit code. */
function flotilla(words: readonly string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../main.ts'), ...words], {
    encoding: 'utf8',
    env: { ...process.env, ...environment, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
  });
  return { code: status, out: stdout, err: stderr };
}

const names = [
  'serve',
  'backtest',
  'lookahead',
  'rules',
  'python',
  'new-strategy',
  'strategies',
  'download',
  'backup',
  'restore',
  'doctor',
  'exchange-check',
  'audit-check',
  'end-sessions',
  'reset-2fa',
  'migrate',
];

describe('flotilla', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])('%j lists the commands', (words) => {
    const { code, out, err } = flotilla(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of names) expect(out).toContain(`flotilla ${name} `);
    expect(out).not.toContain('demonstrate');
  });

  test.each(names)('%s --help and help %s print the same page', (name) => {
    const { code, out, err } = flotilla([name, '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: flotilla ${name} `, 'u'));
    expect(out).toContain('Exit codes: 0 done;');
    expect(flotilla(['help', name])).toEqual({ code, out, err });
  });

  test.each<[string[], string]>([
    [['wat'], 'There is no command "wat". flotilla --help lists the commands.\n'],
    [['constructor'], 'There is no command "constructor". flotilla --help lists the commands.\n'],
    [['serve', '--role', 'captain'], '--role must be web, runner or backtests, and is "captain".\n'],
    [['backup'], "Missing required argument 'FILE'.\n"],
    [['migrate', 'now'], 'Too many arguments. Expected 0 arguments but got 1: now.\n'],
  ])('%j is a wrong call: 2', (words, err) => {
    expect(flotilla(words)).toEqual({ code: 2, out: '', err });
  });

  test('wrong settings are a wrong call, reported together', () => {
    const { code, err } = flotilla(['serve'], { PORT: 'x', DATABASE_URL: 'mysql://x' });
    expect(code).toBe(2);
    expect(err).toContain('PORT must be a number from 1 to 65535');
    expect(err).toContain('DATABASE_URL must be an address');
  });

  test('a command that fails ends with 1', () => {
    const { code, err } = flotilla(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(err).not.toBe('');
  });
});
