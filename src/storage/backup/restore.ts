import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, escapeIdentifier } from 'pg';
import { copyIn } from './backup-copy.ts';
import type { BackupFile } from './backup-file.ts';
import { openBackupFile } from './backup-file.ts';
import type { BackupTable } from './backup-tables.ts';
import { CamelCaseRows } from '../camel-case-rows.ts';
import { appliedMigrations, listTables, plainSettings } from './backup-tables.ts';
import type { Database } from '../database.ts';
import { giveWay } from '../embedded/give-way.ts';
import { factsOfMachine, writeFact } from '../installation/facts.ts';
import { withoutInsertTriggers } from './insert-triggers.ts';
import { migrate, migrations } from '../migrate.ts';
import type { Schema } from '../schema.ts';

/** What a restore has done. */
export interface RestoreSummary {
  madeAt: string; // ISO time of the backup
  rows: number;
  pausedBots: number;
}

/**
 * Fills an empty database from a backup, in one transaction: either everything is there afterwards or nothing.
 *
 * Every active bot is paused, because the exchange is newer than the backup, and every live bot that was stopped too: it may have traded
 * since, and accounts of stopped bots are not compared; the ids of its orders continue far behind those that it
 * may have used since, because an exchange takes the id of an order that has ended again; the fact `restored_at` says when. What is known of the machine of the backup is forgotten (`factsOfMachine`).
 *
 * `givesWay`: others on this machine come first.
 *
 * Fails: with one sentence when the backup is damaged or of another schema, or the database is not empty
 */
export async function restore(databaseUrl: string, file: string, { givesWay = false } = {}): Promise<RestoreSummary> {
  const opened = await openBackupFile(file);
  refuseOtherSchema(opened.header.migrations);
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, application_name: 'flotilla restore' });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  // One connection for Kysely and for COPY alike, so that both work in the same transaction.
  const pool = { options: {}, connect: async () => Object.assign(client, { release() {} }), end: async () => client.end() };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCaseRows()],
  });
  try {
    await client.query(plainSettings);
    if (givesWay) await giveWay(client);
    const done = await db.transaction().execute(async (trx) => {
      await makeEmptySchema(client, async () => migrate(trx));
      const rows = await withoutInsertTriggers(client, async () => fill(client, opened));
      await skipOrderNumbers(trx);
      const paused = await trx
        .updateTable('bots')
        .set({ status: 'paused', archivedAt: null, updatedAt: new Date() }) // one that was archived may have been brought back since
        .where((is) =>
          is.or([
            is('status', '=', 'active'),
            is.and([is('status', '=', 'stopped'), is('mode', '=', 'live'), is('apiKeyId', 'is not', null)]),
          ]),
        )
        .executeTakeFirst();
      await trx.updateTable('bots').set({ runnerId: null }).execute();
      await trx.deleteFrom('facts').where('key', 'in', factsOfMachine).execute();
      await writeFact(trx, 'restored_at', new Date().toISOString());
      return { madeAt: opened.header.madeAt, rows, pausedBots: Number(paused.numUpdatedRows) };
    });
    await client.query('analyze');
    return done;
  } finally {
    await db.destroy();
  }
}

function refuseOtherSchema(made: readonly string[]): void {
  const known = Object.keys(migrations).toSorted();
  if (JSON.stringify(made.toSorted()) === JSON.stringify(known)) return;
  throw new Error(
    `The backup was made by another version of Flotilla (schema ${made.at(-1) ?? 'unknown'}; this one has ${known.at(-1)}). Restore it with that version, then update.`,
  );
}

/** Makes the tables when there are none; fails when any holds a row. */
async function makeEmptySchema(client: Client, make: () => Promise<unknown>): Promise<void> {
  const tables = await listTables(client);
  if (tables.length > 0 && (await appliedMigrations(client)).length === 0)
    throw new Error('The database holds tables that are not ours. Restore into an empty database.');
  await make();
  const names = (await listTables(client)).map(({ table }) => escapeIdentifier(table));
  await client.query(`lock table ${names.join(', ')} in exclusive mode`);
  for (const name of names) {
    const { rows } = await client.query(`select 1 from ${name} limit 1`);
    if (rows.length > 0)
      throw new Error(
        `The database is not empty (${name} has rows). Restore into an empty database: a new one in DATABASE_URL, or a new FLOTILLA_HOME.`,
      );
  }
}

async function fill(client: Client, { frames }: BackupFile): Promise<number> {
  let rows = 0;
  for (;;) {
    const described = (await frames.description()) as BackupTable | { sequences: { name: string; value: string }[] };
    if ('sequences' in described) {
      for (const { name, value } of described.sequences)
        await client.query('select setval($1::regclass, $2)', [escapeIdentifier(name), value]);
      return rows;
    }
    const names = described.columns.map((column) => escapeIdentifier(column)).join(', ');
    rows += await copyIn(client, `copy ${escapeIdentifier(described.table)} (${names}) from stdin`, frames.rows());
  }
}

/** More orders than a bot makes between two backups. */
const skippedOrders = 1_000_000;

/** Orders made after the backup are unknown here: their numbers must not be used again. */
async function skipOrderNumbers(trx: Database): Promise<void> {
  await sql`
    update bots set engine_state = (
      select jsonb_object_agg(mode, case when memory ? 'nextOrderNumber'
        then memory || jsonb_build_object('nextOrderNumber', (memory ->> 'nextOrderNumber')::bigint + ${skippedOrders}) else memory end)
      from jsonb_each(engine_state) as each (mode, memory))
    where engine_state <> '{}'::jsonb`.execute(trx);
}
