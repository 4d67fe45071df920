import type { CallReply } from '#contract/client.ts';

/** A record of the audit log. */
export type AuditRecord = CallReply<'listAudit'>['records'][number];

/** Stands where a record has no value. */
export const nothing = 'N/A';

const resultWords: Readonly<Record<string, string>> = { ok: 'done', refused: 'refused', failed: 'failed' };

/** Who acted. The server has no address; a person has one, also when nobody knows who it is. */
export function whoText({ actor, actor_role: role, address, request_id: request }: AuditRecord): string {
  if (actor !== null) return actor;
  if (role !== null) return 'an account that was removed';
  return address === null && request === null ? 'the server' : 'somebody unknown';
}

/** What it was done to: its name where it has one, else its id. */
export function targetText({ target, target_name: name }: AuditRecord): string {
  return name ?? target ?? nothing;
}

/** How it ended, as one word. */
export function resultText(result: string): string {
  return Object.hasOwn(resultWords, result) ? (resultWords[result] ?? result) : result;
}

/** The time of a record with its milliseconds: '2026-11-21 18:58:04.112'. */
export function timeText(time: string): string {
  return new Date(time).toISOString().slice(0, 23).replace('T', ' ');
}

/** A fingerprint in groups of four, as it is read aloud and compared. */
export function fingerprintText(fingerprint: string): string {
  return fingerprint.replaceAll(/(.{4})(?=.)/gu, '$1 ');
}
