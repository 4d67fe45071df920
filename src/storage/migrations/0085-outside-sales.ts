import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Which fills of an account have sold, or bought back, what a person says is missing of a trade: each counts once, for whichever trade of the
 * account is decided about. No reference to the account: its key may be deleted.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table if not exists outside_sales (
      trade_id uuid not null references trades on delete cascade,
      wish text not null,
      account_id uuid not null,
      market_type text not null,
      symbol text not null,
      exchange_fill_id text not null,
      amount numeric(38, 18) not null check (amount > 0),
      primary key (trade_id, wish, exchange_fill_id)
    )`.execute(db);
  await sql`create index if not exists outside_sales_account on outside_sales (account_id, symbol)`.execute(db);
}
