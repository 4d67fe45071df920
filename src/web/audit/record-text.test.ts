import { expect, test } from 'vitest';
import { anAuditRecord } from '../testing/samples/audit.ts';
import { auditQuery, firstFilter } from './audit-filter.ts';
import { auditCsv, auditFileName } from './audit-csv.ts';
import { fingerprintText, resultText, targetText, timeText, whoText } from './record-text.ts';

const nobody = { actor: null, actor_role: null };

test('who acted: an account, the server, somebody unknown, an account that is gone', () => {
  expect(whoText(anAuditRecord(1))).toBe('admin@flotilla.example');
  expect(whoText(anAuditRecord(1, { ...nobody, address: null, request_id: null }))).toBe('the server');
  expect(whoText(anAuditRecord(1, { ...nobody, action: 'sign-in', result: 'refused' }))).toBe('somebody unknown');
  expect(whoText(anAuditRecord(1, { actor: null, actor_role: 'trader' }))).toBe('an account that was removed');
});

test('the target is a name, else an id, else N/A', () => {
  expect(targetText(anAuditRecord(1, { target: 'id-1', target_name: 'Tide' }))).toBe('Tide');
  expect(targetText(anAuditRecord(1, { target: 'id-1', target_name: null }))).toBe('id-1');
  expect(targetText(anAuditRecord(1, { target: null, target_name: null }))).toBe('N/A');
});

test('results, times and fingerprints as they are read', () => {
  expect(['ok', 'refused', 'failed', 'odd', 'toString'].map(resultText)).toEqual(['done', 'refused', 'failed', 'odd', 'toString']);
  expect(timeText('2026-11-21T18:58:04.112Z')).toBe('2026-11-21 18:58:04.112');
  expect(fingerprintText('c41e09ab77f2')).toBe('c41e 09ab 77f2');
});

test('a filter asks for what it names and no more', () => {
  const now = Date.parse('2026-11-22T06:00:00Z');
  expect(auditQuery(firstFilter, now)).toEqual({ since: '2026-11-15T06:00:00.000Z' });
  expect(auditQuery({ ...firstFilter, period: '1' }, now)).toEqual({ since: '2026-11-21T06:00:00.000Z' });
  expect(auditQuery({ ...firstFilter, period: '30' }, now)).toEqual({ since: '2026-10-23T06:00:00.000Z' });
  expect(auditQuery({ search: '  mira ', action: 'sign-in', result: 'refused', period: 'all' }, now)).toEqual({
    search: 'mira',
    action: 'sign-in',
    result: 'refused',
  });
});

test('a file has a header and every field of each record; a nickname does not become a formula', () => {
  const record = anAuditRecord(7, { action: 'bot-status', target: 'id-7', target_name: '=HYPERLINK("x")', detail: { from: 'active' } });
  const lines = auditCsv([record]).slice(1).split('\r\n');
  expect(lines[0]).toBe(
    '"Number","Time (UTC)","Who","Role","What","Action","Target","Target id","From","Result","Request","Fingerprint","Details"',
  );
  expect(lines[1]).toBe(
    `"7","${record.time}","admin@flotilla.example","admin","Changed the status of a bot","bot-status","'=HYPERLINK(""x"")","id-7","192.0.2.14","done","req-7","c41e09ab77f2","{""from"":""active""}"`,
  );
  expect(lines.slice(2)).toEqual(['']);
});

test('the name of a file has the day in UTC', () => {
  expect(auditFileName(Date.parse('2026-11-22T23:59:59Z'))).toBe('audit-2026-11-22.csv');
});
