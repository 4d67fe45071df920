import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The first schema: everything the product keeps. Money is numeric, times are timestamptz, ids are UUIDs. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // --- people -------------------------------------------------------------------------------------------------------
  `create table users (
    id uuid primary key default gen_random_uuid(),
    email text not null,
    display_name text not null,
    password_hash text not null,
    role text not null check (role in ('investor', 'trader', 'operator', 'admin')),
    verified boolean not null default false,
    email_verified boolean not null default false,
    has2fa boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create unique index users_email on users (lower(email))`,

  // Why two tables: a session lives on while its token is replaced every few minutes.
  `create table sessions (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users on delete cascade,
    started_at timestamptz not null,
    authenticated_at timestamptz not null,
    last_seen_at timestamptz not null,
    ends_at timestamptz not null,
    revoked_at timestamptz,
    revoked_why text,
    address text
  )`,
  `create index sessions_user on sessions (user_id)`,
  `create table session_tokens (
    hash bytea primary key,
    session_id uuid not null references sessions on delete cascade,
    access_until timestamptz not null,
    refresh_until timestamptz not null,
    replaced_at timestamptz,
    successor bytea
  )`,
  `create index session_tokens_session on session_tokens (session_id)`,

  // A right password whose second factor is still missing.
  `create table half_logins (
    hash bytea primary key,
    user_id uuid not null references users on delete cascade,
    expires_at timestamptz not null
  )`,
  `create table codes (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users on delete cascade,
    purpose text not null check (purpose in ('verification', 'reset', 'two-factor-login', 'two-factor-set-up')),
    salt bytea not null,
    hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    tries int not null default 0,
    closed_at timestamptz
  )`,
  `create index codes_open on codes (user_id, purpose) where closed_at is null`,
  `create table limit_counters (
    key text primary key,
    count int not null,
    resets_at timestamptz not null
  )`,
  `create index limit_counters_resets_at on limit_counters (resets_at)`,
  `create table idempotency_keys (
    caller text not null,
    call text not null,
    key text not null,
    status int,
    reply text,
    cookies text[],
    expires_at timestamptz not null,
    primary key (caller, call, key)
  )`,
  `create index idempotency_keys_expires_at on idempotency_keys (expires_at)`,

  // Who did what. Each row carries the hash of the one before; rows are never changed.
  `create table audit_log (
    id bigint generated always as identity primary key,
    time timestamptz not null default now(),
    actor_id uuid,
    actor_role text,
    action text not null,
    target text,
    address text,
    request_id text,
    result text not null,
    detail jsonb not null default '{}',
    previous_hash bytea,
    hash bytea not null
  )`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are never changed', tg_table_name; end $$`,
  `create trigger audit_log_append_only before update or delete or truncate on audit_log
    for each statement execute function refuse_change()`,
  `create table mail_outbox (
    id uuid primary key default gen_random_uuid(),
    recipient text not null,
    subject text not null,
    body text not null,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    tries int not null default 0,
    sent_at timestamptz,
    last_error text
  )`,
  `create index mail_outbox_due on mail_outbox (due_at) where sent_at is null`,

  // --- what is traded, and by whom --------------------------------------------------------------------------------
  `create table strategies (
    id uuid primary key default gen_random_uuid(),
    class_name text not null unique,
    name text not null,
    description text not null,
    supported_exchanges text[] not null,
    default_timeframe text not null,
    stoploss numeric not null check (stoploss < 0),
    trailing_stop boolean not null,
    trailing_stop_positive numeric,
    trailing_stop_positive_offset numeric,
    trailing_only_offset_is_reached boolean not null,
    max_consecutive_losses int not null default 5,
    risk_reward_ratio numeric,
    minimal_roi jsonb not null,
    order_types jsonb not null,
    order_time_in_force jsonb not null,
    webhook jsonb,
    sheets_key jsonb,
    position int not null,
    updated_at timestamptz not null default now()
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users on delete cascade,
    exchange_id text not null,
    label text,
    key_hint text not null,
    has_passphrase boolean not null default false,
    sealed jsonb not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  `create index api_keys_user on api_keys (user_id, exchange_id, created_at desc)`,

  // A runner is one process that runs bots; its lease is its row. A bot names its runner and the epoch of the claim:
  // a write of a bot counts only while both still hold.
  `create table runners (
    id uuid primary key,
    host text not null,
    started_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create table bots (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users,
    strategy_id uuid not null references strategies,
    nickname text not null,
    exchange_id text not null,
    market_type text not null check (market_type in ('spot', 'margin', 'futures')),
    stake_currency text not null,
    stake_amount numeric(38, 18) not null check (stake_amount > 0),
    symbols text[] not null,
    max_open_trades int not null check (max_open_trades between 1 and 50),
    leverage numeric not null check (leverage between 1 and 125),
    leverage_mode text not null check (leverage_mode in ('isolated', 'cross')),
    mode text not null default 'paper' check (mode in ('paper', 'live')),
    status text not null default 'paused' check (status in ('active', 'paused', 'stopped')),
    starting_balance numeric(38, 18) not null,
    consecutive_losses int not null default 0,
    api_key_id uuid references api_keys on delete set null,
    timeframe text,
    stoploss numeric,
    minimal_roi jsonb,
    trailing_stop boolean,
    max_consecutive_losses int,
    engine_state jsonb not null default '{}',
    runner_id uuid,
    epoch bigint not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index bots_user on bots (user_id)`,
  `create index bots_strategy on bots (strategy_id)`,
  `create index bots_runner on bots (runner_id)`,

  // --- what happened --------------------------------------------------------------------------------------------
  `create table trades (
    id uuid primary key,
    bot_id uuid not null references bots,
    symbol text not null,
    direction text not null check (direction in ('long', 'short')),
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    status text not null check (status in ('open', 'closed', 'cancelled', 'failed')),
    opened_at timestamptz not null,
    closed_at timestamptz,
    amount numeric(38, 18) not null,
    stake numeric(38, 18) not null,
    leverage numeric not null,
    entry_price numeric(38, 18),
    exit_price numeric(38, 18),
    stop_price numeric(38, 18),
    initial_stop_price numeric(38, 18),
    liquidation_price numeric(38, 18),
    fees numeric(38, 18) not null default 0,
    funding numeric(38, 18) not null default 0,
    profit numeric(38, 18),
    profit_ratio numeric,
    entry_tag text,
    exit_reason text,
    confidence numeric,
    latency_ms numeric,
    note text,
    engine_state jsonb not null default '{}',
    updated_at timestamptz not null default now()
  )`,
  `create unique index trades_one_open_per_symbol on trades (bot_id, symbol) where status = 'open'`,
  `create index trades_bot on trades (bot_id, opened_at desc)`,
  `create index trades_closed on trades (closed_at) where status = 'closed'`,
  `create table orders (
    id uuid primary key default gen_random_uuid(),
    bot_id uuid not null references bots,
    trade_id uuid not null references trades on delete cascade,
    epoch bigint not null,
    client_order_id text not null unique,
    signal_key text not null,
    purpose text not null check (purpose in ('entry', 'exit', 'adjust', 'stop')),
    side text not null check (side in ('buy', 'sell')),
    type text not null check (type in ('limit', 'market')),
    time_in_force text not null default 'GTC',
    amount numeric(38, 18) not null check (amount > 0),
    price numeric(38, 18),
    stop_price numeric(38, 18),
    reason text,
    status text not null check (status in ('planned', 'sent', 'open', 'filled', 'cancelled', 'expired', 'refused', 'unknown')),
    exchange_order_id text,
    filled numeric(38, 18) not null default 0,
    average_price numeric(38, 18),
    planned_at timestamptz not null,
    sent_at timestamptz,
    acknowledged_at timestamptz,
    closed_at timestamptz,
    unique (bot_id, signal_key)
  )`,
  `create index orders_trade on orders (trade_id)`,
  `create index orders_open on orders (bot_id) where status in ('planned', 'sent', 'open', 'unknown')`,
  `create table fills (
    id uuid primary key default gen_random_uuid(),
    order_id uuid not null references orders on delete cascade,
    exchange_fill_id text not null,
    price numeric(38, 18) not null check (price > 0),
    amount numeric(38, 18) not null check (amount > 0),
    fee numeric(38, 18) not null,
    fee_currency text not null,
    is_maker boolean not null,
    filled_at timestamptz not null,
    unique (order_id, exchange_fill_id)
  )`,
  // Sums over the closed trades of a bot in one mode, kept with each closing trade: a list of bots must not add up
  // every trade there ever was.
  `create table bot_figures (
    bot_id uuid not null references bots on delete cascade,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    trades int not null default 0,
    wins int not null default 0,
    losses int not null default 0,
    realized_pnl numeric(38, 18) not null default 0,
    fees numeric(38, 18) not null default 0,
    peak_balance numeric(38, 18) not null,
    max_drawdown numeric(38, 18) not null default 0,
    max_drawdown_ratio numeric not null default 0,
    last_trade_at timestamptz,
    primary key (bot_id, mode)
  )`,
  // What a runner says of its bots every few seconds; narrow, because it is written often.
  `create table bot_vitals (
    bot_id uuid primary key references bots on delete cascade,
    last_tick_at timestamptz not null,
    open_trades int not null,
    unrealized_pnl numeric(38, 18) not null,
    last_error text
  ) with (fillfactor = 50)`,
  // Why did it not trade? One row for every bot, symbol and closed candle.
  `create table decisions (
    bot_id uuid not null references bots on delete cascade,
    symbol text not null,
    candle_time timestamptz not null,
    action text not null,
    gate text,
    seen jsonb not null,
    decided_at timestamptz not null,
    primary key (bot_id, symbol, candle_time)
  )`,
  `create index decisions_time on decisions (candle_time)`,
  `create table pnl_snapshots (
    bot_id uuid not null references bots on delete cascade,
    mode text not null,
    taken_at timestamptz not null,
    net_pnl numeric(38, 18) not null,
    net_pnl_pct numeric not null,
    unrealized_pnl numeric(38, 18) not null,
    realized_pnl numeric(38, 18) not null,
    total_fees numeric(38, 18) not null,
    win_rate numeric not null,
    current_balance numeric(38, 18) not null,
    primary key (bot_id, mode, taken_at)
  )`,

  // --- backtests and candle history ---------------------------------------------------------------------------------
  `create table backtests (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references users,
    strategy_id uuid not null references strategies,
    exchange_id text not null,
    symbol text not null,
    trading_mode text not null,
    timeframe text not null,
    days int not null,
    stake_amount numeric(38, 18) not null,
    max_open_trades int not null,
    status text not null check (status in ('downloading', 'running', 'done', 'failed')),
    progress numeric not null default 0,
    attempt int not null default 0,
    error text,
    metrics jsonb,
    equity jsonb,
    result jsonb,
    created_at timestamptz not null default now(),
    finished_at timestamptz
  )`,
  `create unique index backtests_one_running on backtests (user_id) where status in ('downloading', 'running')`,
  `create index backtests_newest on backtests (created_at desc)`,
  `create table candle_chunks (
    exchange_id text not null,
    market_type text not null,
    symbol text not null,
    timeframe text not null,
    month date not null,
    covered tstzmultirange not null,
    candles int not null,
    hash bytea not null,
    data bytea not null,
    primary key (exchange_id, market_type, symbol, timeframe, month)
  )`,
  // Chunks are compressed already; storing them plain spares the server a second try.
  `alter table candle_chunks alter column data set storage external`,
  `create table facts (key text primary key, value jsonb not null)`,
];
