import { minuteMs } from '#engine/market/durations.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Body = Parameters<Person['addPairLock']>[0]['body'];
let owner: Person;
let admin: Person;
let botId = '';
const lock = (person: Person, body: Partial<Body> = {}) =>
  person.addPairLock({
    params: { id: botId },
    body: { level: 'bot', pair: 'DOGE/USDT', direction: null, reason: 'too wild', ends_at: null, ...body },
  });
const unlock = (person: Person, id: string) => person.endPairLock({ params: { id } });
const listed = async (person: Person) => (await person.listPairLocks({ params: { id: botId } })).locks;
const refused = async (call: Promise<unknown>) => (await failure(call)).message;

beforeEach(async () => {
  owner = await server.signedIn('trader');
  admin = await server.signedIn('admin');
  await sql`delete from pair_locks`.execute(db);
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: `Momentum ${owner.email}` });
});

describe('ADD-pair-locks', () => {
  test('an owner locks a pair with a reason and an end, sees it, and takes it back with the password; both are in the audit log', async () => {
    const endsAt = new Date(server.dependencies.now?.() ?? Date.now());
    endsAt.setUTCFullYear(endsAt.getUTCFullYear() + 1);
    const made = await lock(owner, { pair: 'DOGE', direction: 'long', ends_at: endsAt.toISOString() });
    expect(await listed(owner)).toEqual([made]);
    expect(made).toMatchObject({
      level: 'bot',
      pair: 'DOGE',
      direction: 'long',
      reason: 'too wild',
      ends_at: endsAt.toISOString(),
      may_end: true,
    });
    expect(await refused(lock(owner, { pair: 'DOGE', direction: 'long' }))).toBe('409 This pair is locked already');
    server.pass(11 * minuteMs);
    expect(await refused(unlock(owner, made.lock_id))).toBe('403 Enter your current password to continue.');
    await owner.confirmPassword({ body: { password } });
    await unlock(owner, made.lock_id);
    expect(await listed(owner)).toEqual([]);
    expect(await refused(unlock(owner, made.lock_id))).toBe('404 Pair lock not found');
    for (const action of ['lock-pair', 'unlock-pair']) {
      const { lines } = await listAudit(db, { action }, 10);
      expect(lines.filter(({ target }) => target === made.lock_id)).toMatchObject([
        { actorId: owner.userId, detail: { level: 'bot', pair: 'DOGE', reason: 'too wild' } },
      ]);
    }
  });

  test('one for all bots of a person holds for each of them; one of the server is for administrators to make and to end', async () => {
    const all = await lock(owner, { level: 'user' });
    const other = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: `Second ${owner.email}` });
    expect((await owner.listPairLocks({ params: { id: other } })).locks).toEqual([all]);
    expect(await refused(lock(owner, { level: 'server' }))).toBe('403 Admin access required');
    const served = await lock(admin, { level: 'server', pair: 'SOL' });
    expect((await listed(owner)).map(({ level, may_end }) => [level, may_end])).toEqual([
      ['user', true],
      ['server', false],
    ]);
    expect(await refused(unlock(owner, served.lock_id))).toBe('403 Admin access required');
    await unlock(admin, served.lock_id);
  });

  test.each([
    ['a bot', 'bot'],
    ['all bots', 'user'],
  ] as const)('what an administrator has locked for %s of another, only an administrator unlocks', async (_, level) => {
    const made = await lock(admin, { level });
    expect((await listed(owner))[0]).toMatchObject({ may_end: false });
    expect(await refused(unlock(owner, made.lock_id))).toBe(
      '403 An administrator has locked this pair. Only an administrator can unlock it.',
    );
    await unlock(admin, made.lock_id);
  });

  test.each([
    ['hours', 'days', 'days'],
    ['days', 'hours', 'days'],
    ['hours', null, null],
    [null, 'hours', null],
  ] as const)(
    'what an owner has locked (for %s) an administrator locks too (for %s): it is imposed, for %s',
    async (own, imposed, both) => {
      const endOf = (length: 'hours' | 'days' | null) => (length === null ? null : inFuture({ hours: 60, days: 48 * 60 }[length]));
      const inFuture = (minutes: number) => new Date(base + minutes * minuteMs).toISOString();
      const base = server.dependencies.now().getTime();
      const mine = await lock(owner, { reason: 'mine', ends_at: endOf(own) });
      expect(await lock(admin, { reason: 'theirs', ends_at: endOf(imposed) })).toMatchObject({
        lock_id: mine.lock_id,
        reason: 'theirs',
        ends_at: endOf(both),
      });
      const { lines } = await listAudit(db, { action: 'lock-pair' }, 1);
      expect(lines).toMatchObject([{ actorId: admin.userId, target: mine.lock_id, detail: { reason: 'theirs', ends_at: endOf(both) } }]);
      expect(await listed(owner)).toMatchObject([{ may_end: false, reason: 'theirs' }]);
      expect(await refused(unlock(owner, mine.lock_id))).toBe(
        '403 An administrator has locked this pair. Only an administrator can unlock it.',
      );
      // Neither takes its place: it stays imposed.
      for (const person of [owner, admin]) expect(await refused(lock(person, { reason: 'again' }))).toBe('409 This pair is locked already');
      expect(await listed(owner)).toMatchObject([{ may_end: false, reason: 'theirs' }]);
      await unlock(admin, mine.lock_id);
      expect(await listed(owner)).toEqual([]);
    },
  );

  test('locks of others are not there', async () => {
    const made = await lock(owner);
    for (const role of ['trader', 'operator', 'investor'] as const) {
      const person = await server.signedIn(role);
      expect(await refused(unlock(person, made.lock_id))).toBe('404 Pair lock not found');
      expect(await refused(lock(person))).toBe('403 You do not have access to this bot');
      expect(await refused(listed(person))).toBe('403 You do not have access to this bot');
    }
  });

  test.each([
    [{ pair: '' }, '400 Enter a pair like DOGE/USDT, or a coin like DOGE'],
    [{ pair: 'doge/usdt' }, '400 Enter a pair like DOGE/USDT, or a coin like DOGE'],
    [{ pair: 'DOGE/' }, '400 Enter a pair like DOGE/USDT, or a coin like DOGE'],
    [{ pair: 5 }, '400 Invalid request'],
    [{ direction: 'up' }, '400 Invalid direction'],
    [{ reason: ' ' }, '400 Reason is required'],
    [{ reason: 'x'.repeat(201) }, '400 Reason is too long'],
    [{ ends_at: '2020-01-01T00:00:00.000Z' }, '400 The lock must end in the future'],
    [{ ends_at: 'tomorrow' }, '400 Invalid request'],
    [{ level: 'all' }, '400 Invalid request'],
  ])('with %j is refused', async (body, message) => {
    expect(await refused(lock(owner, body as Partial<Body>))).toBe(message);
    expect(await listed(owner)).toEqual([]);
  });
});
