import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Trade } from '#engine/account/trade.ts';
import { settleTrade } from '#engine/account/trade.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';

/** An order as versions before the life of an order kept it. */
const oldOrder = (given: object) => ({
  type: 'limit',
  tag: null,
  createdTime: 1_000,
  state: 'filled',
  liquidity: 'taker',
  fundingFee: 0,
  price: 100,
  fillPrice: 100,
  filledTime: 2_000,
  feeRatio: 0.001,
  ...given,
});

test('OP-85 trades and orders of an earlier version keep what they were, and the engine continues with them', async () => {
  const { db } = await freshDatabase('template0');
  const names = Object.keys(migrations);
  await migrate(db, Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf('0006-order-life'))));
  const { realizedProfit: _new, ...rest } = aTrade({ amountStep: 0.001, amount: 1.25, stake: 125, stop: 90 });
  const old = {
    ...rest,
    realisedProfit: 12.5,
    confidence: 0.5,
    orders: [
      oldOrder({ id: 'e', purpose: 'entry', side: 'buy', amount: 2.5 }),
      oldOrder({ id: 'x', purpose: 'exit', side: 'sell', amount: 1.25, fillPrice: 110, price: 110 }),
      oldOrder({ id: 'o', purpose: 'exit', side: 'sell', amount: 1.25, state: 'open', fillPrice: null, filledTime: null, feeRatio: null }),
    ],
  };
  await sql`insert into users (email, email_key, display_name, password_hash, role) values ('a@x.example', 'a@x.example', 'x', 'x', 'trader')`.execute(
    db,
  );
  await sql`insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
    trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
    values ('A', 'A', '', array['binance'], '5m', -0.1, false, false, '{}', '{}', '{}', 1)`.execute(db);
  await sql`insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades,
    leverage, leverage_mode, starting_balance) select u.id, s.id, 'old', 'sandbox', 'spot', 'USDT', 100, array['BTC/USDT'], 3, 1, 'isolated', 100
    from users u, strategies s`.execute(db);
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, engine_state)
    select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'open', now(), 1.25, 125, 1, ${JSON.stringify(old)}::jsonb from bots`.execute(
    db,
  );
  await sql`insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, amount, status, filled, planned_at)
    select bot_id, id, 0, o, o, 'entry', 'buy', 'limit', 2.5, 'filled', 2.5, now() from trades, unnest(array['e', 'x']) o`.execute(db);
  await sql`insert into fills (order_id, exchange_fill_id, price, amount, fee, fee_currency, is_maker, filled_at)
    select id, '1', 100, 2.5, 0.25, 'USDT', false, now() from orders`.execute(db);

  await migrate(db);

  const row = await db.selectFrom('trades').select('engineState').executeTakeFirstOrThrow();
  const trade = row.engineState as unknown as Trade & Record<string, unknown>;
  expect(trade['realisedProfit']).toBeUndefined();
  expect(trade).toMatchObject({ realizedProfit: 12.5, amount: 1.25, stake: 125, stop: 90, confidence: 0.5 });
  expect(trade.orders.map(({ id, state, amount, filled, isCancelWanted }) => [id, state, amount, filled, isCancelWanted])).toEqual([
    ['e', 'filled', 2.5, 2.5, false],
    ['x', 'filled', 1.25, 1.25, false],
    ['o', 'open', 1.25, 0, false],
  ]);
  expect(trade.orders[0]?.fills).toEqual([
    { id: '1', price: 100, amount: 2.5, fee: 0.25, feeInQuote: 0.25, feeCurrency: 'USDT', liquidity: 'taker', time: 2_000 },
  ]);
  expect(trade.orders[2]?.fills).toEqual([]);
  settleTrade(trade);
  expect(trade).toMatchObject({ amount: 1.25, stake: 125 });
  expect(trade.realizedProfit).toBeCloseTo(1.25 * 10 - 0.125 - 0.1375, 8);

  const { rows } = await sql<object>`
    select o.requested::float8, o.filled::float8, o.status, o.attempt, o.signal_key, f.fee_quote::float8 from orders o join fills f on f.order_id = o.id order by 5`.execute(
    db,
  );
  expect(rows).toEqual(
    ['e', 'x'].map((signalKey) => ({ requested: 2.5, filled: 2.5, status: 'filled', attempt: 1, signalKey, feeQuote: 0.25 })),
  );
});
