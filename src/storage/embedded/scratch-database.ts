import { Client } from 'pg';
import { giveWay } from './give-way.ts';
import { productRole, superuser } from './access-rules.ts';

const name = 'flotilla_restore_test';

/** Drops one that was left over, where that can be done; gives the folder where the server keeps what is written. */
export async function dropScratchDatabase(databaseUrl: string): Promise<string> {
  return asSuperuser(databaseUrl, async (client) => {
    await client.query(drop).catch(() => undefined); // as on a disk that is full; it is in nobody's way before another is made
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    return rows[0]?.folder ?? '';
  });
}

/**
 * Does a piece of work on an empty database of the embedded server, which is dropped afterwards; one that was left over is dropped
 * before. `databaseUrl` is the one of the product.
 */
export async function withScratchDatabase<T>(databaseUrl: string, work: (scratchUrl: string) => Promise<T>): Promise<T> {
  return asSuperuser(databaseUrl, async (client) => {
    let done: T;
    try {
      await client.query(drop);
      await client.query(`create database ${name} owner ${productRole} template template0`);
      const scratch = new URL(databaseUrl);
      scratch.pathname = `/${name}`;
      done = await work(scratch.href);
    } catch (error) {
      await client.query(drop).catch(() => undefined); // what has failed first is the reason
      throw error;
    }
    await client.query(drop);
    return done;
  });
}

const drop = `drop database if exists ${name} with (force)`;

async function asSuperuser<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const url = new URL(databaseUrl);
  url.username = superuser;
  const client = new Client({
    connectionString: url.href,
    connectionTimeoutMillis: 10_000,
    application_name: 'flotilla restore test',
  });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  try {
    await giveWay(client);
    return await work(client);
  } finally {
    await client.end();
  }
}
