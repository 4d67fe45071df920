import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import {
  Changed,
  claimBots,
  endLease,
  Fenced,
  fence,
  forgetDeadRunners,
  freeDeadRunners,
  hasLiveRunner,
  listSurplusBots,
  releaseBot,
  renewLease,
} from './runners.ts';

const { db } = await freshDatabase();
const lease = 60_000;

beforeEach(async () => {
  await sql`delete from runners`.execute(db);
  await sql`update bots set runner_id = null, given_up_by = null, exchange_id = 'nowhere'`.execute(db);
});

async function addBots(count: number, exchangeId = 'sandbox'): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `bot ${i}`, status: 'paused' }));
  await sql`update bots set exchange_id = ${exchangeId} where id = any(${ids})`.execute(db);
  return ids;
}
async function addRunner(exchanges: string[] = ['sandbox'], leaseMs = lease): Promise<string> {
  const id = randomUUID();
  await renewLease(db, { id, host: id, exchanges }, leaseMs, true);
  return id;
}
const held = async (runnerId: string): Promise<number> =>
  (await db.selectFrom('bots').select('id').where('runnerId', '=', runnerId).execute()).length;

describe('claims', () => {
  test('two runners that claim at once never get the same bot, and each gets its half', async () => {
    await addBots(13);
    for (let round = 0; round < 20; round++) {
      await sql`update bots set runner_id = null`.execute(db);
      await sql`delete from runners`.execute(db);
      const [one, two] = [await addRunner(), await addRunner()];
      const claims = (await Promise.all([one, two, one, two, one, two].map((id) => claimBots(db, id, 4)))).flat();
      expect(claims).toHaveLength(13);
      expect(new Set(claims.map(({ id }) => id)).size).toBe(13);
      expect([await held(one), await held(two)].sort((a, b) => a - b)).toEqual([6, 7]);
    }
  });

  test('one runner alone gets all, a few at a time, each with a new epoch', async () => {
    const ids = await addBots(5);
    await sql`update bots set epoch = 7 where id = any(${ids})`.execute(db);
    const one = await addRunner();
    const first = await claimBots(db, one, 3);
    expect(first).toHaveLength(3);
    expect(first.every(({ epoch }) => epoch === '8')).toBe(true);
    expect(await claimBots(db, one, 3)).toHaveLength(2);
    expect(await claimBots(db, one, 3)).toEqual([]);
  });

  test('bots of an exchange that a runner cannot reach are left to those who can', async () => {
    const near = await addBots(2, 'sandbox');
    const far = await addBots(3, 'binance');
    const remote = await addRunner(['binance']);
    expect((await claimBots(db, remote, 100)).map(({ id }) => id).sort()).toEqual(far.sort());
    const local = await addRunner(['sandbox', 'binance']);
    expect((await claimBots(db, local, 100)).map(({ id }) => id).sort()).toEqual(near.sort());
  });

  test('bots of a runner whose lease has run out are free', async () => {
    await addBots(2);
    const dead = await addRunner(['sandbox'], 50);
    expect(await claimBots(db, dead, 100)).toHaveLength(2);
    const next = await addRunner();
    await expect.poll(() => claimBots(db, next, 100)).toHaveLength(2);
    expect(await claimBots(db, dead, 100)).toEqual([]);
  });

  test('a bot that rests is not claimed', async () => {
    const [rests = '', wanted] = await addBots(2);
    const one = await addRunner();
    expect((await claimBots(db, one, 100, [rests])).map(({ id }) => id)).toEqual([wanted]);
    expect((await claimBots(db, one, 100)).map(({ id }) => id)).toEqual([rests]);
  });

  test('when another runner comes, the surplus is to be released and goes to it', async () => {
    await addBots(7);
    const one = await addRunner();
    await claimBots(db, one, 100);
    expect(await listSurplusBots(db, one)).toEqual([]);
    const two = await addRunner();
    const surplus = await listSurplusBots(db, one);
    expect(surplus).toHaveLength(3);
    for (const id of surplus) await releaseBot(db, one, id, false);
    expect((await claimBots(db, two, 100)).map(({ id }) => id).sort()).toEqual(surplus.sort());
    expect(await listSurplusBots(db, one)).toEqual([]);
    expect(await listSurplusBots(db, two)).toEqual([]);
  });

  test('a bot that one runner has given up is another one’s to try, beyond its share and without counting in it', async () => {
    await addBots(5);
    const [holder, other] = [await addRunner(), await addRunner()];
    const [broken] = (await claimBots(db, holder, 100)).map(({ id }) => id);
    if (broken === undefined) throw new Error('Nothing was claimed');
    expect(await claimBots(db, other, 100)).toHaveLength(2);
    await releaseBot(db, other, broken, true);
    expect(await claimBots(db, other, 100)).toEqual([]); // who does not hold it cannot release it
    await releaseBot(db, holder, broken, true);
    expect((await claimBots(db, other, 100, [])).map(({ id }) => id)).toContain(broken);
    expect(await listSurplusBots(db, other)).toEqual([]);
  });
});

