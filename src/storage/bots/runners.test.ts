import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { LiveTrading } from '../trades/trade-mode.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { listClaimedBots } from './running-bots.ts';
import type { RunnerFacts } from './runners.ts';
import {
  Changed,
  claimBots,
  endLease,
  Fenced,
  fence,
  fenceLease,
  forgetDeadRunners,
  freeDeadRunners,
  hasLease,
  hasLiveRunner,
  listBotsWithoutRunner,
  listSurplusBots,
  noteExchangeFigures,
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
async function addRunner(
  exchanges: string[] = ['sandbox'],
  leaseMs = lease,
  can: Pick<RunnerFacts, 'takesLive' | 'mostBots'> = {},
): Promise<string> {
  const id = randomUUID();
  await renewLease(db, { id, host: id, exchanges, ...can }, leaseMs, true);
  return id;
}
/** Makes bots live, all with one key. */
async function shareKey(ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    insert into api_keys (user_id, exchange_id, label, key_hint, sealed, created_at)
    select user_id, exchange_id, ${randomUUID()}, 'abcd', '{}', now() from bots where id = ${ids[0]} returning id`.execute(db);
  await sql`update bots set mode = 'live', api_key_id = ${rows[0]?.id} where id = any(${[...ids]}::uuid[])`.execute(db);
}
const holdersOf = async (ids: readonly string[]): Promise<(string | null)[]> => [
  ...new Set((await db.selectFrom('bots').select('runnerId').where('id', 'in', ids).execute()).map(({ runnerId }) => runnerId)),
];
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
    const dead = await addRunner();
    expect(await claimBots(db, dead, 100)).toHaveLength(2);
    const next = await addRunner();
    expect(await claimBots(db, next, 100)).toEqual([]);
    await sql`update runners set expires_at = now() where id = ${dead}`.execute(db);
    expect(await claimBots(db, next, 100)).toHaveLength(2);
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

describe('live bots with the same key', () => {
  test('are claimed by one runner, and all others are still shared fairly', async () => {
    for (let round = 0; round < 5; round++) {
      await sql`update bots set exchange_id = 'nowhere', runner_id = null, api_key_id = null, mode = 'paper'`.execute(db);
      await sql`delete from runners`.execute(db);
      const ids = await addBots(12);
      const units = [ids.slice(0, 3), ids.slice(3, 5), ids.slice(5, 8), ids.slice(8, 12)];
      for (const unit of units) await shareKey(unit);
      const runners = [await addRunner(), await addRunner()];
      await Promise.all([...runners, ...runners].map((id) => claimBots(db, id, 100)));
      for (const unit of units) expect(await holdersOf(unit)).toHaveLength(1);
      expect(await holdersOf(ids)).not.toContain(null);
      const [one = 0, two = 0] = await Promise.all(runners.map(held));
      expect(Math.abs(one - two)).toBeLessThanOrEqual(4); // the largest unit
      for (const id of runners) expect(await listSurplusBots(db, id)).toEqual([]);
    }
  });

  test('stay together when a claim is cut by its limit, and when the share is smaller than they are', async () => {
    const ids = await addBots(6);
    await shareKey(ids);
    const [one, two] = [await addRunner(), await addRunner()];
    expect(await claimBots(db, one, 2)).toHaveLength(2);
    expect(await claimBots(db, two, 100)).toEqual([]);
    expect(await claimBots(db, one, 100)).toHaveLength(4);
    expect(await holdersOf(ids)).toEqual([one]);
    expect(await listSurplusBots(db, one)).toEqual([]);
  });

  test('are brought together by the runner that holds the first of them', async () => {
    const ids = (await addBots(4)).toSorted();
    const [one, two] = [await addRunner(), await addRunner()];
    await claimBots(db, one, 100);
    await claimBots(db, two, 100);
    await shareKey(ids); // people switch them to live while two runners run them
    const first = (await holdersOf(ids.slice(0, 1)))[0] ?? '';
    const other = first === one ? two : one;
    const surplus = await listSurplusBots(db, other);
    expect(surplus).toHaveLength(2);
    expect(await listSurplusBots(db, first)).toEqual([]);
    for (const id of surplus) await releaseBot(db, other, id, false);
    expect(await claimBots(db, other, 100)).toEqual([]);
    expect(await claimBots(db, first, 100)).toHaveLength(2);
    expect(await holdersOf(ids)).toEqual([first]);
  });

  test('that one runner has given up are another one’s to try, alone', async () => {
    const ids = await addBots(3);
    await shareKey(ids);
    const [one, two] = [await addRunner(), await addRunner()];
    await claimBots(db, one, 100);
    await releaseBot(db, one, ids[1] ?? '', true);
    expect((await claimBots(db, two, 100)).map(({ id }) => id)).toEqual([ids[1]]);
    expect([await listSurplusBots(db, one), await listSurplusBots(db, two)]).toEqual([[], []]);
  });

  test('that a runner had given up which is gone come back to the others of their account', async () => {
    const ids = await addBots(2);
    await shareKey(ids);
    const [one, two] = [await addRunner(), await addRunner()];
    await claimBots(db, one, 100);
    await releaseBot(db, one, ids[1] ?? '', true);
    await claimBots(db, two, 100); // it runs there from now on
    await endLease(db, one); // the first runner is started again, as at an upgrade
    const again = await addRunner();
    await claimBots(db, again, 100);
    for (const id of [again, two]) {
      for (const bot of await listSurplusBots(db, id)) await releaseBot(db, id, bot, false);
      for (const each of [again, two]) await claimBots(db, each, 100);
    }
    expect(await holdersOf(ids)).toHaveLength(1);
  });

  test('and one that the same runner takes again counts as one that it runs', async () => {
    const ids = await addBots(2);
    await shareKey(ids);
    const one = await addRunner();
    await claimBots(db, one, 100);
    await releaseBot(db, one, ids[1] ?? '', true);
    await claimBots(db, one, 100);
    const two = await addRunner(); // what was given up would be for this one to try
    expect([await claimBots(db, two, 100), await listSurplusBots(db, one)]).toEqual([[], []]);
    const { rows } = await sql`select count(*)::int as n from bots where given_up_by is not null`.execute(db);
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('what a runner can run', () => {
  test('live bots go to runners that may trade there, each of which has its share of them', async () => {
    const paper = await addBots(4);
    const tried = await addBots(4);
    for (const id of tried) await shareKey([id]);
    const real = await addBots(2, 'binance');
    for (const id of real) await shareKey([id]);
    const both = ['sandbox', 'binance'];
    const off = await addRunner(both, lease, { takesLive: 'off' });
    const sandbox = await addRunner(both, lease, { takesLive: 'sandbox' });
    const on = await addRunner(both, lease, { takesLive: 'on' });
    for (const id of [off, sandbox, on]) await claimBots(db, id, 100);
    expect(await holdersOf(real)).toEqual([on]);
    expect(new Set(await holdersOf(tried))).toEqual(new Set([sandbox, on]));
    expect(await holdersOf(paper)).toContain(off);
    expect(await holdersOf([...paper, ...tried, ...real])).not.toContain(null);
    expect(await Promise.all([off, sandbox, on].map((id) => listSurplusBots(db, id)))).toEqual([[], [], []]);
    // One that is switched to live is released by a runner that may not trade.
    const [switched = ''] = (await db.selectFrom('bots').select('id').where('runnerId', '=', off).execute()).map(({ id }) => id);
    await shareKey([switched]);
    expect(await listSurplusBots(db, off)).toEqual([switched]);
    await releaseBot(db, off, switched, false);
    expect(await claimBots(db, off, 100)).toEqual([]);
    await Promise.all([claimBots(db, on, 100), claimBots(db, sandbox, 100)]);
    expect(await holdersOf([switched])).not.toContain(null);
  });

  test('a runner never holds more than it can, and the others take what it leaves', async () => {
    await addBots(10);
    const small = await addRunner(['sandbox'], lease, { mostBots: 2 });
    expect(await claimBots(db, small, 100)).toHaveLength(2);
    expect(await claimBots(db, small, 100)).toEqual([]);
    const [one, two] = [await addRunner(), await addRunner()];
    for (const id of [one, two, small, one, two]) await claimBots(db, id, 100);
    expect([await held(small), await held(one), await held(two)]).toEqual([2, 4, 4]);
    for (const id of [small, one, two]) expect(await listSurplusBots(db, id)).toEqual([]);
  });

  test('where there is no room for all, those that hold an open trade come first, then live ones, then active ones', async () => {
    onTestFinished(async () => void (await sql`delete from trades`.execute(db)));
    const stopped = await addBots(1);
    await sql`update bots set status = 'stopped' where id = any(${stopped})`.execute(db);
    const paused = await addBots(2);
    const active = await addBots(1);
    await sql`update bots set status = 'active' where id = any(${active})`.execute(db);
    const live = await addBots(2);
    await shareKey(live);
    const trading = await addBots(3);
    await shareKey(trading);
    await writeTrades(db, [{ trade: aTradeRow(trading[1] ?? '', { mode: 'testnet' }), orders: [], fills: [] }]);
    const onPaper = await addBots(1);
    await writeTrades(db, [{ trade: aTradeRow(onPaper[0] ?? '', { mode: 'paper' }), orders: [], fills: [] }]);
    const sequence = [onPaper, trading, live, active, [...paused, ...stopped]];
    for (const [i, size] of [1, 4, 6, 7].entries()) {
      await sql`update bots set runner_id = null`.execute(db);
      await sql`delete from runners`.execute(db);
      const small = await addRunner(['sandbox'], lease, { mostBots: size });
      await claimBots(db, small, 100);
      for (const [at, ids] of sequence.entries()) expect([size, at, await holdersOf(ids)]).toEqual([size, at, [at <= i ? small : null]]);
    }
    // A few at a time: those come first here, too.
    await sql`update bots set runner_id = null`.execute(db);
    const large = await addRunner();
    expect((await claimBots(db, large, 4)).map(({ id }) => id).sort()).toEqual([...onPaper, ...trading].sort());
  });

  test('bots with one key that do not fit are left to a runner where they do, and hold up no others, also where one holds a trade', async () => {
    onTestFinished(async () => void (await sql`delete from trades`.execute(db)));
    const unit = await addBots(4);
    await shareKey(unit);
    await writeTrades(db, [{ trade: aTradeRow(unit[0] ?? '', { mode: 'testnet' }), orders: [], fills: [] }]);
    const alone = await addBots(2);
    for (const id of alone) await shareKey([id]);
    const small = await addRunner(['sandbox'], lease, { mostBots: 3 });
    await claimBots(db, small, 100);
    expect(await holdersOf(alone)).toEqual([small]);
    expect(await holdersOf(unit)).toEqual([null]);
    const large = await addRunner();
    await claimBots(db, large, 100);
    expect(await holdersOf(unit)).toEqual([large]);
  });

  test('a runner whose lease has run out has nothing to release', async () => {
    await addBots(2);
    const dead = await addRunner();
    await claimBots(db, dead, 100);
    await sql`update runners set expires_at = now() where id = ${dead}`.execute(db);
    expect(await listSurplusBots(db, dead)).toEqual([]);
  });
});

describe('fence', () => {
  test('a runner that has lost a bot can write nothing for it', async () => {
    const [id = ''] = await addBots(1);
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    const old = await addRunner();
    const [{ epoch } = { epoch: '' }] = await claimBots(db, old, 1);
    const write = (runnerId: string, at: string) => db.transaction().execute((trx) => fence(trx, [{ id, epoch: at, runnerId, updatedAt }]));
    await write(old, epoch);
    const changed = db
      .transaction()
      .execute((trx) => fence(trx, [{ id, epoch, runnerId: old, updatedAt: new Date(updatedAt.getTime() - 1) }]));
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

  test('of two changes in one moment the second is seen, too: of a bot, and of its strategy', async () => {
    const [id = ''] = await addBots(1);
    const runnerId = await addRunner();
    const [{ epoch } = { epoch: '' }] = await claimBots(db, runnerId, 1);
    const now = new Date();
    const changes = {
      bot: () => db.updateTable('bots').set({ status: 'active', updatedAt: now }).where('id', '=', id).execute(),
      strategy: () =>
        sql`update strategies set stoploss = -0.05, updated_at = ${now} where id = (select strategy_id from bots where id = ${id})`.execute(
          db,
        ),
    };
    await changes.bot();
    await changes.strategy();
    const seen = new Set([(await listClaimedBots(db, runnerId))[0]?.changedAt]);
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    for (const change of [changes.bot, changes.strategy]) {
      await change();
      seen.add((await listClaimedBots(db, runnerId))[0]?.changedAt);
    }
    expect(seen.size).toBe(3);
    const write = db.transaction().execute((trx) => fence(trx, [{ id, epoch, runnerId, updatedAt }]));
    await expect(write).rejects.toThrow(Changed);
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
    await at('20 seconds', runner.id);
    expect(await renewLease(db, runner, lease, false)).toBe(true);
    const { rows } = await sql<{ isRenewed: boolean; ends: boolean }>`
      select expires_at > now() + interval '30 s' as is_renewed, expires_at <= now() + ${lease} * interval '1 ms' as ends
      from runners where id = ${runner.id}`.execute(db);
    expect(rows).toEqual([{ isRenewed: true, ends: true }]);
    await at('0', runner.id);
    expect(await renewLease(db, runner, lease, false)).toBe(false);
  });

  test('OP-85 a lease of before the server was started again holds nothing for longer than a minute, whatever the clock was', async () => {
    const [id = ''] = await addBots(1);
    await sql`update bots set status = 'active' where id = ${id}`.execute(db);
    const dead = await addRunner(['sandbox'], 3_600_000); // the clock was an hour ahead, and is right since
    await claimBots(db, dead, 100);
    await sql`update runners set server_started_at = server_started_at - interval '1 day' where id = ${dead}`.execute(db);
    expect(await hasLiveRunner(db)).toBe(false);
    expect((await listBotsWithoutRunner(db, 'on')).map((bot) => bot.id)).toContain(id);
    expect(await hasLease(db)).toBe(false);
    await sql`update runners set expires_at = now() + interval '50 seconds' where id = ${dead}`.execute(db);
    expect(await hasLease(db)).toBe(true);
    expect(await hasLiveRunner(db)).toBe(true); // it may have been taken a moment before
    expect(await claimBots(db, await addRunner(), 100)).toEqual([]);
    await sql`update runners set expires_at = now() + interval '1 hour' where id = ${dead}`.execute(db);
    expect((await claimBots(db, await addRunner(), 100)).map((bot) => bot.id)).toEqual([id]);
  });

  test('OP-85 a lease of before the server was started again is not renewed, and nothing is written under it', async () => {
    const [id = ''] = await addBots(1);
    const runnerId = await addRunner();
    const [claimed] = await claimBots(db, runnerId, 100);
    const holder = { id, epoch: claimed?.epoch ?? '', runnerId };
    const held = async (): Promise<string[]> => [...(await db.transaction().execute((trx) => fenceLease(trx, [holder]))).keys()];
    expect(await held()).toEqual([id]);
    await sql`update runners set server_started_at = server_started_at - interval '1 ms' where id = ${runnerId}`.execute(db);
    await expect(held()).rejects.toThrow(Fenced);
    const runner = { id: runnerId, host: 'here', exchanges: ['sandbox'] };
    expect(await renewLease(db, runner, lease, false)).toBe(false);
    expect(await renewLease(db, { ...runner, id: randomUUID() }, lease, true)).toBe(true);
  });

  test('a renewal that waits for the row until the lease has run out is refused', async () => {
    const id = await addRunner();
    let renewal = Promise.resolve(true);
    await db.transaction().execute(async (trx) => {
      await noteExchangeFigures(trx, id, {});
      renewal = renewLease(db, { id, host: id, exchanges: ['sandbox'] }, lease, false);
      await untilWaiting(db, 1);
      await sql`update runners set expires_at = clock_timestamp() where id = ${id}`.execute(trx);
    });
    expect(await renewal).toBe(false);
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

describe('bots without a runner', () => {
  beforeEach(async () => {
    await sql`update bots set status = 'paused'`.execute(db);
    await sql`update trades set status = 'cancelled' where status = 'open'`.execute(db);
  });
  const names = async (liveTrading: LiveTrading = 'on'): Promise<string[]> =>
    (await listBotsWithoutRunner(db, liveTrading)).map(({ nickname }) => nickname);
  const openTrade = (botId: string) =>
    writeTrades(db, [{ trade: aTradeRow(botId, { mode: 'live', symbol: 'BTC/USDT' }), orders: [], fills: [] }]);

  test('those that are active or hold an open trade, also paused and stopped ones, until a living runner holds them', async () => {
    const [active = '', paused = '', stopped = '', idle = ''] = await addBots(4);
    const name = (id: string, nickname: string, status: string) =>
      sql`update bots set nickname = ${nickname}, status = ${status} where id = ${id}`.execute(db);
    await name(active, 'active', 'active');
    await name(paused, 'Paused', 'paused');
    await name(stopped, 'stopped', 'stopped');
    await name(idle, 'idle', 'paused');
    await openTrade(paused);
    await openTrade(stopped);
    expect(await names()).toEqual(['active', 'Paused', 'stopped']);
    const runner = await addRunner();
    expect(await names()).toEqual(['active', 'Paused', 'stopped']); // it holds none of them yet
    await claimBots(db, runner, 100);
    expect(await names()).toEqual([]);
    await sql`update runners set expires_at = now()`.execute(db);
    expect(await names()).toEqual(['active', 'Paused', 'stopped']);
    await sql`update trades set status = 'cancelled' where bot_id = any(${[paused, stopped]}::uuid[])`.execute(db);
    expect(await names()).toEqual(['active']);
  });

  test('not one that a living runner has given up, which is tried again and has an alarm of its own', async () => {
    const [id = ''] = await addBots(1);
    await sql`update bots set nickname = 'given up', status = 'active' where id = ${id}`.execute(db);
    const runner = await addRunner();
    await claimBots(db, runner, 1);
    await releaseBot(db, runner, id, true);
    expect(await names()).toEqual([]);
    await endLease(db, runner);
    expect(await names()).toEqual(['given up']);
  });

  test('live ones beside a runner that takes none; where live trading is off, those alone that hold a trade', async () => {
    const [flat = '', trading = '', testnet = ''] = await addBots(3, 'binance');
    await shareKey([flat, trading, testnet]);
    await sql`update bots set nickname = 'flat', status = 'active' where id = ${flat}`.execute(db);
    await sql`update bots set nickname = 'trading' where id = ${trading}`.execute(db);
    await sql`update bots set nickname = 'testnet', status = 'active', exchange_id = 'binance_testnet' where id = ${testnet}`.execute(db);
    await openTrade(trading);
    await claimBots(db, await addRunner(['binance', 'binance_testnet'], lease, { takesLive: 'off' }), 100);
    expect([await names('on'), await names('sandbox'), await names('off')]).toEqual([
      ['flat', 'testnet', 'trading'],
      ['testnet', 'trading'],
      ['trading'],
    ]);
  });
});
