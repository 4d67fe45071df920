import type { CallReply } from '#contract/client.ts';

/** A record of the audit log: the admin signed in. Higher numbers are later by a minute. */
export function anAuditRecord(
  number: number,
  changes: Partial<CallReply<'listAudit'>['records'][number]> = {},
): CallReply<'listAudit'>['records'][number] {
  return {
    id: String(number),
    time: new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString(),
    actor: 'admin@flotilla.example',
    actor_role: 'admin',
    action: 'sign-in',
    target: null,
    target_name: null,
    address: '192.0.2.14',
    request_id: `req-${number}`,
    result: 'ok',
    detail: {},
    fingerprint: 'c41e09ab77f2',
    ...changes,
  };
}
