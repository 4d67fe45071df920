import { addAuditEntry } from '#storage/audit-log.ts';
import type { Database } from '#storage/database.ts';

/** Notes who did what from where; `user` is null when nobody knows who it was. */
export async function audit(
  db: Database,
  call: { address: string; requestId: string },
  user: { id: string; role: string } | null,
  action: string,
  result: 'ok' | 'refused',
  target?: string,
): Promise<void> {
  await addAuditEntry(db, {
    actorId: user?.id ?? null,
    actorRole: user?.role ?? null,
    action,
    target: target ?? null,
    address: call.address,
    requestId: call.requestId,
    result,
  });
}
