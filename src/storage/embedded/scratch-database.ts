import { Client } from 'pg';
import { giveWay } from './give-way.ts';
import { productRole, superuser } from './access-rules.ts';

const name = 'flotilla_restore_test';

/**
 * Does a piece of work on an empty database of the embedded server, which is dropped afterwards; one that was left over is dropped
 * before. `databaseUrl` is the one of the product; `dataFolder` is where the server keeps what is written.
 */
export async function withScratchDatabase<T>(
  databaseUrl: string,
  work: (scratchUrl: string, dataFolder: string) => Promise<T>,
): Promise<T> {
  const asSuperuser = new URL(databaseUrl);
  asSuperuser.username = superuser;
  const client = new Client({
    connectionString: asSuperuser.href,
    connectionTimeoutMillis: 10_000,
    application_name: 'flotilla restore test',
  });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  try {
    await giveWay(client);
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} owner ${productRole} template template0`);
    const scratch = new URL(databaseUrl);
    scratch.pathname = `/${name}`;
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    return await work(scratch.href, rows[0]?.folder ?? '');
  } finally {
    try {
      await client.query(`drop database if exists ${name} with (force)`);
    } finally {
      await client.end();
    }
  }
}