describe('fence', () => {
  test('a runner that has lost a bot can write nothing for it', async () => {
    const [id = ''] = await addBots(1);
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    const old = await addRunner();
    const [{ epoch } = { epoch: '' }] = await claimBots(db, old, 1);
    const write = (runnerId: string, at: string): Promise<void> =>
      db.transaction().execute((trx) => fence(trx, { id, epoch: at, runnerId, updatedAt }));
    await write(old, epoch);
    const changed = db
      .transaction()
      .execute((trx) => fence(trx, { id, epoch, runnerId: old, updatedAt: new Date(updatedAt.getTime() - 1) }));
    await expect(changed).rejects.toThrow(Changed);
    await sql`update runners set expires_at = now() where id = ${old}`.execute(db);
    await expect(write(old, epoch)).rejects.toThrow(Fenced);
    expect(await renewLease(db, { id: old, host: 'old', exchanges: ['sandbox'] }, lease, false)).toBe(false);
    await endLease(db, old);
    const young = await addRunner();
    const [claimed] = await claimBots(db, young, 1);
    expect(claimed).toEqual({ id, epoch: String(Number(epoch) + 1) });
    await expect(write(young, epoch)).rejects.toThrow(Fenced);
    await write(young, claimed?.epoch ?? '');
  });
});

describe('leases', () => {
  const known = async (): Promise<string[]> => (await db.selectFrom('runners').select('id').execute()).map(({ id }) => id);
  const at = (interval: string, id: string) =>
    sql`update runners set expires_at = now() + ${interval}::interval where id = ${id}`.execute(db);

  test('a lease is taken once, renewed while it holds, and never after its end', async () => {
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    expect(await renewLease(db, runner, lease, false)).toBe(false);
    expect(await renewLease(db, runner, lease, true)).toBe(true);
    await at('1 second', runner.id);
    expect(await renewLease(db, runner, lease, false)).toBe(true);
    const { rows } = await sql<{ isRenewed: boolean }>`
      select expires_at > now() + interval '30 s' as is_renewed from runners where id = ${runner.id}`.execute(db);
    expect(rows).toEqual([{ isRenewed: true }]);
    await at('0', runner.id);
    expect(await renewLease(db, runner, lease, false)).toBe(false);
  });

  test('somebody runs bots while a lease holds', async () => {
    expect(await hasLiveRunner(db)).toBe(false);
    const id = await addRunner();
    expect(await hasLiveRunner(db)).toBe(true);
    await at('0', id);
    expect(await hasLiveRunner(db)).toBe(false);
  });

  test('who ends a lease leaves the bots to others at once', async () => {
    const ids = await addBots(2);
    const [one, two] = [await addRunner(), await addRunner()];
    await claimBots(db, one, 100);
    await endLease(db, one);
    expect(await known()).toEqual([two]);
    await claimBots(db, two, 100);
    expect(await held(two)).toBe(ids.length);
  });

  test('a runner whose lease ended an hour ago is forgotten', async () => {
    const [old, young] = [await addRunner(), await addRunner()];
    await at('-61 minutes', old);
    await at('-59 minutes', young);
    await forgetDeadRunners(db);
    expect(await known()).toEqual([young]);
  });

  test('at a start the runners of this place whose process is gone are freed; all others stay', async () => {
    const hosts = ['here 12', 'here 13', 'here 1 2', 'heretic 12', 'there 12', 'here soon'];
    const ids = new Map<string, string>();
    for (const host of hosts) {
      const id = randomUUID();
      ids.set(host, id);
      await renewLease(db, { id, host, exchanges: [] }, lease, true);
    }
    const asked: number[] = [];
    await freeDeadRunners(db, 'here', (pid) => {
      asked.push(pid);
      return pid === 13;
    });
    expect(asked.toSorted((a, b) => a - b)).toEqual([12, 13]);
    expect((await known()).toSorted()).toEqual(
      hosts
        .slice(1)
        .map((host) => ids.get(host) ?? '')
        .toSorted(),
    );
  });
});
