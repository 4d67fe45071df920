import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';

/** One line of the audit log: who did what to what, from where, with what result. Never a secret. */
export interface AuditEntry {
  actorId: string | null;
  actorRole: string | null;
  action: string; // e.g. 'sign-in'
  target?: string | null;
  address?: string | null;
  requestId?: string | null;
  result: 'ok' | 'refused' | 'failed';
  detail?: Record<string, unknown>;
}

/**
 * Appends a line; each line carries the hash of the one before, so a line taken out later is noticed. In a transaction
 * it is there only if what it says is there too; write it last, because the next writer waits until the transaction ends.
 */
export async function writeAudit(db: Database, entry: AuditEntry): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${auditLock})`.execute(trx);
    const last = await trx.selectFrom('auditLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
    const time = new Date();
    const detail = JSON.stringify(entry.detail ?? {});
    const hash = createHash('sha256')
      .update(last?.hash ?? '')
      .update(
        JSON.stringify([time.toISOString(), entry.actorId, entry.actorRole, entry.action, entry.target ?? null, entry.result, detail]),
      )
      .digest();
    await trx
      .insertInto('auditLog')
      .values({
        time,
        actorId: entry.actorId,
        actorRole: entry.actorRole,
        action: entry.action,
        target: entry.target ?? null,
        address: entry.address ?? null,
        requestId: entry.requestId ?? null,
        result: entry.result,
        detail,
        previousHash: last?.hash ?? null,
        hash,
      })
      .execute();
  });
}

const auditLock = 7_310_001;
