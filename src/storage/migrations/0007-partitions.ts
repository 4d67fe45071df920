import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Decisions, snapshots and the audit log grow for ever, so they become tables of partitions by time. The table that was
 * there becomes the first partition as it is, without copying a row; `keepPartitions` makes the later ones. A row whose
 * partition is missing goes to the default partition. See docs/decisions/0019-partitions-by-time.md.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Makes the table of partitions in place of `table`, with what was there as everything before the end of the newest period. */
function convert(table: string, column: string, period: 'day' | 'month', primaryKey: string): string[] {
  return [
    `create table ${table} (like ${table}_before including defaults) partition by range (${column})`,
    `alter table ${table} add primary key (${primaryKey})`,
    `do $$ declare until timestamptz; begin
      select date_trunc('${period}', greatest(now(), max(${column})), 'UTC') into until from ${table}_before;
      execute format('alter table ${table} attach partition ${table}_before for values from (minvalue) to (%L)',
        (until at time zone 'UTC' + interval '1 ${period}') at time zone 'UTC');
    end $$`,
    `create table ${table}_default partition of ${table} default`,
  ];
}

const statements = [
  // A decision names its bot, but has no foreign key: dropping a partition would have to lock the bots, and each row is
  // written from a join with its bot in any case.
  'alter table decisions rename to decisions_before',
  'alter table decisions_before drop constraint decisions_bot_id_fkey',
  'alter table decisions_before rename constraint decisions_pkey to decisions_before_pkey',
  'drop index decisions_time',
  ...convert('decisions', 'candle_time', 'day', 'bot_id, symbol, candle_time'),

  'alter table pnl_snapshots rename to pnl_snapshots_before',
  'alter table pnl_snapshots_before rename constraint pnl_snapshots_pkey to pnl_snapshots_before_pkey',
  'alter table pnl_snapshots_before rename constraint pnl_snapshots_bot_id_fkey to pnl_snapshots_before_bot_id_fkey',
  ...convert('pnl_snapshots', 'taken_at', 'month', 'bot_id, mode, taken_at'),
  'alter table pnl_snapshots add foreign key (bot_id) references bots on delete cascade',

  // PostgreSQL 15 and 16 know no identity columns in tables of partitions: the numbers come from a sequence.
  'drop trigger audit_log_append_only on audit_log',
  'alter table audit_log rename to audit_log_before',
  'alter table audit_log_before alter column id drop identity',
  'alter table audit_log_before drop constraint audit_log_pkey',
  'alter table audit_log_before add constraint audit_log_before_pkey primary key (id, time)',
  'create sequence audit_log_id_seq',
  `select setval('audit_log_id_seq', coalesce(max(id), 0) + 1, false) from audit_log_before`,
  `alter table audit_log_before alter column id set default nextval('audit_log_id_seq')`,
  ...convert('audit_log', 'time', 'month', 'id, time'),
  'alter sequence audit_log_id_seq owned by audit_log.id',
  // The first holds for every partition, also a later one; the others for those who change many rows at once.
  `create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change()`,
  ...['audit_log', 'audit_log_before', 'audit_log_default'].map(
    (table) =>
      `create trigger audit_log_keep before update or delete or truncate on ${table} for each statement execute function refuse_change()`,
  ),
];
