import type { CsvCell } from '../ui/csv.ts';
import { csvText } from '../ui/csv.ts';
import { actionText } from './action-text.ts';
import type { AuditRecord } from './record-text.ts';
import { resultText, whoText } from './record-text.ts';

const columns: readonly [string, (record: AuditRecord) => CsvCell][] = [
  ['Number', (record) => record.id],
  ['Time (UTC)', (record) => record.time],
  ['Who', whoText],
  ['Role', (record) => record.actor_role],
  ['What', (record) => actionText(record.action, record.result)],
  ['Action', (record) => record.action],
  ['Target', (record) => record.target_name],
  ['Target id', (record) => record.target],
  ['From', (record) => record.address],
  ['Result', (record) => resultText(record.result)],
  ['Request', (record) => record.request_id],
  ['Fingerprint', (record) => record.fingerprint],
  ['Details', (record) => JSON.stringify(record.detail)],
];

/** Records as the text of a CSV file, with a header. */
export function auditCsv(records: readonly AuditRecord[]): string {
  return csvText([columns.map(([title]) => title), ...records.map((record) => columns.map(([, value]) => value(record)))]);
}

/** The name of a file that is made at `now`, in ms: 'audit-2026-11-22.csv'. */
export function auditFileName(now: number): string {
  return `audit-${new Date(now).toISOString().slice(0, 10)}.csv`;
}
