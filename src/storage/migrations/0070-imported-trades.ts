import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // Where a trade was made that no bot of ours has made. It can be neither open nor in an account.
  `alter table trades add column imported_from text check (imported_from in ('freqtrade')),
    add constraint trades_imported check (imported_from is null or (status = 'closed' and mode = 'paper'))`,
  // The trades of another program that a bot continues, by what they are called there: each is taken once, into one bot.
  `create table imported_keys (
    key text primary key,
    bot_id uuid not null references bots on delete cascade,
    is_taken boolean not null -- false: it was still open there
  )`,
  `create index imported_keys_bot on imported_keys (bot_id)`,
  // Apart from the sums of the bot's own trades, which its wallet and its limits are measured by.
  `alter table bot_figures add column imported_trades int not null default 0, add column imported_wins int not null default 0,
    add column imported_losses int not null default 0, add column imported_pnl numeric(38, 18) not null default 0,
    add column imported_fees numeric(38, 18) not null default 0, add column imported_until timestamptz`,
];

/** Closed trades of another program are the history of a bot: they count in its figures, and nothing that it holds comes of them. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
