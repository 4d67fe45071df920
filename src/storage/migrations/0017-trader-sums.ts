import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What the closed trades of a trader in a mode come to, by UTC day of the exit and by month. Money in dollars.
  `create table trader_sums (
    user_id uuid not null references users on delete cascade,
    unit text not null check (unit in ('day', 'month')),
    start date not null,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    trades integer not null,
    wins integer not null,
    notes integer not null,
    latency_sum numeric not null,
    latency_count integer not null,
    profit numeric not null,
    high numeric not null,
    low numeric not null,
    fall numeric not null,
    daily text not null,
    primary key (unit, user_id, start, mode)
  )`,
  // The sums of a trader hold for the days before this one; what comes later is read from the trades.
  `create table trader_sums_until (
    user_id uuid primary key references users on delete cascade,
    until date not null,
    currencies text[] not null
  )`,
  `create index trades_opened on trades (opened_at desc, id)`,
  `create index trades_closed_of_bot on trades (bot_id, mode, closed_at) include (profit) where status = 'closed'`,

  // A change of a trade of a day that may have been summed ends the sums of its trader before that day. A trade that is closed
  // now changes nothing here: days are summed when they have been over for a whole day.
  `create function end_trader_sums() returns trigger language plpgsql as $$
    begin
      insert into trader_sums_until as s (user_id, until, currencies)
      select b.user_id, min((c.closed_at at time zone 'UTC')::date), '{}'
      from (values (old.bot_id, old.status, old.closed_at), (new.bot_id, new.status, new.closed_at)) as c (bot_id, status, closed_at)
      join bots b on b.id = c.bot_id
      where c.status = 'closed' and c.closed_at is not null
      group by b.user_id
      order by b.user_id
      on conflict (user_id) do update set until = excluded.until where s.until > excluded.until;
      return null;
    end $$`,
  `create trigger trader_sums_insert after insert on trades for each row
    when (new.status = 'closed' and new.closed_at < now() - interval '12 hours') execute function end_trader_sums()`,
  `create trigger trader_sums_update after update on trades for each row
    when ((old.bot_id, old.mode, old.status, old.closed_at, old.profit, old.latency_ms, old.note)
        is distinct from (new.bot_id, new.mode, new.status, new.closed_at, new.profit, new.latency_ms, new.note)
      and ((old.status = 'closed' and old.closed_at < now() - interval '12 hours')
        or (new.status = 'closed' and new.closed_at < now() - interval '12 hours')))
    execute function end_trader_sums()`,
  `create trigger trader_sums_delete after delete on trades for each row
    when (old.status = 'closed' and old.closed_at < now() - interval '12 hours') execute function end_trader_sums()`,
  `create function end_all_trader_sums() returns trigger language plpgsql as $$
    begin
      update trader_sums_until set until = '-infinity';
      return null;
    end $$`,
  `create trigger trader_sums_truncate after truncate on trades for each statement execute function end_all_trader_sums()`,

  // Whether a profit counts as dollars depends on its bot.
  `create function end_trader_sums_of_bot() returns trigger language plpgsql as $$
    begin
      insert into trader_sums_until as s (user_id, until, currencies)
      select distinct user_id, date '-infinity', '{}'::text[] from (values (old.user_id), (new.user_id)) as u (user_id) order by user_id
      on conflict (user_id) do update set until = '-infinity';
      return null;
    end $$`,
  `create trigger trader_sums_bot after update on bots for each row
    when ((old.user_id, old.stake_currency) is distinct from (new.user_id, new.stake_currency)) execute function end_trader_sums_of_bot()`,
];

/**
 * The figures of traders are kept by day and month, so that an overview of years does not read every trade there ever was. The
 * newest trades of all modes are read without sorting all of them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
