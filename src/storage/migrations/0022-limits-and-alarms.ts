import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table limits (
    level text not null check (level in ('server', 'user', 'bot')),
    user_id uuid references users on delete cascade,
    bot_id uuid references bots on delete cascade,
    name text not null,
    currency text not null,
    value numeric(38, 18) not null check (value > 0),
    set_by uuid references users on delete set null,
    set_at timestamptz not null default clock_timestamp(),
    unique nulls not distinct (level, user_id, bot_id, name, currency),
    check ((level = 'user') = (user_id is not null) and (level = 'bot') = (bot_id is not null))
  )`,
  // How many orders a bot has made in the last minute.
  `create index orders_planned on orders (bot_id, planned_at)`,
  // What the trades closed on the newest day come to: a day's loss is asked for with every entry.
  `alter table bot_figures add column day date, add column day_profit numeric(38, 18) not null default 0`,
  `update bot_figures f set day = d.day, day_profit = d.profit
    from (select bot_id, mode, (closed_at at time zone 'UTC')::date as day, sum(profit) as profit
          from trades where status = 'closed' and closed_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' group by 1, 2, 3) d
    where d.bot_id = f.bot_id and d.mode = f.mode`,
  `alter table trading_states add column reason text not null default 'person' check (reason in ('person', 'daily-loss', 'drawdown'))`,
  `create table alarms (
    id uuid primary key default gen_random_uuid(),
    key text not null,
    kind text not null,
    level text not null check (level in ('server', 'user', 'bot')),
    user_id uuid references users on delete cascade,
    bot_id uuid references bots on delete cascade,
    facts jsonb not null,
    raised_at timestamptz not null default clock_timestamp(),
    noted_at timestamptz, -- people were informed, or need not be
    mailed_at timestamptz,
    acknowledged_at timestamptz,
    acknowledged_by uuid references users on delete set null,
    ended_at timestamptz,
    check ((level = 'user') = (user_id is not null) and (level = 'bot') = (bot_id is not null))
  )`,
  `create unique index alarms_open on alarms (key) where ended_at is null`,
  `create index alarms_new on alarms (raised_at) where noted_at is null`,
  `create index alarms_mailed on alarms (kind, mailed_at)`,
];

/** Limits that people have set, why a kill switch was set, and what needs a person now. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
