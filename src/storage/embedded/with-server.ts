import { startEmbeddedServer } from './embedded-server.ts';

/**
 * Does a piece of work on the embedded database of `home`, whether the product runs or not: a server that runs is
 * used and left running, one that had to be started is stopped afterwards, unless the product has come to use it.
 */
export async function withEmbeddedServer<T>(home: string, work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const server = await startEmbeddedServer(home);
  try {
    return await work(server.url);
  } finally {
    if (!server.adopted) await server.stopUnlessUsed();
  }
}
