import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';

const { db } = await freshDatabase('template0');
const until = (name: string) => Object.fromEntries(Object.entries(migrations).filter(([each]) => each < name));
await migrate(db, until('0036'));

async function addUser(name: string, role: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into users (email, email_key, display_name, password_hash, role)
    values (${`${name}@example.com`}, ${`${name}@example.com`}, ${name}, 'none', ${role}) returning id`.execute(db);
  return rows[0]?.id ?? '';
}

test('what somebody else than its owner has limited is a ceiling after the upgrade, also where that account is gone; what the owner has set is none', async () => {
  const [owner, admin, gone] = [await addUser('owner', 'trader'), await addUser('admin', 'admin'), await addUser('gone', 'admin')];
  const { rows: strategies } = await sql<{ id: string }>`
    insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop, trailing_only_offset_is_reached,
      minimal_roi, order_types, order_time_in_force, position)
    values ('AlwaysFlat', 'Flat', '', '{}', '1m', -0.1, false, false, '{}', '{}', '{}', 1) returning id`.execute(db);
  const { rows: bots } = await sql<{ id: string }>`
    insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades,
      leverage, leverage_mode, starting_balance)
    values (${owner}, ${strategies[0]?.id}, 'limited', 'sandbox', 'spot', 'USDT', 10, '{BTC/USDT}', 1, 1, 'isolated', 10) returning id`.execute(
    db,
  );
  const botId = bots[0]?.id ?? '';
  const set = async (level: 'server' | 'user' | 'bot', name: string, setBy: string): Promise<void> => {
    await sql`insert into limits (level, user_id, bot_id, name, currency, value, set_by) values (${level}, ${level === 'user' ? owner : null},
      ${level === 'bot' ? botId : null}, ${name}, 'USDT', 10, ${setBy})`.execute(db);
  };
  for (const level of ['user', 'bot'] as const) {
    await set(level, 'open-orders', owner);
    await set(level, 'daily-loss', admin);
    await set(level, 'drawdown', gone);
  }
  await set('server', 'daily-loss', admin);
  await sql`delete from users where id = ${gone}`.execute(db);

  await migrate(db, until('0037'));

  const { rows } = await sql<{ level: string; name: string }>`
    select level, name from limits where is_ceiling order by level, name`.execute(db);
  expect(rows).toEqual([
    { level: 'bot', name: 'daily-loss' },
    { level: 'bot', name: 'drawdown' },
    { level: 'user', name: 'daily-loss' },
    { level: 'user', name: 'drawdown' },
  ]);
});
