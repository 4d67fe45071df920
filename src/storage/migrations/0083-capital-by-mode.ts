import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const tradeMode = (row: string): string => `case when ${row}.mode = 'paper' then 'paper'
  when ${row}.exchange_id = 'sandbox' or right(${row}.exchange_id, 8) = '_testnet' then 'testnet' else 'live' end`;

/** A trade of a bot and mode since a time that counts: one of its own. The first is found by an index of bot and mode. */
const firstTrade = (what: string, since: string): string => `
  select ${what} as at from trades t where t.bot_id = v.bot_id and t.mode = m.mode and t.imported_from is null and ${since}`;

const statements = [
  `create table bot_capitals (
    bot_id uuid not null references bots on delete cascade,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    since timestamptz not null,
    currency text not null,
    capital numeric(38, 18) not null,
    primary key (bot_id, mode, since)
  )`,

  // What versions have needed, by runs of one currency. Their times rise with their numbers, also where a clock was set back.
  `create temporary table versions_of_bots on commit drop as
   select *, max(changed_at - version * interval '1 ms') over of_bot + version * interval '1 ms' as since, lead(changed_at) over of_bot as replaced_at,
     sum((currency is distinct from before)::int) over of_bot as run
   from (
     select bot_id, version, changed_at, settings ->> 'stakeCurrency' as currency,
       (settings ->> 'stakeAmount')::numeric * (settings ->> 'maxOpenTrades')::int as needed,
       lag(settings ->> 'stakeCurrency') over (partition by bot_id order by version) as before
     from bot_versions
   ) kept
   window of_bot as (partition by bot_id order by version)`,
  'create index on versions_of_bots (bot_id, run)',
  `create temporary table runs_of_bots on commit drop as
   select v.bot_id, v.run, m.mode, closed.at as closed_at, opened.at as opened_at
   from (select bot_id, run, min(changed_at) as began from versions_of_bots group by 1, 2) v
   cross join (values ('live'), ('testnet'), ('paper')) m (mode)
   left join lateral (${firstTrade('t.closed_at', "t.status = 'closed' and t.closed_at >= v.began order by t.closed_at limit 1")}) closed on true
   left join lateral (${firstTrade('min(t.opened_at)', "t.status = 'open' and t.entry_price is not null and t.opened_at >= v.began")}) opened on true`,
  'create index on runs_of_bots (bot_id, run)',
  `create temporary table modes_of_bots on commit drop as
   select b.id as bot_id, m.mode from bots b cross join (values ('live'), ('testnet'), ('paper')) m (mode)
   where m.mode = ${tradeMode('b')} or exists (select from trades t where t.bot_id = b.id and t.mode = m.mode)`,
  'analyze versions_of_bots',
  'analyze runs_of_bots',
  'analyze modes_of_bots',

  // Up to now the capital was that of all modes: the most since the first trade closed in any, which statements of past months were made from.
  `insert into bot_capitals
   select bot_id, mode, since, currency, capital from (
     select *, lag(currency) over of_mode as last_currency, lag(capital) over of_mode as last_capital from (
       select m.bot_id, m.mode, case when row_number() over (partition by m.bot_id, m.mode order by v.version) = 1 then '-infinity' else v.since end as since,
         coalesce(v.currency, b.stake_currency) as currency, coalesce(greatest(v.needed, v.kept), b.starting_balance) as capital
       from modes_of_bots m join bots b on b.id = m.bot_id
       left join (
         select v.*, max(v.needed) filter (where v.replaced_at > r.closed_at) over (partition by v.bot_id, v.run order by v.version rows between unbounded preceding and 1 preceding) as kept
         from versions_of_bots v join (select bot_id, run, min(closed_at) as closed_at from runs_of_bots group by 1, 2) r using (bot_id, run)
       ) v on v.bot_id = m.bot_id
     ) each_version
     window of_mode as (partition by bot_id, mode order by since)
   ) changes
   where (last_currency, last_capital) is distinct from (currency, capital)`,

  // Of the mode that a bot is in, from now on: what it has needed since it has traded in it. More is of another mode.
  `create temporary table too_much on commit drop as
   select b.id, r.mode, b.starting_balance, max(v.needed) filter (where v.replaced_at is null or v.replaced_at > least(r.closed_at, r.opened_at)) as capital
   from bots b
   join runs_of_bots r on r.bot_id = b.id and r.mode = ${tradeMode('b')} and r.run = (select max(run) from versions_of_bots where bot_id = b.id)
   join versions_of_bots v on v.bot_id = b.id and v.run = r.run
   group by 1, 2, 3`,
  `update bot_figures f set peak_balance = f.peak_balance - m.starting_balance + m.capital
   from too_much m where f.bot_id = m.id and f.mode = m.mode and m.capital < m.starting_balance`,
  'update bots b set starting_balance = m.capital from too_much m where m.id = b.id and m.capital < m.starting_balance',
  `insert into bot_capitals
   select b.id, ${tradeMode('b')}, greatest(now(), newest.since + interval '1 ms'), b.stake_currency, b.starting_balance
   from bots b cross join lateral (
     select since, currency, capital from bot_capitals where bot_id = b.id and mode = ${tradeMode('b')} order by since desc limit 1
   ) newest
   where (newest.currency, newest.capital) is distinct from (b.stake_currency, b.starting_balance)`,

  // What was true at a time is kept, whoever changes a bot and however. A clock that was set back changes nothing in the order.
  `create function keep_capital() returns trigger language plpgsql as $$
    declare
      of_mode text := ${tradeMode('new')};
      newest bot_capitals;
    begin
      select * into newest from bot_capitals where bot_id = new.id and mode = of_mode order by since desc limit 1;
      if (newest.currency, newest.capital) is distinct from (new.stake_currency, new.starting_balance) then
        insert into bot_capitals values (new.id, of_mode,
          case when newest.since is null then '-infinity' else greatest(new.updated_at, newest.since + interval '1 ms') end,
          new.stake_currency, new.starting_balance);
      end if;
      return null;
    end $$`,
  `create trigger bots_capital after insert or update of starting_balance, stake_currency, mode, exchange_id on bots
   for each row execute function keep_capital()`,
];

/** What bots were given to trade with, by mode: a bot that traded large on paper and goes live small has the capital of what it is live with. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
