import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table strategies add column kind text not null default 'built-in' check (kind in ('built-in', 'rules', 'file'))`,
  `alter table strategies add column owner_id uuid references users on delete set null`,
  `alter table strategies add column is_shared boolean not null default false`,
  `alter table strategies add constraint strategies_owner check (kind = 'rules' or owner_id is null)`,
  `create index strategies_of_owner on strategies (owner_id) where owner_id is not null`,
  // What runs: the texts of a file and all it imports, or a document of rules. What a bot or a backtest has used is kept.
  `create table strategy_code (
    id uuid primary key default gen_random_uuid(),
    strategy_id uuid not null references strategies on delete cascade,
    number integer not null check (number > 0),
    hash text not null, -- of what runs
    file text,
    export_name text,
    files jsonb check (jsonb_typeof(files) = 'object'), -- the text of each file, by its path
    document jsonb check (jsonb_typeof(document) = 'object'),
    description jsonb not null check (jsonb_typeof(description) = 'object'), -- what it says of itself
    made_by uuid references users on delete set null,
    made_at timestamptz not null default now(),
    unique (strategy_id, number),
    unique (strategy_id, id),
    check ((files is null) <> (document is null)),
    check ((files is null) = (file is null) and (files is null) = (export_name is null))
  )`,
  // The files of the strategies' folder, as they were when they were last looked at.
  `create table strategy_files (
    path text primary key,
    state text not null check (state in ('ready', 'refused', 'gone')),
    faults text[] not null, -- sentences
    hash text, -- of its texts, where it could be loaded
    strategies text[] not null, -- class names
    compute_ms double precision, -- of 1,000 candles
    memory_mb double precision,
    checked_at timestamptz not null
  )`,
  // Why the strategy of a bot is asked nothing, in a sentence.
  `alter table bot_vitals add column strategy_rest text`,
  // What is made from now on uses the one with the highest number. A bot runs what it names, and takes a newer version only when its owner wants it.
  `alter table bots add column code_id uuid`,
  `alter table bots add constraint bots_code foreign key (strategy_id, code_id) references strategy_code (strategy_id, id)`,
  `alter table backtests add column code_id uuid`,
  `alter table backtests add constraint backtests_code foreign key (strategy_id, code_id) references strategy_code (strategy_id, id)`,
];

/** Strategies that are not part of the program: whose they are, and each version of what runs; and the files of the folder. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
