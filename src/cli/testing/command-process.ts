import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** What a command has said and how it has ended. */
export interface CommandEnd {
  code: number | null;
  out: string;
  err: string;
}

const main = join(import.meta.dirname, '../../main.ts');

/** Runs a command of the command line in a process of its own, as a person does. */
export async function runCommand(
  name: 'backtest' | 'lookahead' | 'download' | 'hyperopt' | 'hyperopt-list' | 'hyperopt-show',
  words: readonly string[],
): Promise<CommandEnd> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, name, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}
