import { checkAudit, listAudit } from '#storage/audit/audit-log.ts';
import type { Handlers } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const pageSize = 100;

/** The audit log, for admins to read. */
export function auditLogHandlers({ db }: ServerDependencies): Pick<Handlers, 'listAudit' | 'checkAudit'> {
  return {
    async listAudit({ query }) {
      const { search, action, result, since, before } = query;
      const words = search?.trim() ?? '';
      const filter = {
        ...(words === '' ? {} : { search: words }),
        ...(action === undefined ? {} : { action }),
        ...(result === undefined ? {} : { result }),
        ...(since === undefined ? {} : { since: new Date(since) }),
        ...(before === undefined ? {} : { before }),
      };
      const { total, lines } = await listAudit(db, filter, pageSize);
      return {
        total,
        records: lines.map((line) => ({
          id: line.id,
          time: line.time.toISOString(),
          actor: line.actor,
          actor_role: line.actorRole,
          action: line.action,
          target: line.target,
          target_name: line.targetName,
          address: line.address,
          request_id: line.requestId,
          result: line.result,
          detail: line.detail,
          fingerprint: line.hash.toString('hex').slice(0, 12),
        })),
        next: lines.length === pageSize ? (lines.at(-1)?.id ?? null) : null,
      };
    },

    async checkAudit({ now }) {
      const { lines, broken } = await checkAudit(db);
      return {
        checked_at: now.toISOString(),
        records: lines,
        broken: broken === null ? null : { id: broken.id, time: broken.time.toISOString() },
      };
    },
  };
}
