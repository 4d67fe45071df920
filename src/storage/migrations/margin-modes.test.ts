import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { migrate, migrations } from '../migrate.ts';

test('open trades on perpetuals that kept no margin mode keep that of their bot, whatever its settings say later', async () => {
  const { db } = await freshDatabase('template0');
  await migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0081')));
  const bots = {
    isolated: await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'isolated', marketType: 'futures' }),
    cross: await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'cross', marketType: 'futures' }),
  };
  await sql`update bots set leverage_mode = 'cross' where id = ${bots.cross}`.execute(db);
  const add = async (symbol: string, bot: string, { status = 'open', ...given }: { status?: string } & Record<string, unknown> = {}) => {
    const state = JSON.stringify({ ...aTrade({ symbol, marketType: 'futures' }), ...given });
    await sql`
      insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, engine_state)
      values (gen_random_uuid(), ${bot}, ${symbol}, 'long', 'live', ${status}, now(), ${status === 'closed' ? new Date() : null}, 1, 10, 10, ${state}::jsonb)`.execute(
      db,
    );
  };
  await add('isolated', bots.isolated);
  await add('cross', bots.cross);
  await add('known', bots.cross, { marginMode: 'isolated' });
  await add('spot', bots.cross, { marketType: 'spot' });
  await add('closed', bots.cross, { status: 'closed' });

  await migrate(db);
  await sql`update bots set leverage_mode = case leverage_mode when 'cross' then 'isolated' else 'cross' end`.execute(db);

  const { rows } = await sql<{ symbol: string; mode: string | null }>`
    select symbol, engine_state ->> 'marginMode' as mode from trades`.execute(db);
  const modes = Object.fromEntries(rows.map(({ symbol, mode }) => [symbol, mode]));
  expect(modes).toEqual({ isolated: 'isolated', cross: 'cross', known: 'isolated', spot: null, closed: null });
});
