import { otherMode, otherStatus } from '#contract/bots.ts';
import { bulkTexts, fullOfTags } from '#contract/bulk.ts';
import { texts } from '#contract/errors.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Bulk = Parameters<Person['changeBots']>[0]['body'];
let admin: Person;
let owner: Person;
let bots: string[];
let foreign: string;

const bot = (nickname: string, status: 'active' | 'paused' | 'stopped', email = 'owner@example.com') =>
  addTestBot(db, { strategy: 'RsiReversal', nickname, owner: email, status });
beforeAll(async () => {
  admin = await server.signedIn('admin', 'admin@example.com');
  owner = await server.signedIn('trader', 'owner@example.com');
  await server.signedIn('trader', 'other@example.com');
});
beforeEach(async () => {
  bots = [await bot('one', 'active'), await bot('two', 'paused'), await bot('three', 'stopped')];
  foreign = await bot('theirs', 'active', 'other@example.com');
});

const change = (action: Bulk['action'], more: Partial<Bulk> = {}, person = owner) =>
  person.changeBots({ body: { bot_ids: bots, action, ...more } });
const outcomes = async (answer: ReturnType<typeof change>) => (await answer).results.map(({ outcome }) => outcome);
const column = async (name: 'status' | 'tags') =>
  Promise.all(bots.map(async (id) => (await db.selectFrom('bots').select(name).where('id', '=', id).executeTakeFirstOrThrow())[name]));
const lines = async (action: string) =>
  (
    await sql<{
      target: string;
      detail: object;
    }>`select target, detail from audit_log where action = ${action} and target = any(${bots}) order by id`.execute(db)
  ).rows;
const goLive = (id: string, exchange: string) =>
  sql`with key as (
      insert into api_keys (user_id, exchange_id, key_hint, sealed)
      values ((select user_id from bots where id = ${id}), ${exchange}, 'abcd', '{}') returning id)
    update bots set mode = 'live', exchange_id = ${exchange}, api_key_id = (select id from key) where id = ${id}`.execute(db);

