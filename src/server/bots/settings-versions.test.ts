import { versionsListed } from '#contract/versions.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { botSettingsOf, keepFirstVersion } from '#storage/bots/bot-settings.ts';
import { findBot } from '#storage/bots/bots.ts';
import { listStrategyVersions } from '#storage/strategies/strategy-settings.ts';

const server = await startTestServer();
const { db } = server.dependencies;

test('of a bot with many versions the newest are listed, the oldest of them with what it changed too', async () => {
  const owner = await server.signedIn('trader');
  const id = await addTestBot(db, { strategy: 'EmaCross', owner: owner.email });
  const bot = await findBot(db, id);
  if (bot === null) throw new Error('The bot does not exist');
  await keepFirstVersion(db, id, botSettingsOf(bot), null, null);
  await sql`insert into bot_versions (bot_id, version, changed_at, settings)
    select ${id}, n, now(), jsonb_set(settings, '{nickname}', to_jsonb('name ' || n)) from generate_series(2, ${versionsListed + 50}::int) n, bot_versions
    where bot_id = ${id} and version = 1`.execute(db);
  const versions = await owner.listBotVersions({ params: { id } });
  const first = 51;
  expect(versions).toHaveLength(versionsListed);
  expect([versions[0]?.version, versions.at(-1)?.version]).toEqual([versionsListed + 50, first]);
  expect(versions.at(-1)?.changes).toEqual([{ field: 'nickname', from: `name ${first - 1}`, to: `name ${first}` }]);
});

test('of a strategy with many versions too, and no more are read than that takes', async () => {
  const admin = await server.signedIn('admin');
  await enterBuiltInStrategies(db);
  const { strategies } = await admin.listStrategies({});
  const id = strategies.find(({ strategy_class_name }) => strategy_class_name === 'EmaCross')?.id ?? '';
  await sql`insert into strategy_versions (strategy_id, version, changed_at, settings)
    select ${id}::uuid, n, now(), jsonb_build_object('name', 'name ' || n) from generate_series(1, ${versionsListed + 50}::int) n`.execute(
    db,
  );
  expect(await listStrategyVersions(db, id)).toHaveLength(versionsListed + 1);
  const versions = await admin.listStrategyVersions({ params: { id } });
  const first = 51;
  expect(versions).toHaveLength(versionsListed);
  expect([versions[0]?.version, versions.at(-1)?.version]).toEqual([versionsListed + 50, first]);
  expect(versions.at(-1)?.changes).toEqual([{ field: 'name', from: `name ${first - 1}`, to: `name ${first}` }]);
});
