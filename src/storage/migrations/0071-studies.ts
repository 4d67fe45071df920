import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What was asked for, what it came to, and who works on what concerns it as a whole.
  `create table studies (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users,
    strategy_id uuid not null references strategies,
    code_id uuid,
    strategy_name text not null,
    exchange_id text not null,
    plan jsonb not null check (jsonb_typeof(plan) = 'object'),
    bot jsonb check (jsonb_typeof(bot) = 'object'), -- whose settings it begins with; null: those of its strategy
    search jsonb not null check (jsonb_typeof(search) = 'object'),
    status text not null default 'queued' check (status in ('queued', 'running', 'judging', 'done', 'cancelled', 'failed')),
    step text not null default '', -- what is being done before there are epochs, in words
    error text,
    ground jsonb check (jsonb_typeof(ground) = 'object'), -- what all epochs run on, as the first worker found it
    epochs int not null default 0, -- that count: 1 to this one
    best_epoch int not null default 0, -- 0: none yet
    best_moments jsonb check (jsonb_typeof(best_moments) = 'object'), -- of its daily profits
    judgement jsonb check (jsonb_typeof(judgement) = 'object'),
    unsealed_at timestamptz,
    unsealed_by uuid references users on delete set null,
    unsealed_epoch int,
    unsealed jsonb check (jsonb_typeof(unsealed) = 'object'), -- what came of the sealed time
    claimed_by uuid, -- a worker; null where nobody works on what concerns the whole
    claimed_until timestamptz,
    attempts int not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    foreign key (strategy_id, code_id) references strategy_code (strategy_id, id),
    check ((status in ('done', 'cancelled', 'failed')) = (finished_at is not null)),
    check ((unsealed_at is null) = (unsealed_epoch is null)),
    check (unsealed is null or unsealed_at is not null)
  )`,
  `create index studies_newest on studies (created_at desc)`,
  `create index studies_open on studies (user_id) where status in ('queued', 'running', 'judging')`,
  // Points to be run together. They are gone when the study has ended.
  `create table study_batches (
    study_id uuid not null references studies on delete cascade,
    number int not null, -- from 0 on
    first_epoch int not null,
    points jsonb not null check (jsonb_typeof(points) = 'array'),
    claimed_by uuid,
    claimed_at timestamptz,
    claimed_until timestamptz,
    attempts int not null default 0,
    losses double precision[], -- of its epochs; null until they were run
    daily bytea, -- daily profits, 8 bytes a day, little-endian, epoch after epoch
    primary key (study_id, number),
    check ((losses is null) = (daily is null))
  )`,
  `create index study_batches_open on study_batches (study_id, number) where losses is null`,
  `create index study_batches_claimed on study_batches (study_id, claimed_at)`,
  `create table study_epochs (
    study_id uuid not null references studies on delete cascade,
    epoch int not null, -- from 1 on
    point int[] not null, -- the number of the value of each dimension
    loss double precision, -- null: too few trades, or it failed
    figures jsonb check (jsonb_typeof(figures) = 'object'),
    fault text, -- why it failed, in a sentence
    primary key (study_id, epoch),
    check ((figures is null) = (fault is not null))
  )`,
  // How often something was tried on which data. No foreign key: removing a study does not take its tries back.
  `create table study_tries (
    study_id uuid primary key,
    strategy_name text not null,
    timeframe text not null,
    pairs text[] not null,
    from_time timestamptz not null,
    to_time timestamptz not null,
    count int not null default 0,
    mean double precision not null default 0, -- of their Sharpe ratios for a day
    squares double precision not null default 0 -- sum of the squared distances from it
  )`,
  `create index study_tries_of on study_tries (strategy_name, timeframe)`,
];

/** Studies: many backtests in search of parameters and settings, run by any number of workers. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
