import { describe, expect, test } from 'vitest';
import { CommandError, exitCodeOf, HelpRequested } from './command-error.ts';
import { type CommandDescription, type CommandOption, exitCodesText, readOptions } from './options.ts';

const description = {
  name: 'sail',
  summary: 'Sails somewhere.',
  options: {
    port: { values: 'one', placeholder: 'NAME', help: 'where to' },
    'first-crew': { values: 'several', placeholder: 'NAME', help: 'who sails' },
    fast: { values: 'none', help: 'under full sail' },
  },
  examples: ['flotilla sail --port Bergen'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

const refused = (...words: string[]): string => {
  try {
    readOptions(words, description);
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('options', () => {
  test('values follow their option, joined by = or by commas', () => {
    expect(readOptions(['--port', 'Bergen', '--first-crew', 'a', 'b,c', '--fast'], description)).toEqual({
      port: 'Bergen',
      'first-crew': ['a', 'b', 'c'],
      fast: true,
    });
    expect(readOptions(['--port=-20250701'], description)).toEqual({ port: '-20250701' });
    expect(readOptions(['--port', '-20250701'], description)).toEqual({ port: '-20250701' });
    expect(readOptions(['--first-crew', 'a', '--first-crew', 'b'], description)).toEqual({ 'first-crew': ['a', 'b'] });
    expect(readOptions([], description)).toEqual({});
  });

  test('what is unknown, missing or given twice is refused in a sentence', () => {
    expect(refused('--prot', 'x')).toBe("Unknown option '--prot' (Did you mean --port?)");
    expect(refused('--port', '--fast')).toBe("Option '--port <NAME>' argument '--fast' is invalid. It needs a value.");
    expect(refused('--port', 'a', '--port', 'b')).toBe("Option '--port <NAME>' argument 'b' is invalid. It is given twice.");
    expect(refused('somewhere')).toBe('Too many arguments. Expected 0 arguments but got 1: somewhere.');
  });

  test('an argument is required where the command has one', () => {
    const backup = { ...description, argument: { name: 'FILE', help: 'the backup' } };
    expect(readOptions(['a.backup', '--fast'], backup)).toEqual({ argument: 'a.backup', fast: true });
    expect(() => readOptions(['--fast'], backup)).toThrow("Missing required argument 'FILE'.");
  });

  test('--help prints every option, the examples and the exit codes, and wins over what is wrong', () => {
    const help = (...words: string[]): string => {
      try {
        readOptions(words, description);
      } catch (error) {
        if (error instanceof HelpRequested) return error.message;
      }
      return '';
    };
    expect(help('--help')).toMatch(/^Usage: flotilla sail \[options\]\n\nSails somewhere\.\n/u);
    for (const text of ['--port <NAME> ', 'where to', '--first-crew <NAME...>', 'flotilla sail --port Bergen', exitCodesText]) {
      expect(help('-h')).toContain(text);
    }
  });
});

describe('exit codes', () => {
  const run = async (command: () => Promise<number>) => {
    const [said, complained]: [string[], string[]] = [[], []];
    const code = await exitCodeOf(
      (line) => said.push(line),
      (line) => complained.push(line),
      command,
    );
    return { code, said, complained };
  };

  test('are the command’s own, 0 after help, 2 after a wrong call; anything else is passed on', async () => {
    expect(await run(async () => 130)).toEqual({ code: 130, said: [], complained: [] });
    expect(
      await run(async () => {
        throw new HelpRequested('Usage');
      }),
    ).toEqual({ code: 0, said: ['Usage'], complained: [] });
    expect(
      await run(async () => {
        throw new CommandError(['One.', 'Two.']);
      }),
    ).toEqual({ code: 2, said: [], complained: ['One.', 'Two.'] });
    await expect(
      run(async () => {
        throw new RangeError('broken');
      }),
    ).rejects.toThrow('broken');
  });
});
