import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The columns of a trade that its sums depend on: those of migration 0017, and what profits are grouped by. */
const summed =
  'bot_id mode status closed_at profit latency_ms note symbol fees funding strategy_version entry_tag exit_reason account_id'.split(' ');
const rowOf = (which: 'old' | 'new'): string => `(${summed.map((column) => `${which}.${column}`).join(', ')})`;

const statements = [
  `drop index trades_closed`,
  `create index trades_closed on trades (closed_at)
    include (bot_id, mode, symbol, strategy_version, entry_tag, exit_reason, account_id, profit, fees, funding) where status = 'closed'`,

  // What the closed trades of a trader come to by UTC day of the exit (part 'day'), and by month and one thing they are grouped by.
  `create table profit_sums (
    part text not null check (part in ('day', 'bot', 'pair', 'strategy', 'version', 'tag', 'reason', 'account')),
    user_id uuid not null references users on delete cascade,
    start date not null,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    currency text not null,
    key text not null,
    trades integer not null,
    wins integer not null,
    losses integer not null,
    profit numeric not null,
    fees numeric not null,
    funding numeric not null,
    primary key (part, user_id, start, mode, currency, key)
  )`,
  // They hold before the same day as the other sums of the trader, which are made again with them.
  `update trader_sums_until set until = '-infinity'`,
  `drop trigger trader_sums_update on trades`,
  `create trigger trader_sums_update after update on trades for each row
    when (${rowOf('old')} is distinct from ${rowOf('new')}
      and ((old.status = 'closed' and old.closed_at < now() - interval '12 hours')
        or (new.status = 'closed' and new.closed_at < now() - interval '12 hours')))
    execute function end_trader_sums()`,
  `drop trigger trader_sums_bot on bots`,
  `create trigger trader_sums_bot after update on bots for each row
    when ((old.user_id, old.stake_currency, old.strategy_id) is distinct from (new.user_id, new.stake_currency, new.strategy_id))
    execute function end_trader_sums_of_bot()`,
];

/** What closed trades come to, by whatever they are grouped, is read from sums; of the newest days from an index of the trades alone. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
