import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';

test('OP-58 a message that waited in an earlier version goes to its chat; nothing is both a text and a row', async () => {
  const { db } = await freshDatabase('template0');
  const names = Object.keys(migrations);
  await migrate(db, Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf('0018-sheet-rows'))));
  await sql`insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
    trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
    values ('Any', 'Any', '', '{}', '5m', -0.1, false, false, '{}', '{}', '{}', 1)`.execute(db);
  await sql`insert into webhook_messages (strategy_id, text) select id, 'opened' from strategies limit 1`.execute(db);
  await migrate(db);
  const [message] = await db.selectFrom('tradeMessages').select(['strategyId', 'kind', 'text', 'cells']).execute();
  expect(message).toEqual({ strategyId: expect.any(String), kind: 'chat', text: 'opened', cells: null });
  const add = (kind: string, text: string | null, cells: string | null) =>
    sql`insert into trade_messages (strategy_id, kind, text, cells) values (${message?.strategyId}, ${kind}, ${text}, ${cells}::jsonb)`.execute(
      db,
    );
  await add('sheet', null, '[1]');
  for (const [kind, text, cells] of [
    ['sheet', 'x', '[1]'],
    ['sheet', null, null],
    ['chat', null, '[1]'],
    ['mail', 'x', null],
  ] as const)
    await expect(add(kind, text, cells)).rejects.toThrow('violates check constraint');
});
