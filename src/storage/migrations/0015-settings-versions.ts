import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table bots add column version integer not null default 1`,
  `alter table strategies add column version integer not null default 1`,
  `create table bot_versions (
    bot_id uuid not null references bots on delete cascade,
    version integer not null,
    changed_by uuid references users on delete set null,
    changed_at timestamptz not null default now(),
    settings jsonb not null,
    primary key (bot_id, version)
  )`,
  `create table strategy_versions (
    strategy_id uuid not null references strategies on delete cascade,
    version integer not null,
    changed_by uuid references users on delete set null,
    changed_at timestamptz not null default now(),
    settings jsonb not null,
    primary key (strategy_id, version)
  )`,
  `alter table trades add column bot_version integer, add column strategy_version integer`,
];

/**
 * Each change of a bot's or a strategy's settings is kept with who made it and when; a trade names the versions it was made
 * under. What there is now becomes version 1 when it is first changed; trades of before name none.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
