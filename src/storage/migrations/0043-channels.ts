import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table channels (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    kind text not null check (kind in ('telegram', 'discord', 'slack', 'ntfy', 'webhook')),
    name text not null,
    hint text not null, -- the last four characters of what is sealed
    sealed jsonb not null,
    topics text[] not null,
    quiet_from integer check (quiet_from between 0 and 1439), -- minute of the day in quiet_zone
    quiet_until integer check (quiet_until between 0 and 1439),
    quiet_zone text not null default 'UTC',
    breaks_quiet boolean not null default true, -- alarms do
    created_at timestamptz not null default clock_timestamp(),
    paused_at timestamptz,
    paused_why text check (paused_why in ('person', 'gone', 'role', 'suspended')),
    due_at timestamptz not null default clock_timestamp(), -- not before this: a try is under way, or one has failed
    rests_until timestamptz not null default clock_timestamp(), -- what is not urgent is collected meanwhile
    tries integer not null default 0, -- that have failed since the last delivery
    sent_at timestamptz,
    failed_at timestamptz,
    error text, -- of the newest try, when that failed
    given_up integer not null default 0, -- messages
    given_up_at timestamptz,
    summed_day date not null, -- the newest UTC day whose sum was left
    check ((quiet_from is null) = (quiet_until is null)),
    check (quiet_from <> quiet_until),
    check ((paused_at is null) = (paused_why is null))
  )`,
  `create index channels_user on channels (user_id)`,
  `create table channel_messages (
    id uuid primary key default gen_random_uuid(),
    number bigint generated always as identity,
    channel_id uuid not null references channels on delete cascade,
    bot_id uuid references bots on delete cascade, -- what it is about; null: all bots of its reader, or the server
    topic text not null,
    text text not null,
    created_at timestamptz not null default clock_timestamp(),
    due_at timestamptz not null default clock_timestamp(), -- later when it waits for the end of quiet hours
    batch uuid -- sent together, and again together
  )`,
  `create index channel_messages_channel on channel_messages (channel_id, number)`,
];

/** Where people are reached besides their mailbox, and what waits to be sent there. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
