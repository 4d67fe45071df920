import { versionsListed } from '#contract/versions.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { botSettingsOf, keepFirstVersion } from '#storage/bots/bot-settings.ts';
import { findBot } from '#storage/bots/bots.ts';

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
