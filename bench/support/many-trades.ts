import { historyPoints } from '#storage/bots/fleet.ts';
import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';

/** How much an installation holds that has been in use for a while. */
export interface LongUse {
  traders: number;
  bots: number; // those of `addManyBots` among them; the others are paused
  trades: number; // closed
  days: number; // over which the trades are spread, up to now
}

/** What a closed trade of the engine takes, with an entry and an exit that were each filled once. */
const engineState = JSON.stringify({
  ...Object.fromEntries(Array.from({ length: 36 }, (_, i) => [`numberOfTheTrade${i}`, 1234.5678 + i])),
  orders: Array.from({ length: 2 }, (_, i) => ({
    ...Object.fromEntries(Array.from({ length: 14 }, (_each, j) => [`fieldOfOrder${j}`, `value ${i + j}`])),
    fills: [{ id: '1', price: 100, amount: 2.5, fee: 0.25, feeInQuote: 0.25, feeCurrency: 'USDT', liquidity: 'taker', time: 2_000 }],
  })),
});

/** Adds traders, paused bots, closed trades (running bots open their own), balances, decisions, mails and records of the audit log to an installation with some bots. */
export async function addLongUse(db: Database, { traders, bots, trades, days }: LongUse, passwordHash: string): Promise<void> {
  await sql`
    insert into users (email, email_key, display_name, password_hash, role, verified, email_verified, created_at)
    select e, e, 'Trader ' || n, ${passwordHash}, 'trader', true, true, now() - interval '300 days'
    from generate_series(1, ${traders}::int) n, lateral (select 't' || n || '@example.com' as e) email`.execute(db);
  await sql`
    insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
      leverage_mode, status, starting_balance, own_settings, mode)
    select b.user_id, b.strategy_id, 'paused bot ' || n, b.exchange_id, b.market_type, b.stake_currency, b.stake_amount, b.symbols, b.max_open_trades,
      b.leverage, b.leverage_mode, case when n % 3 = 0 then 'stopped' else 'paused' end, b.starting_balance, b.own_settings, case when n % 5 = 0 then 'live' else 'paper' end
    from (select row_number() over (order by id) as number, count(*) over () as all_bots, * from bots) b
    join generate_series(1, ${bots}::int - (select count(*) from bots)::int) n on (n - 1) % b.all_bots = b.number - 1`.execute(db);
  await sql`
    update bots set user_id = u.id, created_at = now() - interval '300 days'
    from (select id, row_number() over (order by nickname, id) as n from bots) b
    join (select id, row_number() over (order by email) as n from users where email like 't%@example.com') u on u.n = b.n % ${traders}::int + 1
    where bots.id = b.id`.execute(db);
  // Each bot's trades are in its current mode for the most part; every twentieth is of a time in the other mode.
  for (let from = 0; from < trades; from += 50_000)
    await sql`
    insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, entry_price, exit_price, stop_price,
      initial_stop_price, fees, profit, profit_ratio, entry_tag, exit_reason, confidence, latency_ms, note, engine_state)
    select gen_random_uuid(), b.id, b.symbols[1 + n % 3], case when n % 2 = 0 then 'long' else 'short' end,
      case when (n % 20 = 0) <> (b.mode = 'live') then 'live' else 'paper' end, 'closed', c.at - random() * interval '5 hours', c.at,
      0.0123, 100, 1, 65000, 65100, 64000, 63500, 0.2, round((random() * 20 - 9.8)::numeric, 8), 0.01, 'cross up', 'roi', round(random()::numeric, 4),
      case when n % 3 = 0 then round((random() * 400)::numeric, 1) end, case when n % 50 = 0 then 'worth another look' end, ${engineState}::jsonb
    from generate_series(${from + 1}::int, ${Math.min(trades, from + 50_000)}::int) n
    join (select row_number() over (order by md5(id::text)) as number, count(*) over () as all_bots, * from bots) b on n % b.all_bots = b.number - 1,
    lateral (select now() - interval '1 minute' - random() * ${days}::int * interval '1 day' + n * interval '0 s' as at) c`.execute(db);
  await sql`
    insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, fees, peak_balance, max_drawdown, max_drawdown_ratio, last_trade_at)
    select t.bot_id, t.mode, count(*), count(*) filter (where profit > 0), count(*) filter (where profit < 0), sum(profit), sum(t.fees),
      max(b.starting_balance) + 50, 40, 0.1, max(closed_at)
    from trades t join bots b on b.id = t.bot_id where t.status = 'closed' group by 1, 2`.execute(db);
  await sql`
    insert into pnl_snapshots
    select id, mode, now() - n * interval '1 hour', round((random() * 100)::numeric, 8), 1, 0, 0, 0, 0.5, 300
    from bots, generate_series(1, ${historyPoints * 4}::int) n where status = 'active' or n > ${historyPoints * 4}::int - 5`.execute(db);
  await sql`
    insert into decisions
    select b.id, s.symbol, date_trunc('hour', now()) - n * interval '1 hour', 'none', 'no-signal', '{"close": 100.5, "enterLong": false, "rsi": 51.2}'::jsonb, now()
    from bots b cross join lateral unnest(b.symbols) as s(symbol), generate_series(1, 24) n where b.status = 'active'`.execute(db);
  await sql`
    insert into decision_hours (bot_id, symbol, hour, candles, signals, entered)
    select bot_id, symbol, date_bin('1 hour', candle_time, timestamptz 'epoch'), count(*), 0, 0 from decisions group by 1, 2, 3`.execute(
    db,
  );
  await sql`
    insert into bot_versions (bot_id, version, changed_at, settings)
    select id, n, now() - (20 - n) * interval '1 day', jsonb_build_object('nickname', nickname, 'exchangeId', exchange_id, 'marketType', market_type,
      'stakeCurrency', stake_currency, 'stakeAmount', stake_amount::text, 'symbols', symbols, 'maxOpenTrades', max_open_trades, 'leverage', leverage::text,
      'leverageMode', leverage_mode) from bots, generate_series(1, 10) n`.execute(db);
  await sql`update bots set version = 10`.execute(db);
  await sql`update trades set bot_version = 1 + (extract(epoch from opened_at)::int % 10)`.execute(db);
  await sql`
    insert into audit_log (time, actor_id, actor_role, action, target, result, hash)
    select now() - n * interval '10 seconds', u.id, 'trader', case when n % 3 = 0 then 'bot-status' else 'sign-in' end, u.id::text, 'ok', sha256(n::text::bytea)
    from generate_series(1, 200000) n join (select row_number() over (order by email) as number, id from users where role = 'trader') u
      on u.number = n % ${traders}::int + 1`.execute(db);
  await sql`
    insert into mail_outbox (recipient, subject, body, created_at, sent_at)
    select 't1@example.com', 'Sign-in from another device', '', now() - n * interval '20 minutes', now() from generate_series(1, 2000) n`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
}
