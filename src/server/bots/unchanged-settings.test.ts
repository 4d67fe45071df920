import { texts } from '#contract/errors.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startMarket } from '../../../test/support/market.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { botSettingsOf, keepFirstVersion } from '#storage/bots/bot-settings.ts';
import { findBot } from '#storage/bots/bots.ts';
import { beforeEach, expect, test } from 'vitest';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const owner = await server.signedIn('trader');
let id = '';

beforeEach(async () => {
  id = await addTestBot(db, { strategy: 'EmaCross', owner: owner.email });
  const bot = await findBot(db, id);
  if (bot === null) throw new Error('The bot does not exist');
  await keepFirstVersion(db, id, botSettingsOf(bot), null, null);
});

const versions = async () => (await owner.listBotVersions({ params: { id } })).map(({ version }) => version);
const update = (body: object, version: number) => owner.updateBot({ params: { id }, body }, { headers: { 'if-match': `"${version}"` } });

test('API-34 a change that changes nothing is answered like any other, makes no version, and who has seen the bot has still seen it', async () => {
  const before = await owner.getBot({ params: { id } });
  for (let i = 0; i < 3; i++)
    expect(await update({ stake_amount: 100, trading_pairs: ['BTC/USDT'], nickname: 'EmaCross' }, 1)).toMatchObject({
      version: 1,
      stake_amount: 100,
    });
  expect(await owner.getBot({ params: { id } })).toEqual(before);
  expect(await owner.restoreBotVersion({ params: { id, version: 1 } })).toMatchObject({
    version: 1,
  });
  expect(await versions()).toEqual([1]);
  expect(await update({ leverage: 2 }, 1)).toMatchObject({ version: 2 });
  expect((await failure(update({ leverage: 2 }, 1))).message).toBe(`409 ${texts.changedMeanwhile}`);
  expect(await versions()).toEqual([2, 1]);
});

test('another key makes a version although no setting changes: the bot trades with another account', async () => {
  const { id: key } = await db
    .insertInto('apiKeys')
    .values({ userId: owner.userId, exchangeId: 'sandbox', keyHint: 'wxyz', sealed: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(await update({ api_key_id: key }, 1)).toMatchObject({ version: 2 });
  expect(await update({ api_key_id: key }, 2)).toMatchObject({ version: 2 });
  expect(await versions()).toEqual([2, 1]);
});
