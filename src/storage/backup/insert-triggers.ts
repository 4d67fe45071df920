import type { Client } from 'pg';
import { escapeIdentifier } from 'pg';

/**
 * Does a piece of work while no trigger of the tables acts on inserted rows. They check what a program may do next, and the rows of a
 * backup are what has been done: an order whose signal was filled by a later one is refused by the check of new orders. What holds
 * for rows at any time are the constraints, and those hold here too.
 *
 * Needs: a transaction, in which a failure leaves the triggers as they were
 */
export async function withoutInsertTriggers<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const { rows: triggers } = await client.query<{ table: string; name: string }>(`
    select c.relname::text as table, t.tgname::text as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgparentid = 0
      and t.tgtype & 4 <> 0 and t.tgenabled = 'O'`);
  const set = async (how: 'disable' | 'enable'): Promise<void> => {
    for (const { table, name } of triggers)
      await client.query(`alter table ${escapeIdentifier(table)} ${how} trigger ${escapeIdentifier(name)}`);
  };
  await set('disable');
  const result = await work();
  await set('enable');
  return result;
}
