import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { writeAudit } from '../audit/audit-log.ts';
import type { Database } from '../database.ts';

/** Rows in every table there is, with values that text forms easily spoil. */
export async function fillEveryTable(on: Database): Promise<void> {
  const statements = [
    `insert into users (id, email, email_key, display_name, password_hash, role)
       select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'u' || i || '@example.com', 'u' || i || '@example.com', E'Tab\\tnew\\nline back\\\\slash \\\\N Ünï 🚀 ' || i, 'x', 'trader'
       from generate_series(1, 3) i`,
    `insert into sessions (user_id, started_at, authenticated_at, last_seen_at, ends_at) select id, now(), now(), now(), now() from users limit 1`,
    `insert into session_tokens (hash, session_id, access_until, refresh_until) select '\\x01', id, now(), now() from sessions`,
    `insert into half_logins (hash, user_id, expires_at) select '\\x02', id, now() from users limit 1`,
    `insert into codes (email_key, user_id, purpose, salt, hash, created_at, expires_at) select email_key, id, 'reset', '\\x01', '\\x02', now(), now() from users limit 1`,
    `insert into limit_counters values ('k', 1, now())`,
    `insert into idempotency_keys (caller, call, key, body_hash, expires_at) values ('a', 'b', 'c', '\\x03', now())`,
    `insert into mail_outbox (recipient, subject, body) values ('a', 'Your code', '123456')`,
    `insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
       trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
       values ('A', 'A', '', array['binance', 'with,comma', 'with"quote'], '5m', -0.1, false, false, '{"0": 0.01}', '{"entry": "limit"}', '{"entry": "GTC"}', 1)`,
    `insert into api_keys (user_id, exchange_id, key_hint, sealed) select id, 'binance', '…abcd', '{"v": 1, "text": "\\u00e4\\n"}' from users limit 1`,
    `insert into ignored_holdings select id, 'spot', 'BTC/USDT', 0.5 from api_keys`,
    `insert into order_searches select id, 'spot', now() from api_keys`,
    `insert into account_checks select id, 'spot', now() from api_keys`,
    `insert into runners (id, host, expires_at) values (gen_random_uuid(), 'here 1', now() + interval '1 minute')`,
    `insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades,
       leverage, leverage_mode, status, starting_balance, runner_id, api_key_id, engine_state)
       select u.id, s.id, 'bot ' || status, 'binance', 'spot', 'USDT', 100.123456789012345678, array['BTC/USDT', 'ETH/USDT'], 3, 1, 'isolated',
         status, 99999999999999999999.999999999999999999, r.id, k.id,
         case status when 'paused' then '{}'::jsonb else '{"live": {"version": 2, "nextOrderNumber": 12}, "paper": {"version": 2, "nextOrderNumber": 3}}' end
       from (select * from users limit 1) u, strategies s, runners r, api_keys k, unnest(array['active', 'paused', 'stopped']) status`,
    `update bots set tags = array['night', 'with,comma', E'with"quote', 'Ünï'] where status <> 'paused'`,
    `update bots set archived_at = '2026-03-29 01:30:00.123456+01' where status = 'stopped'`,
    `insert into differences (bot_id, symbol, expected, actual) select id, 'BTC/USDT', 1, 0.5 from bots limit 1`,
    `insert into drills (bot_id, settings_hash, seed, result) select id, 'abc', 7, '{"orders": 3}' from bots`,
    `insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, engine_state)
       select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'open', '2026-03-29 01:30:00.123456+01', 0.000000000000000001, 5, 1, '{"a": [1, 2.50]}' from bots`,
    `insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
       select gen_random_uuid(), id, 'BTC/USDT', 'short', 'paper', 'closed', now() - n * interval '1 hour', now(), n, 5, 1, -n from bots, generate_series(1, 2000) n`,
    `update trades set imported_from = 'freqtrade' where status = 'closed' and amount < 10`,
    `insert into imported_keys select 'freqtrade 7 BTC/USDT 2026-03-29 ' || id, id, false from bots`,
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at)
       select bot_id, id, 9007199254740993, 'c' || id, 'k' || id, 'entry', 'buy', 'limit', 1, 'filled', now() from trades where status = 'open'`,
    // One signal that made a second order, as a limit exit does that was not filled in time.
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at, closed_at)
       select bot_id, id, 1, 'x1' || id, 'exit ' || id, 'exit', 'sell', 'limit', 1, 'cancelled', now(), now() from trades where status = 'open'`,
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, filled, status, planned_at, closed_at)
       select bot_id, id, 1, 'x2' || id, 'exit ' || id, 'exit', 'sell', 'limit', 1, 1, 'filled', now(), now() from trades where status = 'open'`,
    `insert into fills (order_id, exchange_fill_id, price, amount, fee, fee_currency, is_maker, filled_at)
       select id, 'f1', 1, 1, 0.1, 'USDT', true, now() from orders`,
    `insert into order_events (order_id, state, detail) select id, 'sent', 'attempt 1' from orders`,
    `insert into differences (bot_id, symbol, expected, actual) select id, 'BTC/USDT:USDT', 2, 1.5 from bots`,
    `insert into position_margins (trade_id, leverage, margin_mode) select id, 20, 'cross' from trades where status = 'open'`,
    `insert into outside_sales select t.id, 'outside-1', k.id, 'spot', t.symbol, '77', 0.000000000000000001 from trades t, api_keys k where t.status = 'open'`,
    `insert into ignored_holdings select id, 'futures', 'BTC/USDT:USDT', 0.5 from api_keys`,
    `insert into unrecorded_orders (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state, requested, filled, net, made_at)
       select 'fl-x-' || b.id, b.id, k.id, 'spot', '7', 'BTC/USDT', 'buy', 'stop', 'open', 1, 0.5, 0.4995, now() from bots b, api_keys k`,
    `insert into adopted_holdings (bot_id, symbol, direction, amount, price, closes, asked_at) select id, 'BTC/USDT', 'long', 1, 2, false, now() from bots`,
    `insert into manual_actions (bot_id, mode, kind, symbol, trade_id, stop_price, asked_by, expires_at)
       select t.bot_id, 'paper', 'move-stop', t.symbol, t.id, 1.000000000000000001, b.user_id, now() from trades t join bots b on b.id = t.bot_id where t.status = 'open'`,
    `insert into manual_actions (bot_id, mode, kind, symbol, direction, stake, expires_at, state, refusal, ended_at)
       select id, 'live', 'enter', 'ETH/USDT', 'long', 12.5, now(), 'refused', 'slots-full', now() from bots`,
    `insert into pair_locks (level, bot_id, pair, direction, reason, ends_at) select 'bot', id, 'DOGE', 'short', E'too\\twild', now() + interval '1 day' from bots`,
    `insert into bot_figures (bot_id, mode, peak_balance) select id, 'paper', 1 from bots`,
    `insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) select id, now(), 1, -0.5 from bots`,
    `insert into report_readers (user_id, last_day) select id, '2026-03-01' from users limit 1`,
    `insert into trade_messages (strategy_id, kind, text) select id, 'chat', 'opened' from strategies`,
    `insert into authenticators (id, user_id, sealed, created_at, confirmed_at, last_step)
       select gen_random_uuid(), id, '{"v": 1, "ct": "AA=="}', '2026-03-01', '2026-03-01', 58000000 from users limit 1`,
    `insert into backup_codes (authenticator_id, hash, made_at, used_at) select id, '\\x00ff', '2026-03-01', '2026-03-02' from authenticators`,
    `insert into passkeys (id, user_id, name, credential_id, public_key, transports, counter, added_at, last_used_at)
       select gen_random_uuid(), id, E'Key\\twith a tab', '\\x01ff', '\\xa500', array['usb', 'nfc'], 4294967295, '2026-03-01', '2026-03-02' from users limit 1`,
    `insert into passkey_challenges (challenge, purpose, session_id, expires_at) select '\\x02ff', 'add', id, '2026-03-02' from sessions`,
    `insert into passkey_backup_codes (user_id, hash, made_at, used_at) select id, '\\x03ff', '2026-03-01', '2026-03-02' from users limit 1`,
    `insert into channels (id, user_id, kind, name, hint, sealed, topics, summed_day)
       select gen_random_uuid(), id, 'ntfy', E'Desk\\tone', 'desk', '{"v": 1, "ct": "AA=="}', array['trade-closed', 'day-sum'], '2026-03-01' from users limit 1`,
    `insert into channel_messages (channel_id, bot_id, topic, text) select c.id, b.id, 'trade-closed', 'closed' from channels c, bots b`,
    `insert into bot_versions (bot_id, version, settings) select id, 1, '{"nickname": "before"}' from bots`,
    `insert into strategy_versions (strategy_id, version, settings) select id, 1, '{"name": "before"}' from strategies`,
    `insert into trader_sums select id, 'day', '2026-03-29', 'paper', 1, 1, 0, 0, 0, 1, 1, 0, 0, '20541,1' from users`,
    `insert into account_balances (api_key_id, market_type, currency, asked_at) select id, 'spot', 'USDT', now() from api_keys`,
    `insert into profit_sums select 'day', id, '2026-03-29', 'paper', 'USDT', '', 1, 1, 0, 1, 0.1, 0 from users`,
    `insert into trader_sums_until select id, '2026-03-30', '{USDT}' from users`,
    `insert into decisions (bot_id, symbol, candle_time, action, seen, decided_at) select id, 'BTC/USDT', now(), 'none', '{}', now() from bots`,
    `insert into decisions (bot_id, symbol, candle_time, action, seen, decided_at)
       select id, 'BTC/USDT', now() + n * interval '1 day', 'none', '{}', now() from bots, unnest(array[-40, -1, 2, 300]) n`,
    `insert into decision_hours select id, 'BTC/USDT', now(), 60, 2, 1, '{"near": {"distance": 0.5}}' from bots`,
    `insert into certificates (bot_id, day, state, mode, currency, promised, made, differing, certificate, replayed_at, took_ms)
       select id, '2026-03-28', 'done', 'paper', 'USDT', 21.400000000000000001, -0.5, 0, '{"promised": "21.400000000000000001"}', now(), 38 from bots`,
    `insert into certificates (bot_id, day, state, lease_until, tries, why) select id, '2026-03-29', 'replaying', now(), 2, E'It\tfailed.' from bots`,
    `insert into certificates (bot_id, day, state, tries, why, retry_at) select id, '2026-03-30', 'failed', 1, 'No candles.', now() from bots`,
    `insert into pnl_snapshots select id, 'paper', now() - interval '400 days', 1, 2, 3, 4, 5, 6, 7 from bots`,
    `insert into pnl_snapshots select id, 'paper', now(), 1, 2, 3, 4, 5, 6, 7 from bots`,
    `insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, equity)
       select u.id, s.id, 'binance', 'BTC/USDT', 'spot', '5m', 7, 10, 1, 'done', '[[1, 2.5]]' from users u, strategies s`,
    `insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, plan)
       select u.id, s.id, 'binance', 'BTC/USDT', 'spot', '5m', 31, 10, 1, 'failed', '{"pairs": ["BTC/USDT", "ETH/USDT"], "slippage_ratio": 0.0005}' from users u, strategies s`,
    `insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, metrics, finished_at, details_removed_at)
       select u.id, s.id, 'binance', 'BTC/USDT', 'spot', '5m', 7, 10, 1, 'done', '{"total_trades": 3}', '2026-01-01', '2026-04-01' from users u, strategies s`,
    `insert into studies (id, user_id, strategy_id, strategy_name, exchange_id, plan, search, status, ground, epochs, best_epoch, best_moments, claimed_by, claimed_until)
       select ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, u.id, s.id, E'A\tB', 'binance', '{"pairs": ["BTC/USDT"]}', '{"spaces": ["buy"], "seed": 9007199254740991}',
         'running', '{"range": {"from": 1, "to": 2}}', 2, 2, '{"sharpe": -0.1}', gen_random_uuid(), now() from (select * from users limit 1) u, strategies s, generate_series(1, 2) n`,
    `update studies set status = 'done', finished_at = '2026-03-05', unsealed_at = '2026-03-06', unsealed_by = user_id, unsealed_epoch = 2, unsealed = '{"trades": 3}',
       judgement = '{"epoch": 2}' where id::text like '%1'`,
    `insert into study_batches (study_id, number, first_epoch, points, losses, daily) select id, 0, 1, '[[1, 2], [3, 4]]', '{-1.7976931348623157e308, Infinity}', '\\x00ff7f80' from studies where status = 'running'`,
    `insert into study_batches (study_id, number, first_epoch, points, claimed_by, claimed_at, claimed_until, attempts)
       select id, 1, 3, '[[5, 6]]', gen_random_uuid(), now(), now(), 2 from studies where status = 'running'`,
    `insert into study_epochs select id, 1, '{1, 2}', 0.1, '{"trades": 1, "profit": -0.30000000000000004}', null from studies`,
    `insert into study_epochs select id, 2, '{3, 4}', null, null, E'It failed:\tat once' from studies`,
    `insert into study_tries select id, E'A\tB', '5m', array['BTC/USDT', 'with,comma'], '2026-01-01', '2026-03-29 01:30:00.123456+01', 2, 0.1, 1e-300 from studies`,
    `insert into facts values ('first', '"start"')`,
    `insert into installation_settings values (true, 7, 'admins', 'invitation', false, 30, 90, E'Harbour\\tDesk', 'desk@harbour.example')`,
    `insert into trading_states (level, state, is_imposed) values ('server', 'reducing', false)`,
    `insert into trading_states (level, user_id, state, is_imposed, set_by) select 'user', id, 'halted', true, id from users limit 1`,
    `insert into limits (level, name, currency, value) values ('server', 'daily-loss', 'USDT', 1000.000000000000000001)`,
    `insert into alarms (key, kind, level, bot_id, facts) select 'difference bot ' || id, 'difference', 'bot', id, '{"ours": 1}' from bots`,
    `insert into alarm_items (alarm_id, detail, facts) select id, 'fl-1', '{"order": "fl-1"}' from alarms`,
    `insert into invitations (email, email_key, role, code_hash, created_at, expires_at) values ('n@example.com', 'n@example.com', 'trader', '\\x04', now(), now())`,
    `insert into funding_events values ('binance', 'BTC/USDT:USDT', '2026-03-01', -0.0000123, 96000.12345678)`,
    `insert into funding_spans values ('binance', 'BTC/USDT:USDT', '{[2026-03-01,2026-03-15), [2026-03-20,2026-04-01)}')`,
    `insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
       trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position, kind, owner_id, is_shared)
       select 'rules-1', E'Rules\\tof mine', '', array['sandbox'], '5m', -0.1, false, false, '{}', '{}', '{}', 2, 'rules', id, true from users limit 1`,
    `update strategies set removed_at = '2026-03-05' where kind = 'rules'`,
    `insert into strategy_files values ('a/ü.ts', 'refused', array['It is, as they say, "broken".'], null, '{}', null, 12.5, now())`,
    `insert into strategy_code (strategy_id, number, hash, document, description, made_by)
       select s.id, 1, 'abc', '{"enter": [{"name": "Ünï"}]}', '{"name": "Rules"}', u.id from strategies s, (select * from users limit 1) u where s.kind = 'rules'`,
    `insert into strategy_code (strategy_id, number, hash, file, export_name, files, description)
       select id, 2, 'def', 'a/b.ts', 'default', '{"a/b.ts": "const tab = \\"\\\\t\\";\\n"}', '{}' from strategies where kind = 'rules'`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(on);
  await sql`insert into candle_chunks values ('binance', 'spot', 'BTC/USDT', '1m', '2026-03-01', '{[2026-03-01,2026-03-15), [2026-03-20,2026-04-01)}', 44640, '\\x01', ${randomBytes(6_000_000)})`.execute(
    on,
  );
  for (let i = 0; i < 5; i++) await writeAudit(on, { actorId: null, actorRole: null, action: `act ${i}`, result: 'ok' });
}
