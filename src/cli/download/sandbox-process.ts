import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandError } from '../command-error.ts';

/** A simulated market in a process of its own; it ends with `stop`, and when this process ends. */
export interface SandboxProcess {
  url: string;
  stop(): Promise<void>;
}

/** Starts the simulated market. Fails: CommandError when it does not come up */
export async function startSandboxProcess(): Promise<SandboxProcess> {
  const main = join(import.meta.dirname, '../../sandbox/main.ts');
  // Detached, so that an interruption from the keyboard reaches this process only, which still needs the market to end well.
  const child = spawn(process.execPath, [main], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended]);
  const [line] = first as [unknown];
  if (typeof line !== 'string') throw new CommandError('The simulated market could not be started.');
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
