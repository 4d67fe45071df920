import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { serverStartedAt } from '../../../test/support/server-started.ts';
import { databaseRecords } from './account-records.ts';

const { db, url } = await freshDatabase();

/** What `start` says of a server that was started so many ms ago, whenever it is asked. */
async function startOf(msAgo: number): Promise<string> {
  const there = await serverStartedAt(db, url, `clock_timestamp() - interval '${msAgo} ms'`);
  return await databaseRecords(there, { apiKeyId: '7d0b4f5a-0000-4000-8000-000000000001', marketType: 'spot' }).start();
}

test('OP-85 a search that begins while an order of before a start of the server may still arrive does not count for the next', async () => {
  // Its request expires after two seconds at most, and the clock of the exchange may be a second off.
  expect(await startOf(2_990)).toBe('');
});

test('OP-85 one that begins later does, and so does each where the clock was set back to before the start', async () => {
  expect(await startOf(5_000)).not.toBe('');
  expect(await startOf(-3_600_000)).not.toBe('');
});
