import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';

const { db } = await freshDatabase('template0');
const until = (name: string) => Object.fromEntries(Object.entries(migrations).filter(([each]) => each < name));
await migrate(db, until('0022'));

test('what a bot has made on paper on the day of the upgrade counts on paper only, and what it has made live counts live', async () => {
  const { rows: users } = await sql<{ id: string }>`
    insert into users (email, email_key, display_name, password_hash, role)
    values ('owner@example.com', 'owner@example.com', 'owner', 'none', 'trader') returning id`.execute(db);
  const { rows: strategies } = await sql<{ id: string }>`
    insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop, trailing_only_offset_is_reached,
      minimal_roi, order_types, order_time_in_force, position)
    values ('AlwaysFlat', 'Flat', '', '{}', '1m', -0.1, false, false, '{}', '{}', '{}', 1) returning id`.execute(db);
  const addBot = async (nickname: string, closed: [mode: 'paper' | 'testnet', profit: number][]): Promise<string> => {
    const { rows } = await sql<{ id: string }>`
      insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades,
        leverage, leverage_mode, starting_balance)
      values (${users[0]?.id}, ${strategies[0]?.id}, ${nickname}, 'sandbox', 'spot', 'USDT', 10, '{BTC/USDT}', 1, 1, 'isolated', 10)
      returning id`.execute(db);
    const id = rows[0]?.id ?? '';
    for (const mode of ['paper', 'testnet'])
      await sql`insert into bot_figures (bot_id, mode, trades, realized_pnl, peak_balance) values (${id}, ${mode}, 1, 0, 100)`.execute(db);
    for (const [mode, profit] of closed)
      await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
        values (gen_random_uuid(), ${id}, 'BTC/USDT', 'long', ${mode}, 'closed', now(), now(), 1, 10, 1, ${profit})`.execute(db);
    return id;
  };
  const wentLive = await addBot('went live', [
    ['paper', -40],
    ['paper', -10],
  ]);
  const both = await addBot('both', [
    ['paper', -50],
    ['testnet', 3],
  ]);

  await migrate(db, until('0023'));

  const figures = async (id: string): Promise<unknown[]> =>
    (
      await sql`select mode, day is not null as has_day, day_profit::float8 as day_profit from bot_figures where bot_id = ${id} order by mode`.execute(
        db,
      )
    ).rows;
  expect(await figures(wentLive)).toEqual([
    { mode: 'paper', hasDay: true, dayProfit: -50 },
    { mode: 'testnet', hasDay: false, dayProfit: 0 },
  ]);
  expect(await figures(both)).toEqual([
    { mode: 'paper', hasDay: true, dayProfit: -50 },
    { mode: 'testnet', hasDay: true, dayProfit: 3 },
  ]);
});
