import { endSessionsNamed, withSessionName } from '#storage/named-sessions.ts';
import { Interrupted } from './command-error.ts';

/** Ctrl-C, `kill`, and a terminal that is closed. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does a piece of work on a database server that `withServer` may have started for it. Who interrupts it ends its sessions, so that it fails
 * at once and the server is stopped as after any other failure; whoever does so once more ends this process in that moment.
 *
 * Fails: Interrupted after an interruption
 */
export async function interruptible<T>(
  withServer: (work: (databaseUrl: string) => Promise<T>) => Promise<T>,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const name = `flotilla command ${process.pid}`;
  let isInterrupted = false;
  let server: string | null = null;
  const interrupt = (): void => {
    isInterrupted = true;
    for (const signal of endings) process.off(signal, interrupt);
    if (server !== null) endSessionsNamed(server, name).catch(() => {}); // its work lasts as long as it lasts, then
  };
  for (const signal of endings) process.on(signal, interrupt);
  try {
    return await withServer(async (url) => {
      if (isInterrupted) throw new Interrupted();
      server = url;
      return await work(withSessionName(url, name));
    });
  } catch (error) {
    throw isInterrupted ? new Interrupted() : error;
  } finally {
    for (const signal of endings) process.off(signal, interrupt);
  }
}
