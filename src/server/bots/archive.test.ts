import { texts } from '#contract/errors.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let owner: Person;
let other: Person;
let botId: string;

beforeAll(async () => {
  [admin, owner, other] = await Promise.all([
    server.signedIn('admin', 'admin@example.com'),
    server.signedIn('trader', 'owner@example.com'),
    server.signedIn('trader', 'other@example.com'),
  ]);
});
beforeEach(async () => {
  botId = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'old one', owner: 'owner@example.com', status: 'stopped' });
});

const about = () => ({ params: { id: botId } });
const aTrade = (status: string) =>
  sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
    values (gen_random_uuid(), ${botId}, 'BTC/USDT', 'long', 'paper', ${status}, now(), ${status === 'open' ? null : new Date()}, 1, 5, 1, 2)`.execute(
    db,
  );
const lines = async (action: string): Promise<unknown[]> =>
  (await sql`select action from audit_log where action = ${action} and target = ${botId}`.execute(db)).rows;
const isListed = async (person: Person): Promise<boolean> => (await person.listBots({})).some(({ id }) => id === botId);

describe('an archived bot', () => {
  test('is hidden from lists, selectors and the fleet, still read, and brought back stopped, with a line in the audit log each', async () => {
    const archived = await owner.archiveBot(about());
    expect(archived).toMatchObject({ id: botId, status: 'stopped', archived_at: expect.any(String) as string });
    await owner.archiveBot(about());
    expect(await lines('archive-bot')).toHaveLength(1);
    for (const person of [owner, admin]) {
      expect(await isListed(person)).toBe(false);
      expect((await person.liveStatus({ query: {} })).bots.some((bot) => bot.bot_id === botId)).toBe(false);
      expect((await person.availableBots({})).data.some(({ id }) => id === botId)).toBe(false);
      expect((await person.listArchivedBots({})).some(({ id }) => id === botId)).toBe(true);
      expect(await person.getBot(about())).toMatchObject({ id: botId, archived_at: archived.archived_at });
    }
    expect(await owner.bringBackBot(about())).toMatchObject({ status: 'stopped', archived_at: null });
    await owner.bringBackBot(about());
    expect(await lines('bring-back-bot')).toHaveLength(1);
    expect(await isListed(owner)).toBe(true);
  });

  test('is neither activated nor changed until it is brought back', async () => {
    await owner.archiveBot(about());
    const refused = { status: 409, message: `409 ${texts.botArchived}` };
    const tries = [
      () => owner.toggleBot({ ...about(), query: { status: 'active' } }),
      () => admin.setBotStatus({ ...about(), body: { status: 'active' } }),
      () => owner.changeBotMode({ ...about(), query: { mode: 'live' } }),
      () => owner.updateBot({ ...about(), body: { stake_amount: 50 } }),
      () => owner.restoreBotVersion({ params: { id: botId, version: 1 } }),
      () => owner.enterByHand({ ...about(), body: { symbol: 'BTC/USDT', direction: 'long', stake: 20, stop_price: null } }),
      () => owner.runDrill(about()),
      () => owner.changeLimits({ body: { level: 'bot', id: botId, changes: [{ name: 'open-orders', currency: null, value: 3 }] } }),
      () => admin.changeLimits({ body: { level: 'bot', id: botId, changes: [{ name: 'open-orders', currency: null, value: 3 }] } }),
      () => owner.addPairLock({ ...about(), body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } }),
    ];
    await sql`insert into bot_versions (bot_id, version, settings) values (${botId}, 1, '{"nickname": "before"}')`.execute(db);
    for (const call of tries) expect(await failure(call())).toMatchObject(refused);
    expect(await owner.getBot(about())).toMatchObject({ status: 'stopped', mode: 'paper', stake_amount: 100, version: 1 });
  });

  for (const first of ['limit', 'lock'] as const)
    test(`has no limit or pair lock set while it is being archived, when the ${first} comes first: each waits for the others`, async () => {
      const set = (name: 'limits' | 'pair_locks') => sql`select 1 from ${sql.table(name)} where bot_id = ${botId}`.execute(db);
      const archiving = await db.startTransaction().execute();
      await sql`select from bots where id = ${botId} for update`.execute(archiving);
      const presses = {
        limit: () =>
          owner.changeLimits({ body: { level: 'bot', id: botId, changes: [{ name: 'open-orders', currency: null, value: 3 }] } }),
        lock: () =>
          owner.addPairLock({ ...about(), body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } }),
      };
      const one = failure(presses[first]());
      await untilWaiting(db, 1);
      const other = failure(presses[first === 'limit' ? 'lock' : 'limit']());
      await untilWaiting(db, 2);
      await sql`update bots set archived_at = now() where id = ${botId}`.execute(archiving);
      await archiving.commit().execute();
      for (const refused of [await one, await other]) expect(refused.message).toBe(`409 ${texts.botArchived}`);
      expect((await set('limits')).rows).toEqual([]);
      expect((await set('pair_locks')).rows).toEqual([]);
    });

  test('does not stand under Live accounts', async () => {
    await sql`with key as (insert into api_keys (user_id, exchange_id, key_hint, sealed) values (${owner.userId}, 'sandbox', 'abcd', '{}') returning id)
      update bots set mode = 'live', exchange_id = 'sandbox', api_key_id = (select id from key) where id = ${botId}`.execute(db);
    const named = async () => (await owner.listLiveAccounts({})).accounts.flatMap(({ bots }) => bots.map(({ nickname }) => nickname));
    expect(await named()).toEqual(['old one']);
    await owner.archiveBot(about());
    expect(await named()).toEqual([]);
    await owner.bringBackBot(about());
    expect(await named()).toEqual(['old one']);
  });

  test('keeps its figures in the fund', async () => {
    await aTrade('closed');
    const before = await admin.fundOverview({});
    await owner.archiveBot(about());
    expect(await admin.fundOverview({})).toEqual(before);
  });

  test('was stopped and without open trades; others cannot archive or bring it back', async () => {
    expect(await failure(other.archiveBot(about()))).toMatchObject({ status: 403 });
    await aTrade('open');
    expect((await failure(owner.archiveBot(about()))).message).toBe('409 Bot has open trades');
    await sql`update trades set status = 'closed', closed_at = now() where bot_id = ${botId}`.execute(db);
    await sql`update bots set status = 'paused' where id = ${botId}`.execute(db);
    expect((await failure(owner.archiveBot(about()))).message).toBe('409 Stop the bot before you archive it');
    expect(await lines('archive-bot')).toEqual([]);
  });
});

describe('deleting a bot', () => {
  test('is for one that never traded, by its owner and admins, and leaves a line in the audit log', async () => {
    expect(await failure(other.deleteBot(about()))).toMatchObject({ status: 403 });
    expect(await owner.deleteBot(about())).toEqual({ status: 'Bot deleted' });
    expect((await failure(owner.getBot(about()))).message).toBe('404 Bot not found');
    expect(await lines('delete-bot')).toHaveLength(1);
  });

  test('is refused with the way out when it has traded', async () => {
    await aTrade('closed');
    expect((await failure(owner.deleteBot(about()))).message).toBe('409 It has traded: archive it instead');
    expect(await isListed(owner)).toBe(true);
  });
});
