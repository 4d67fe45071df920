import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';

/** The embedded database as a part of the product. */
export interface DatabasePart {
  url: string;
  /** Ends it, unless another program uses it too. */
  stop(): Promise<void>;
}

const lookMs = 1_000;

/**
 * Starts the embedded database and starts it again, at the same port, whenever its process ends: the other parts then
 * find it where it was.
 */
export async function startDatabase(
  home: string,
  around: { say: (line: string) => void; isStopping: () => boolean },
): Promise<DatabasePart> {
  let server = await startEmbeddedServer(home, { isGivenUp: around.isStopping });
  const { url } = server;
  const port = Number(new URL(url).port);
  const lookAfter = async (): Promise<void> => {
    if (around.isStopping() || server.isRunning()) return;
    around.say('The database ended; it is started again.');
    try {
      server = await startEmbeddedServer(home, { findPort: async () => port, isGivenUp: around.isStopping });
    } catch (error) {
      around.say(`The database could not be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let look: Promise<void> | null = null;
  const timer = setInterval(() => {
    look ??= lookAfter().finally(() => (look = null));
  }, lookMs);
  return {
    url,
    async stop() {
      clearInterval(timer);
      await look;
      await server.stopUnlessUsed();
    },
  };
}
