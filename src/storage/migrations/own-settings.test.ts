import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';

test('OP-32 what bots of an earlier version set themselves they set still; the trailing stop keeps its distances', async () => {
  const { db } = await freshDatabase('template0');
  const names = Object.keys(migrations);
  await migrate(db, Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf('0041-own-settings'))));
  await sql`insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
    trailing_stop_positive, trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
    values ('Any', 'Any', '', '{}', '5m', -0.1, true, 0.015, false, '{}', '{}', '{}', 1)`.execute(db);
  await sql`insert into users (email, email_key, display_name, password_hash, role) values ('a@b.c', 'a@b.c', 'A', 'x', 'trader')`.execute(
    db,
  );
  const add = (nickname: string, own: Record<string, unknown>) =>
    sql`insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
        leverage_mode, starting_balance, timeframe, stoploss, minimal_roi, trailing_stop, max_consecutive_losses)
      select u.id, s.id, ${nickname}, 'sandbox', 'spot', 'USDT', 10, '{}', 1, 1, 'isolated', 10, ${own['timeframe'] ?? null},
        ${own['stoploss'] ?? null}::numeric, ${JSON.stringify(own['roi'] ?? null)}::jsonb, ${own['trailing'] ?? null}::boolean, ${own['losses'] ?? null}::int
      from users u, strategies s`.execute(db);
  await add('all', { timeframe: '1h', stoploss: -0.025, roi: { 0: 0.05 }, trailing: false, losses: 3 });
  await add('none', {});
  await migrate(db);
  const bots = await db.selectFrom('bots').select(['nickname', 'ownSettings', 'signalsFrom']).orderBy('nickname').execute();
  expect(bots).toEqual([
    {
      nickname: 'all',
      signalsFrom: null,
      ownSettings: {
        timeframe: '1h',
        stoploss: -0.025,
        minimalRoi: { 0: 0.05 },
        maxConsecutiveLosses: 3,
        trailingStop: false,
        trailingStopPositive: 0.015,
        trailingStopPositiveOffset: 0,
        trailingOnlyOffsetIsReached: false,
      },
    },
    { nickname: 'none', signalsFrom: null, ownSettings: {} },
  ]);
});
