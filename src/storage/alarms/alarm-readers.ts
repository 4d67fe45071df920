import { sql } from 'kysely';
import type { OpenAlarm } from './alarms.ts';
import type { Database } from '../database.ts';

/** The addresses an alarm is mailed to: its owner; about the server the admins; about a limit of many bots both, and all owners. */
export async function listAlarmReaders(
  db: Database,
  { kind, level, ownerId }: Pick<OpenAlarm, 'kind' | 'level' | 'ownerId'>,
): Promise<string[]> {
  const admins = level === 'server' || (level === 'user' && kind === 'limit-reached');
  const owners = level === 'server' && kind === 'limit-reached';
  const { rows } = await sql<{ email: string }>`
    select email from users u
    where u.id = ${ownerId}::uuid or (${admins} and u.role = 'admin') or (${owners} and exists (select 1 from bots b where b.user_id = u.id))
    order by u.id`.execute(db);
  return rows.map(({ email }) => email);
}
