import type { Client } from 'pg';
import { productRole, superuser } from './access-rules.ts';

/**
 * Makes the role that the product works as, and makes it the owner of the database and of everything in it. A cluster of
 * an earlier version, where the superuser owned everything and had a password, is taken over at its first start.
 *
 * `client` is a superuser's.
 */
export async function makeProductRole(client: Client): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()`,
  );
  if (rows[0]?.owner === productRole) return;
  await client.query('begin');
  const known = await client.query('select 1 from pg_roles where rolname = $1', [productRole]);
  if (known.rows.length === 0) await client.query(`create role ${productRole} login`);
  await client.query(`alter role ${superuser} password null`);
  const { rows: owned } = await client.query<{ statement: string }>(everythingOwned, [productRole]);
  for (const { statement } of owned) await client.query(statement);
  await client.query(`do $$ begin execute format('alter database %I owner to ${productRole}', current_database()); end $$`);
  await client.query('commit');
}

/** The statements that hand schemas, tables, views, free sequences, routines and types over. Linked sequences and row types follow their tables. */
const everythingOwned = `
  with ours as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
  select format('alter schema %I owner to %I', nspname, $1::text) as statement from ours
  union all
  select format('alter %s %I.%I owner to %I',
    case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, nspname, relname, $1::text)
  from pg_class c join ours on ours.oid = c.relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'S')
    and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
  union all
  select format('alter routine %s owner to %I', p.oid::regprocedure, $1::text) from pg_proc p join ours on ours.oid = p.pronamespace
  union all
  select format('alter type %I.%I owner to %I', nspname, typname, $1::text)
  from pg_type t join ours on ours.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
  where typtype in ('e', 'd', 'r') or c.relkind = 'c'`;
