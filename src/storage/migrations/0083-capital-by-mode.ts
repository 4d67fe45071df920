import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const tradeMode = (row: string): string => `case when ${row}.mode = 'paper' then 'paper'
  when ${row}.exchange_id = 'sandbox' or right(${row}.exchange_id, 8) = '_testnet' then 'testnet' else 'live' end`;

/** What a bot's versions have needed, with when another one followed, and which are of the currency that it has had since the last change of it. */
const versions = `
  select *, lead(changed_at) over of_bot as replaced_at,
    sum((currency is distinct from before)::int) over of_bot = sum((currency is distinct from before)::int) over (partition by bot_id) as is_newest
  from (
    select bot_id, version, changed_at, settings ->> 'stakeCurrency' as currency,
      (settings ->> 'stakeAmount')::numeric * (settings ->> 'maxOpenTrades')::int as needed,
      lag(settings ->> 'stakeCurrency') over (partition by bot_id order by version) as before
    from bot_versions
  ) kept
  window of_bot as (partition by bot_id order by version)`;

const statements = [
  `create table bot_capitals (
    bot_id uuid not null references bots on delete cascade,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    since timestamptz not null,
    currency text not null,
    capital numeric(38, 18) not null,
    primary key (bot_id, mode, since)
  )`,

  // Up to now the capital was that of all modes: what statements of past months were made from stays.
  `create temporary table versions_of_bots on commit drop as ${versions}`,
  `create index on versions_of_bots (bot_id, version)`,
  `insert into bot_capitals
   select bot_id, mode, since, currency, capital from (
     select *, lag(currency) over of_mode as last_currency, lag(capital) over of_mode as last_capital from (
       select b.id as bot_id, m.mode, case when row_number() over (partition by b.id, m.mode order by v.version) = 1 then '-infinity' else v.changed_at end as since,
         coalesce(v.currency, b.stake_currency) as currency, coalesce(then_given.capital, b.starting_balance) as capital
       from bots b
       cross join lateral (
         select distinct mode from (select ${tradeMode('b')} as mode union all (select mode from trades where bot_id = b.id)) each_mode
       ) m
       left join versions_of_bots v on v.bot_id = b.id
       left join lateral (
         with same as (
           select * from versions_of_bots where bot_id = b.id and version <= v.version
             and version > coalesce((select max(version) from versions_of_bots where bot_id = b.id and version <= v.version and currency <> v.currency), 0)
         ), closed as (
           select min(closed_at) as at from trades
           where bot_id = b.id and status = 'closed' and imported_from is null and closed_at >= (select min(changed_at) from same)
         )
         select max(same.needed) as capital from same cross join closed where same.version = v.version or same.replaced_at > closed.at
       ) then_given on true
     ) each_version
     window of_mode as (partition by bot_id, mode order by since)
   ) changes
   where (last_currency, last_capital) is distinct from (currency, capital)`,

  // Of the mode that a bot is in, from now on: what it has needed since it closed a trade in it. More is of another mode.
  `create temporary table too_much on commit drop as
   select * from (
     select b.id, ${tradeMode('b')} as mode, b.stake_currency as currency, b.starting_balance, (
       select max(v.needed) from versions_of_bots v
       where v.bot_id = b.id and v.is_newest and (v.replaced_at is null or v.replaced_at > (
         select min(t.closed_at) from trades t where t.bot_id = b.id and t.mode = ${tradeMode('b')} and t.status = 'closed' and t.imported_from is null
           and t.closed_at >= (select min(s.changed_at) from versions_of_bots s where s.bot_id = b.id and s.is_newest)))
     ) as capital
     from bots b
   ) asked where capital < starting_balance`,
  `update bot_figures f set peak_balance = f.peak_balance - m.starting_balance + m.capital from too_much m where f.bot_id = m.id and f.mode = m.mode`,
  `update bots b set starting_balance = m.capital from too_much m where m.id = b.id`,
  `insert into bot_capitals select id, mode, now(), currency, capital from too_much`,

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
