import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** An account as it is printed at the first start. */
export interface PrintedAccount {
  email: string;
  password: string;
  role: string;
}

/** The product, started as its users start it. */
export interface Product {
  url: string;
  lines: string[]; // everything it has printed
  accounts: PrintedAccount[];
  process: ChildProcess;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<void>;
}

/** How a product is started. */
export interface Start {
  home: string;
  port: number;
  environment?: Record<string, string>;
  signIns?: number; // how many accounts it prints; none of a start that makes no account
}

/** Runs `npm start` with its own instance folder and port, until it has printed where to open it and who can sign in. */
export async function startProduct(options: Start): Promise<Product> {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', FLOTILLA_HOME: options.home, PORT: String(options.port), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines: string[] = [];
  let text = '';
  const collect = (part: string): void => {
    text += part;
    lines.splice(0, lines.length, ...text.split('\n'));
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const ended = once(child, 'exit');
  let isOver = false;
  void ended.then(() => (isOver = true));
  const address = (): string | undefined => /^Open (http\S+)/mu.exec(text)?.[1];
  const signIns = (): number => [...text.matchAll(/^Sign in: .+\)$/gmu)].length;
  const hasStarted = (): boolean => address() !== undefined && signIns() >= (options.signIns ?? 0);
  for (const start = Date.now(); !hasStarted(); await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (isOver || Date.now() - start > 300_000) throw new Error(`The product did not start:\n${text}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 200)); // the lines after the address
  return {
    url: address() ?? '',
    lines,
    accounts: [...text.matchAll(/^Sign in: (\S+) \/ (\S+) \((\w+)\)$/gmu)].map(([, email = '', password = '', role = '']) => ({
      email,
      password,
      role,
    })),
    process: child,
    async stop() {
      if (!isOver && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}
