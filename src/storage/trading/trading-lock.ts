import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { readServerStart } from '../server-start.ts';

/** Shared by all steps that enter a trade, from before they read the kill switch until they are committed. */
const tradingLock = 7_364_002;

/** How long a try to pass the steps under way takes, in ms, unless a test has more patience. */
const passingMs = 300;

/** For how long an exchange takes a request at most, in ms. */
const requestLifeMs = 2_000;

/** After so many tries every step under way is ended, not only those whose runner is silent. */
const gentleTries = 2;

/**
 * To be called before a transaction that enters a trade reads the kill switch; ends with the transaction.
 *
 * Needs: a transaction; its first lock
 */
export async function shareTradingLock(trx: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${tradingLock})`.execute(trx);
}

/**
 * Waits until every step that may have read an earlier kill switch is committed or rolled back; to be called when the new one is
 * committed. A step whose runner is silent, because it is frozen, is ended with its connection, and after a second at the
 * latest each that is still under way: PostgreSQL rolls it back, and its runner starts that bot again from the database.
 *
 * Entries that were sent to an exchange before may still arrive there: waits until each is answered, or too late to be taken.
 */
export async function waitForEntries(db: Database, patienceMs = passingMs): Promise<void> {
  for (let tries = 1; !(await tryLock(db, patienceMs)); tries++) await endSteps(db, tries <= gentleTries, patienceMs);
  while (await isEntryOnItsWay(db)) await sleep(20);
}

/** Whether an exchange may still take an entry whose answer is not known. What we know of its clock may be ahead by a second. */
async function isEntryOnItsWay(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select 1 from orders
    where status in ('sent', 'unknown') and purpose = 'entry' and expires_at > clock_timestamp() - interval '1 second' limit 1`.execute(db);
  // Of one that was sent just before a start of the server it may be lost that it was.
  return rows.length > 0 || (await readServerStart(db, requestLifeMs)) === '';
}

async function endSteps(db: Database, onlySilent: boolean, patienceMs: number): Promise<void> {
  await sql`
    select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and a.datname = current_database() and l.database = a.datid
      and l.classid = 0 and l.objid = ${tradingLock} and l.objsubid = 1 and l.mode = 'ShareLock' and l.granted and l.pid <> pg_backend_pid()
      and (${!onlySilent} or (a.state = 'idle in transaction' and a.state_change < clock_timestamp() - ${patienceMs} * interval '1 ms'))`.execute(
    db,
  );
}

async function tryLock(db: Database, patienceMs: number): Promise<boolean> {
  const lockNotAvailable = '55P03';
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('lock_timeout', ${String(patienceMs)}, true)`.execute(trx);
      await sql`select pg_advisory_xact_lock(${tradingLock})`.execute(trx);
    });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return false;
    throw error;
  }
}
