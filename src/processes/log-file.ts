import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const mostBytes = 10_000_000;

/** The log of a process: lines of JSON in a file of the instance folder. */
export interface LogFile {
  /** Takes a line that has its own line end; what the server's logger writes to. */
  readonly write: (line: string) => void;
  /** Writes a message with its details and the time. */
  readonly log: (message: string, details: object) => void;
}

/**
 * Opens `home`/logs/`name`.log. A long one is put aside as `name`.log.1, of which there is one: logs never fill the disk.
 * A line that cannot be written is lost and reported on standard error, once: a full disk must not end what is logged about.
 */
export function openLogFile(home: string, name: string, options: { mostBytes?: number } = {}): LogFile {
  const folder = join(home, 'logs');
  const path = join(folder, `${name}.log`);
  const most = options.mostBytes ?? mostBytes;
  let size: number | null = null; // null: not known, or not since writing has failed
  let hasFailed = false;
  const sizeNow = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const write = (line: string): void => {
    try {
      if (size === null) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        size = sizeNow();
      }
      if (size + line.length > most) size = sizeNow(); // another process that writes the same log may have put it aside just now
      if (size > 0 && size + line.length > most) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      size += Buffer.byteLength(line);
    } catch (error) {
      if (!hasFailed) process.stderr.write(`Nothing can be written to ${path}: ${String(error)}\n`);
      hasFailed = true;
      size = null;
    }
  };
  return {
    write,
    log: (message, details) => write(`${JSON.stringify({ time: new Date().toISOString(), message, ...details })}\n`),
  };
}
