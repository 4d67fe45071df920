import { writeAudit } from '#storage/audit/audit-log.ts';
import type { Database } from '#storage/database.ts';

/**
 * Notes who did what from where. A change and its line belong into one transaction, the line last; `user` is null when
 * nobody knows who it was.
 */
export async function audit(
  db: Database,
  call: { address: string; requestId: string },
  user: { id: string; role: string } | null,
  action: string,
  result: 'ok' | 'refused' | 'failed',
  about: { target?: string; detail?: Record<string, unknown> } = {},
): Promise<void> {
  await writeAudit(db, {
    actorId: user?.id ?? null,
    actorRole: user?.role ?? null,
    action,
    address: call.address,
    requestId: call.requestId,
    result,
    ...about,
  });
}
