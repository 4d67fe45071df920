import { tagTexts } from '#contract/bot-tags.ts';
import { texts } from '#contract/errors.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let other: Person;
let botId: string;

beforeAll(async () => {
  [owner, other] = await Promise.all([server.signedIn('trader', 'owner@example.com'), server.signedIn('trader', 'other@example.com')]);
});
beforeEach(async () => {
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: 'owner@example.com', status: 'stopped' });
});

const tag = (tags: string[], person = owner) => person.setBotTags({ params: { id: botId }, body: { tags } });
const row = () => db.selectFrom('bots').select(['tags', 'updatedAt', 'version']).where('id', '=', botId).executeTakeFirstOrThrow();

describe('tags of a bot', () => {
  test('are kept once each, whatever their case, and the runner does not start the bot again', async () => {
    const before = await row();
    expect(await tag([' night ', 'Night', 'x,"y', 'scalp'])).toMatchObject({ tags: ['night', 'x,"y', 'scalp'] });
    expect(await row()).toEqual({ ...before, tags: ['night', 'x,"y', 'scalp'] });
    expect((await owner.listBots({})).find(({ id }) => id === botId)?.tags).toEqual(['night', 'x,"y', 'scalp']);
    await tag(['night', 'x,"y', 'scalp']);
    const { rows } = await sql`select action from audit_log where action = 'tag-bot' and target = ${botId}`.execute(db);
    expect(rows).toHaveLength(1);
    expect((await tag([])).tags).toEqual([]);
  });

  test('are at most ten of 1 to 24 characters; a refusal leaves those that are there', async () => {
    const most = Array.from({ length: 10 }, (_, i) => `${i}`.padEnd(24, 'x'));
    expect((await tag(most)).tags).toEqual(most);
    expect((await failure(tag([...most, 'one more']))).message).toBe(`400 ${tagTexts.tooMany}`);
    for (const bad of ['', '  ', 'x'.repeat(25), 'two\nlines']) expect((await failure(tag([bad]))).message).toBe(`400 ${tagTexts.form}`);
    expect((await row()).tags).toEqual(most);
  });

  test("of another's bot are refused, and those of an archived one", async () => {
    expect(await failure(tag(['mine'], other))).toMatchObject({ status: 403 });
    await owner.archiveBot({ params: { id: botId } });
    expect((await failure(tag(['late']))).message).toBe(`409 ${texts.botArchived}`);
    expect((await row()).tags).toEqual([]);
  });
});
