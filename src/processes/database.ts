import { errorText } from '#engine/ports/error-text.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';

/** The embedded database as a part of the product. */
export interface DatabasePart {
  url: string;
  /** Ends it, unless another program uses it too. */
  stop(): Promise<void>;
}

const checkMs = 1_000;

/** A running database is asked so rarely that asking costs nothing, and stopped when it was silent so often in a row. */
const checksPerQuestion = 5;
const mostSilences = 4;

/**
 * Starts the embedded database and starts it again, on the same socket, whenever its process ends or answers nobody any
 * more: the other parts then find it where it was.
 */
export async function startDatabase(
  home: string,
  around: { say: (line: string) => void; isStopping: () => boolean; checkEveryMs?: number },
): Promise<DatabasePart> {
  let server = await startEmbeddedServer(home, { isGivenUp: around.isStopping });
  const { url } = server;
  let silences = 0;
  let checks = 0;
  const check = async (): Promise<void> => {
    if (around.isStopping()) return;
    if (server.isRunning()) {
      checks += 1;
      if (checks % checksPerQuestion !== 0) return;
      silences = (await server.answers()) ? 0 : silences + 1;
      if (silences < mostSilences || around.isStopping()) return;
      around.say('The database does not answer; it is stopped.');
      await server.stop();
    }
    silences = 0;
    around.say('The database ended; it is started again.');
    try {
      server = await startEmbeddedServer(home, { isGivenUp: around.isStopping });
    } catch (error) {
      around.say(`The database could not be started: ${errorText(error)}`);
    }
  };
  let checking: Promise<void> | null = null;
  const timer = setInterval(() => {
    checking ??= check().finally(() => (checking = null));
  }, around.checkEveryMs ?? checkMs);
  return {
    url,
    async stop() {
      clearInterval(timer);
      await checking;
      await server.stopUnlessUsed();
    },
  };
}
