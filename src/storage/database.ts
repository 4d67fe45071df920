import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, types } from 'pg';
import { CamelCaseRows } from './camel-case-rows.ts';
import { nameOfPrepared } from './prepared.ts';
import type { Schema } from './schema.ts';

/** The database or a transaction on it; the first argument of every storage function. */
export type Database = Kysely<Schema>;

// A date column is a day, not a moment: keep its text.
types.setTypeParser(types.builtins.DATE, (text) => text);

/** A connection that keeps the plans of prepared statements; Kysely gives it nothing but their text. */
class PlanKeepingClient extends Client {
  override readonly query = ((text: unknown, values: unknown[], done: () => void) => {
    const name = typeof text === 'string' ? nameOfPrepared(text) : undefined;
    return name === undefined ? super.query(text as string, values, done) : super.query({ name, text: text as string, values });
  }) as Client['query'];
}

/**
 * Opens a pool of connections to a PostgreSQL server.
 *
 * `onError` receives the errors of connections that break while nobody uses them; the pool replaces them. With `staysOpen` those that
 * nobody uses are kept: bots decide once a minute, all at once, and a connection that must first be opened, and plan its statements,
 * is too late for that. Whoever finds all of them in use waits `waitsMs` for one. A statement without an answer fails after `answersMs`, and its
 * connection is replaced. A transaction whose client is silent for `silentMs` is ended by the server: it holds locks that others wait for.
 */
export function openDatabase(
  url: string,
  options: {
    connections?: number;
    staysOpen?: boolean;
    waitsMs?: number;
    answersMs?: number;
    silentMs?: number;
    onError?: (error: Error) => void;
  } = {},
): Database {
  return open(url, { answersMs: 120_000, ...options });
}

/** Opens connections that change the tables: one statement over a large table may take as long as it takes. Whoever has no answer waits. */
export function openForMigrating(url: string): Database {
  return open(url, { connections: 2, answersMs: 0 });
}

function open(url: string, options: NonNullable<Parameters<typeof openDatabase>[1]>): Database {
  const pool = new Pool({
    Client: PlanKeepingClient,
    connectionString: url,
    max: options.connections ?? 10,
    pipeline: true, // statements of a transaction may be sent one behind the other
    connectionTimeoutMillis: options.waitsMs ?? 5_000,
    idleTimeoutMillis: options.staysOpen === true ? 0 : 10_000,
    // A connection that leads nowhere any more must fail, not hang: whoever waits tries again.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // by itself Linux first asks after two hours
    query_timeout: options.answersMs, // 0: none
    idle_in_transaction_session_timeout: options.silentMs ?? 30_000,
    lock_timeout: 10_000,
    application_name: 'flotilla',
    options: '-c jit=off', // compiling a statement takes longer than it saves in any of ours
  });
  pool.on('error', (error) => options.onError?.(error));
  // One that breaks in use is reported by the statement that fails on it; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCaseRows()] });
}

/** What a server must promise before real money may depend on it, or the sentence that says what is missing. */
export async function durabilityFault(db: Database): Promise<string | null> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`.execute(db);
  const off = rows.filter((row) => row.setting === 'off').map((row) => row.name);
  return off.length === 0
    ? null
    : `The database may lose acknowledged writes: ${off.join(', ')} is off. Live trading stays off until it is on.`;
}

/** Fails with one sentence when the server is older than PostgreSQL 15. */
export async function checkServerVersion(db: Database): Promise<void> {
  const { rows } = await sql<{ number: string; name: string }>`
    select current_setting('server_version_num') as number, current_setting('server_version') as name`.execute(db);
  const [row] = rows;
  if (row === undefined || Number(row.number) < 150_000)
    throw new Error(`PostgreSQL 15 or newer is needed; the server is ${row?.name ?? 'unknown'}.`);
}

/** A database that takes longer than this for a write works too badly to trade on, in ms. */
const slowWriteMs = 2_000;

/** Whether the database answers and takes a write, within two seconds. */
export async function databaseAnswers(db: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), slowWriteMs)));
  // One that hangs is not joined by another each time: together they would take all connections.
  const write = writes.get(db) ?? takesWrite(db).finally(() => writes.delete(db));
  writes.set(db, write);
  const works = await Promise.race([write, tooLate]);
  clearTimeout(timer);
  return works;
}

/** The fact of when the database last took a write to see whether it does. */
export const healthCheckFact = 'last_health_check';

const writes = new WeakMap<Database, Promise<boolean>>();

async function takesWrite(db: Database): Promise<boolean> {
  try {
    await sql`insert into facts (key, value) values (${healthCheckFact}, to_jsonb(now())) on conflict (key) do update set value = excluded.value`.execute(
      db,
    );
    return true;
  } catch {
    return false; // the caller shows it as the state of the platform
  }
}

/** Whether the server only repeats another one, and takes no writes. */
export async function isStandby(db: Database): Promise<boolean> {
  const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
  return rows[0]?.standby === true;
}
