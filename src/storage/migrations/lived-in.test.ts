import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { Database } from '../database.ts';
import { migrate, migrations } from '../migrate.ts';

/** A database as it was before a migration, with a trader and a strategy. */
async function before(migration: string): Promise<Database> {
  const { db } = await freshDatabase('template0');
  const names = Object.keys(migrations);
  await migrate(db, Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf(migration))));
  await sql`insert into users (email, email_key, display_name, password_hash, role) values ('a@b.c', 'a@b.c', 'A', 'x', 'trader')`.execute(
    db,
  );
  await sql`insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
    trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
    values ('Any', 'Any', '', '{}', '5m', -0.1, false, false, '{}', '{}', '{}', 1)`.execute(db);
  return db;
}

test('trades that a bot made with a key before an upgrade are those of its account; paper trades, and those of a bot without a key, of none', async () => {
  const db = await before('0039-accounts-of-trades');
  const key = randomUUID();
  await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at)
    select ${key}, id, 'sandbox', 'mine', 'abcd', '{}', now() from users`.execute(db);
  await sql`insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
      leverage_mode, starting_balance, api_key_id)
    select u.id, s.id, kind, 'sandbox', 'spot', 'USDT', 10, '{}', 1, 1, 'isolated', 10, case kind when 'with a key' then ${key}::uuid end
    from users u, strategies s, unnest(array['with a key', 'without']) kind`.execute(db);
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage)
    select gen_random_uuid(), id, kind || '/USDT', 'long', kind, 'open', now(), 1, 10, 1 from bots, unnest(array['paper', 'testnet']) kind`.execute(
    db,
  );
  await migrate(db);
  const { rows } = await sql`
    select b.nickname, t.mode, t.account_id from trades t join bots b on b.id = t.bot_id order by 1, 2`.execute(db);
  expect(rows).toEqual([
    { nickname: 'with a key', mode: 'paper', accountId: null },
    { nickname: 'with a key', mode: 'testnet', accountId: key },
    { nickname: 'without', mode: 'paper', accountId: null },
    { nickname: 'without', mode: 'testnet', accountId: null },
  ]);
});

test('backup codes of before an upgrade are old: whoever has lost the phone right before it may use one at once', async () => {
  const db = await before('0066-age-of-backup-codes');
  await sql`insert into passkey_backup_codes (user_id, hash) select id, '\\x01' from users`.execute(db);
  await sql`insert into authenticators (id, user_id, sealed, created_at) select gen_random_uuid(), id, '{}', now() from users`.execute(db);
  await sql`insert into backup_codes (authenticator_id, hash) select id, '\\x01' from authenticators`.execute(db);
  await migrate(db);
  const { rows } = await sql`
    select extract(epoch from made_at)::int as made from backup_codes union all select extract(epoch from made_at)::int from passkey_backup_codes`.execute(
    db,
  );
  expect(rows).toEqual([{ made: 0 }, { made: 0 }]);
});
