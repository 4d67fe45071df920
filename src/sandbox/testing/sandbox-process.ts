import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A sandbox in a process of its own, which a test may kill. */
export interface SandboxProcess {
  url: string;
  controlUrl: string; // nobody answers there without --control-port
  /** Ends it at once, as a power cut does to a process. */
  kill(): Promise<void>;
}

/** Starts the sandbox on a folder with the given further arguments; settles when it is ready. */
export async function sandboxProcess(folder: string, further: readonly string[] = []): Promise<SandboxProcess> {
  const main = join(import.meta.dirname, '..', 'main.ts');
  const child: ChildProcess = spawn(process.execPath, [main, '--folder', folder, ...further], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit'); // it may be killed twice
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
  const { url, controlPort } = JSON.parse(line) as { url: string; controlPort: number | null };
  return {
    url,
    controlUrl: `http://127.0.0.1:${controlPort ?? 0}`,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