describe('several bots at once', () => {
  test('are paused, and a stopped one stays stopped; the answer says what became of each, in the order they were named', async () => {
    expect((await change('pause')).results).toEqual([
      { bot_id: bots[0], nickname: 'one', outcome: 'done', reason: null },
      { bot_id: bots[1], nickname: 'two', outcome: 'unchanged', reason: 'It is paused already' },
      { bot_id: bots[2], nickname: 'three', outcome: 'unchanged', reason: 'It is stopped already' },
    ]);
    expect(await column('status')).toEqual(['paused', 'paused', 'stopped']);
    expect(await lines('bot-status')).toEqual([{ target: bots[0], detail: { from: 'active', to: 'paused' } }]);
  });

  test('are activated and stopped, each with its line in the audit log', async () => {
    expect(await outcomes(change('activate'))).toEqual(['unchanged', 'done', 'done']);
    expect(await outcomes(change('stop'))).toEqual(['done', 'done', 'done']);
    expect(await column('status')).toEqual(['stopped', 'stopped', 'stopped']);
    expect(await lines('bot-status')).toHaveLength(5);
  });

  test('one that is refused leaves the others done: archived, gone, with its owner not verified', async () => {
    await sql`update bots set archived_at = now() where id = ${bots[2]}`.execute(db);
    const gone = '00000000-0000-4000-8000-000000000000';
    expect((await change('pause', { bot_ids: [gone, ...bots.toReversed()] })).results).toMatchObject([
      { bot_id: gone, nickname: null, outcome: 'failed', reason: texts.botNotFound },
      { outcome: 'failed', reason: texts.botArchived },
      { outcome: 'unchanged' },
      { outcome: 'done' },
    ]);
    await sql`update users set verified = false where email = 'owner@example.com'`.execute(db);
    const two = { bot_ids: bots.slice(0, 2) };
    expect((await change('activate', two, admin)).results.map(({ reason }) => reason)).toEqual([texts.notVerified, texts.notVerified]);
    expect(await failure(change('activate', two))).toMatchObject({ message: `403 ${texts.notVerified}` });
    await sql`update users set verified = true where email = 'owner@example.com'`.execute(db);
    expect(await column('status')).toEqual(['paused', 'paused', 'stopped']);
  });

  test('a press that names a bot of somebody else does nothing at all; an admin may', async () => {
    expect(await failure(change('stop', { bot_ids: [...bots, foreign] }))).toMatchObject({
      status: 403,
      message: `403 ${bulkTexts.others}`,
    });
    expect(await column('status')).toEqual(['active', 'paused', 'stopped']);
    expect(await lines('bot-status')).toEqual([]);
    expect(await outcomes(change('stop', { bot_ids: [foreign, ...bots] }, admin))).toEqual(['done', 'done', 'done', 'unchanged']);
  });

  test('whose orders would be real are activated with the password just checked, or none of them is', async () => {
    await goLive(bots[1] ?? '', 'binance');
    server.pass(11 * 60_000);
    expect(await failure(change('activate'))).toMatchObject({ status: 403, message: `403 ${texts.passwordNeeded}` });
    expect(await column('status')).toEqual(['active', 'paused', 'stopped']);
    expect(await outcomes(change('pause'))).toEqual(['done', 'unchanged', 'unchanged']);
    const fresh = await server.signedIn('admin', 'fresh@example.com');
    expect(await outcomes(change('activate', {}, fresh))).toEqual(['done', 'done', 'done']);
    expect(await column('status')).toEqual(['active', 'active', 'active']);
  });

  test('one that is in another mode than its person has seen is not activated; it can be paused', async () => {
    const fresh = await server.signedIn('admin', 'seen@example.com');
    await goLive(bots[1] ?? '', 'binance');
    const modes = Object.fromEntries(bots.map((id) => [id, 'paper' as const]));
    const { results } = await change('activate', { modes }, fresh);
    expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['unchanged', 'It is active already'],
      ['failed', otherMode],
      ['done', null],
    ]);
    expect(await column('status')).toEqual(['active', 'paused', 'active']);
    expect(await outcomes(change('activate', { modes: { ...modes, [bots[1] ?? '']: 'live' } }, fresh))).toEqual([
      'unchanged',
      'done',
      'unchanged',
    ]);
    expect(await outcomes(change('pause', {}, fresh))).toEqual(['done', 'done', 'done']);
  });

  test('one whose settings are not those that were seen is not activated', async () => {
    await owner.updateBot({ params: { id: bots[1] ?? '' }, body: { nickname: 'renamed' } });
    const versions = Object.fromEntries(bots.map((id) => [id, 1]));
    expect((await change('activate', { versions })).results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['unchanged', 'It is active already'],
      ['failed', texts.changedMeanwhile],
      ['done', null],
    ]);
    expect(await column('status')).toEqual(['active', 'paused', 'active']);
    expect(await outcomes(change('activate', { versions: { [bots[1] ?? '']: 2 } }))).toEqual(['unchanged', 'done', 'unchanged']);
    expect((await failure(change('activate', { versions: { [bots[1] ?? '']: 1.5 } }))).message).toBe(`400 ${texts.invalidRequest}`);
  });

  test('one that somebody has stopped meanwhile stays stopped; what makes a bot do less is done whatever was seen', async () => {
    const seen = (status: 'active' | 'paused' | 'stopped') => ({ statuses: Object.fromEntries(bots.map((id) => [id, status])) });
    expect((await change('activate', seen('paused'))).results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['unchanged', 'It is active already'],
      ['done', null],
      ['failed', otherStatus],
    ]);
    expect(await column('status')).toEqual(['active', 'active', 'stopped']);
    expect((await change('pause', seen('active'))).results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['done', null],
      ['done', null],
      ['unchanged', 'It is stopped already'],
    ]);
    expect(await outcomes(change('stop', seen('active')))).toEqual(['done', 'done', 'unchanged']);
    expect(await outcomes(change('activate', seen('stopped')))).toEqual(['done', 'done', 'done']);
  });

  test('a bot that is named twice is changed once', async () => {
    expect((await change('pause', { bot_ids: [bots[0] ?? '', bots[0] ?? ''] })).results).toHaveLength(1);
    expect(await lines('bot-status')).toHaveLength(1);
  });

  test('where one cannot be written, the others are, and the answer names it in the general words', async () => {
    await sql`alter table audit_log add constraint refuse_one check (target is distinct from ${sql.lit(bots[0])}) not valid`.execute(db);
    expect((await change('stop')).results).toMatchObject([
      { outcome: 'failed', reason: texts.general },
      { outcome: 'done' },
      { outcome: 'unchanged' },
    ]);
    await sql`alter table audit_log drop constraint refuse_one`.execute(db);
    expect(await column('status')).toEqual(['active', 'stopped', 'stopped']);
  });
});

describe('tags of several bots', () => {
  test('are added to those that a bot has, and taken away whatever their case', async () => {
    await owner.setBotTags({ params: { id: bots[0] ?? '' }, body: { tags: ['Night'] } });
    expect(await outcomes(change('tag', { tags: ['night', 'scalp'] }))).toEqual(['done', 'done', 'done']);
    expect(await column('tags')).toEqual([
      ['Night', 'scalp'],
      ['night', 'scalp'],
      ['night', 'scalp'],
    ]);
    expect(await outcomes(change('tag', { tags: ['SCALP'] }))).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(await outcomes(change('untag', { tags: ['NIGHT', 'other'] }))).toEqual(['done', 'done', 'done']);
    expect(await column('tags')).toEqual([['scalp'], ['scalp'], ['scalp']]);
    expect(await lines('tag-bot')).toHaveLength(7);
  });

  test('a bot that would have too many keeps those it has', async () => {
    await owner.setBotTags({ params: { id: bots[0] ?? '' }, body: { tags: Array.from({ length: 10 }, (_, i) => `t${i}`) } });
    const { results } = await change('tag', { tags: ['more'] });
    expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', fullOfTags],
      ['done', null],
      ['done', null],
    ]);
    expect((await column('tags'))[0]).toHaveLength(10);
  });

  test('without a tag nothing is done; nor without a bot', async () => {
    for (const action of ['tag', 'untag'] as const) expect((await failure(change(action))).message).toBe(`400 ${bulkTexts.tags}`);
    expect((await failure(change('stop', { bot_ids: [] }))).message).toBe(`400 ${bulkTexts.bots}`);
  });
});
