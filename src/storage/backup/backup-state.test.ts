import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { backupScheduleFact, backupTestFact, passedBackupFact, readFact, removeFact, writeFact } from '../installation/facts.ts';
import { backupFault, noteBackupSchedule } from './backup-state.ts';

const { db } = await freshDatabase();
const start = Date.UTC(2026, 2, 1, 3);
const at = (ms: number) => new Date(start + ms);
const fault = (ms: number) => backupFault(db, at(ms));
const passed = (ms: number) => ({ file: 'a.flotilla', madeAt: at(ms).toISOString(), bytes: 7 });
const nonePassed = { test: null, passed: null };

beforeEach(async () => {
  for (const fact of [backupScheduleFact, backupTestFact, passedBackupFact]) await removeFact(db, fact);
});

test('where backups are made on a schedule, none that has passed for 13 hours is a fault; before that the installation is too young', async () => {
  expect(await fault(100 * hourMs)).toBeNull(); // a server of others: its operator makes them
  await noteBackupSchedule(db, true, at(0));
  expect(await fault(13 * hourMs)).toBeNull();
  expect(await fault(13 * hourMs + 1)).toEqual(nonePassed);
  await writeFact(db, passedBackupFact, passed(2 * hourMs));
  expect(await fault(15 * hourMs)).toBeNull();
  expect(await fault(15 * hourMs + 1)).toEqual({ test: null, passed: passed(2 * hourMs) });
  await writeFact(db, backupTestFact, { testedAt: at(0).toISOString(), file: 'a.flotilla', fault: null });
  expect(await fault(15 * hourMs + 1)).toEqual({ test: null, passed: passed(2 * hourMs) });
  await noteBackupSchedule(db, false, at(0));
  expect(await fault(15 * hourMs + 1)).toBeNull();
});

test('a start after a long pause has an hour for the first backup, and does not make the installation young', async () => {
  await noteBackupSchedule(db, true, at(0));
  await writeFact(db, passedBackupFact, passed(hourMs));
  await noteBackupSchedule(db, true, at(50 * hourMs));
  expect(await readFact(db, backupScheduleFact)).toEqual({ since: at(0).toISOString(), startedAt: at(50 * hourMs).toISOString() });
  expect(await fault(51 * hourMs)).toBeNull();
  expect(await fault(51 * hourMs + 1)).toEqual({ test: null, passed: passed(hourMs) });
});

test('a backup from the future is none, and neither is a start', async () => {
  await noteBackupSchedule(db, true, at(0));
  await writeFact(db, passedBackupFact, passed(100 * hourMs));
  expect(await fault(20 * hourMs)).toEqual({ test: null, passed: passed(100 * hourMs) });
  await noteBackupSchedule(db, true, at(200 * hourMs)); // and the clock was put right
  expect(await fault(20 * hourMs)).toEqual({ test: null, passed: passed(100 * hourMs) });
});

test('one that has failed its test is a fault at once, wherever and whenever', async () => {
  await writeFact(db, backupTestFact, { testedAt: at(0).toISOString(), file: 'b.flotilla', fault: 'No.' });
  expect(await fault(minuteMs)).toEqual({ test: { file: 'b.flotilla', fault: 'No.', isOfRoom: false }, passed: null });
});
