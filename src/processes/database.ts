import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { MissCount } from './miss-count.ts';

/** The embedded database as a process of the product. */
export interface SupervisedDatabase {
  url: string;
  /** Ends it, unless another program uses it too. */
  stop(): Promise<void>;
}

const checkMs = secondMs;

/** A running database is queried so rarely that it costs nothing, and stopped when it was silent more often in a row. */
const checksPerQuery = 5;
const mostSilences = 3;

/**
 * Starts the embedded database and starts it again, on the same socket, whenever its process ends or answers nobody any
 * more: the other processes then find it where it was.
 */
export async function startDatabase(
  home: string,
  options: { say: (line: string) => void; isStopping: () => boolean; checkEveryMs?: number; mostSilences?: number },
): Promise<SupervisedDatabase> {
  let server = await startEmbeddedServer(home, { isGivenUp: options.isStopping });
  const { url } = server;
  const silences = new MissCount(options.mostSilences ?? mostSilences);
  let checks = 0;
  const check = async (): Promise<void> => {
    if (options.isStopping()) return;
    if (server.isRunning()) {
      checks += 1;
      if (checks % checksPerQuery !== 0) return;
      if (await server.answers()) {
        silences.reset();
        return;
      }
      if (!silences.miss() || options.isStopping()) return;
      options.say('The database does not answer; it is stopped.');
      await server.stop();
    }
    silences.reset();
    options.say('The database ended; it is started again.');
    try {
      server = await startEmbeddedServer(home, { isGivenUp: options.isStopping });
    } catch (error) {
      options.say(`The database could not be started: ${errorText(error)}`);
    }
  };
  let checking: Promise<void> | null = null;
  const timer = setInterval(() => {
    checking ??= check().finally(() => (checking = null));
  }, options.checkEveryMs ?? checkMs);
  return {
    url,
    async stop() {
      clearInterval(timer);
      await checking;
      await server.stopUnlessUsed();
    },
  };
}
