import { stat } from 'node:fs/promises';
import { Client, escapeIdentifier } from 'pg';
import { readContents } from './backup-contents.ts';
import { copyOut } from './backup-copy.ts';
import { writeBackupFile } from './backup-file.ts';
import { appliedMigrations, listKeptTables, plainSettings } from './backup-tables.ts';
import { giveWay } from '../embedded/give-way.ts';

/** What a backup holds. */
export interface BackupSummary {
  madeAt: string; // ISO time
  tables: number;
  bytes: number; // size of the file
}

/** Rows go into frames of about this size. */
const frameBytes = 65_536;

/**
 * Writes everything worth keeping of a database into a new file, as of one moment; others work meanwhile.
 *
 * The frames: for every table its description, its rows as COPY gives them, and an empty frame; last a description of
 * the sequences. What a file is made of: see `writeBackupFile`.
 *
 * `givesWay`: others on this machine come first.
 *
 * Fails: with one sentence when the file is there already or the database has no tables of ours
 */
export async function backup(databaseUrl: string, file: string, { givesWay = false } = {}): Promise<BackupSummary> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, application_name: 'flotilla backup' });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  try {
    await client.query(plainSettings);
    if (givesWay) await giveWay(client);
    await client.query('begin isolation level repeatable read read only');
    const migrations = await appliedMigrations(client);
    if (migrations.length === 0) throw new Error('The database holds nothing of Flotilla; there is nothing to back up.');
    const { rows } = await client.query<{ now: Date; version: string }>(`select now(), current_setting('server_version') as version`);
    const tables = await listKeptTables(client);
    const contents = await readContents(client);
    const madeAt = (rows[0]?.now ?? new Date()).toISOString();
    const frames = async function* (): AsyncGenerator<Buffer> {
      for (const table of tables) {
        yield Buffer.from(JSON.stringify(table));
        const names = table.columns.map((column) => escapeIdentifier(column)).join(', ');
        yield* gathered(copyOut(client, `copy (select ${names} from ${escapeIdentifier(table.table)}) to stdout`));
        yield Buffer.alloc(0);
      }
      // A sequence stands outside the snapshot: read after the rows, it is never behind them.
      const sequences = await client.query<{ name: string; value: string }>(
        `select sequencename::text as name, last_value::text as value from pg_sequences
         where schemaname = current_schema() and last_value is not null`,
      );
      yield Buffer.from(JSON.stringify({ sequences: sequences.rows }));
    };
    await writeBackupFile(file, { format: 1, madeAt, migrations, postgres: rows[0]?.version ?? '', contents }, frames());
    await client.query('commit');
    return { madeAt, tables: tables.length, bytes: (await stat(file)).size };
  } finally {
    await client.end();
  }
}

/** Small pieces joined to frames. */
async function* gathered(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < frameBytes) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}
