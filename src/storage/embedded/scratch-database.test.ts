import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { embeddedDatabase } from '../../../test/support/embedded-database.ts';
import { openDatabase } from '../database.ts';
import { superuser } from './access-rules.ts';
import { withScratchDatabase } from './scratch-database.ts';

const { db, url } = await embeddedDatabase();
const asSuperuser = new URL(url);
asSuperuser.username = superuser;
const admin = openDatabase(asSuperuser.href, { connections: 1 });
afterAll(() => admin.destroy());

test('why the work failed is said, also where the database aside cannot be dropped after it', async () => {
  const failing = withScratchDatabase(url, async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flotilla restore test'`.execute(admin);
    throw new Error('No space left on device');
  });
  await expect(failing).rejects.toThrow('No space left on device');
  // The next one drops what was left.
  expect(await withScratchDatabase(url, async (scratchUrl) => scratchUrl)).toContain('flotilla_restore_test');
  expect((await sql`select from pg_database where datname = 'flotilla_restore_test'`.execute(db)).rows).toEqual([]);
});
