import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PointAnswer } from '#engine/lab/epoch-runner.ts';
import { KeptStudy } from '#engine/lab/kept-study.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { aPlan } from '../testing/a-backtest.ts';
import { aGround, aSearch, aStudy } from '../testing/a-study.ts';
import { addUser } from '../users/users.ts';
import type { NewStudy } from './studies.ts';
import { addStudy, cancelStudy, findStudy, listEpochs, listStudies, openSeal, removeStudy, requireStudy } from './studies.ts';
import { triesOfStudy } from './study-tries.ts';
import type { BatchClaim } from './study-work.ts';
import {
  beginStudy,
  batchKey,
  claimBatch,
  claimStudy,
  giveBackBatch,
  dailyProfitsOf,
  endStudy,
  failStudy,
  finishBatch,
  giveBackClaims,
  hasStudyWork,
  keepBatch,
  keepStudy,
  keepUnsealed,
} from './study-work.ts';

const { db } = await freshDatabase();
await addTestBot(db, { strategy: 'EmaCross', nickname: 'one', owner: 'owner@example.com' });
const { strategyId } = await db.selectFrom('bots').select('strategyId').executeTakeFirstOrThrow();
const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';

beforeEach(() => sql`truncate studies, study_tries cascade`.execute(db));

const [one, two] = [randomUUID(), randomUUID()];
const instruments = aPlan.pairs.map((symbol) => ({ symbol }) as (typeof aGround)['instruments'][number]);

/** A study that a worker has prepared. */
async function begun(given: Partial<NewStudy> = {}, ground: Partial<typeof aGround> = {}): Promise<string> {
  const id = (await addStudy(db, aStudy({ userId: given.userId ?? (await aPerson()), strategyId, ...given }))) ?? '';
  const claim = await claimStudy(db, one, 'prepare');
  if (claim === null) throw new Error('There is nothing to prepare');
  expect(claim.id).toBe(id);
  const found = { ...aGround, instruments, ...ground };
  expect(await beginStudy(db, one, claim, found, new KeptStudy((await requireStudy(db, id)).search))).toBe(true);
  return id;
}

test('a study under way stands in the list before those that have ended, however many came after it', async () => {
  const userId = await aPerson();
  const id = await begun({ userId });
  for (let i = 0; i < 51; i++) {
    const ended = (await addStudy(db, aStudy({ userId, strategyId }))) ?? '';
    await db.transaction().execute((trx) => cancelStudy(trx, ended));
  }
  const waiting = (await addStudy(db, aStudy({ userId, strategyId }))) ?? '';
  for (const owner of [userId, null]) {
    const listed = await listStudies(db, owner);
    expect([listed.length, listed.slice(0, 2).map((study) => study.id)]).toEqual([50, [waiting, id]]);
    const times = listed.slice(2).map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  }
});

const figures = {
  trades: 3,
  wins: 2,
  draws: 0,
  losses: 1,
  profit: 1,
  profitRatio: 0.001,
  meanProfitRatio: 0.01,
  averageDurationMs: 1,
  maxDrawdown: 1,
  maxDrawdownRatio: 0.001,
  finalBalance: 1_001,
};

/** What came of the points of a batch: less is better the lower the numbers of their values. */
const answersTo = ({ points }: BatchClaim): PointAnswer[] =>
  points.map((point) => ({
    loss: point.reduce((sum, at) => sum + at, 0),
    figures,
    daily: Float64Array.from([0.1, -0.05, (point[0] ?? 0) / 100]),
  }));

const claimed = async (worker: string): Promise<BatchClaim> => {
  const claim = await claimBatch(db, worker);
  if (claim === null) throw new Error('There is no batch to take');
  return claim;
};
const finish = (worker: string, claim: BatchClaim, kept = new KeptStudy(aSearch)) =>
  finishBatch(db, worker, claim, answersTo(claim), () => kept);
const expire = (): Promise<unknown> =>
  sql`update study_batches set claimed_until = now() - interval '1 s' where losses is null`.execute(db);

describe('batches', () => {
  test('two workers that take at the same moment take two batches, and a third finds none', async () => {
    const id = await begun();
    const taken = await Promise.all([claimBatch(db, one), claimBatch(db, two)]);
    expect(new Set(taken.map((claim) => claim?.number))).toEqual(new Set([0, 1]));
    expect(await claimBatch(db, randomUUID())).toBeNull();
    expect(taken.every((claim) => claim?.studyId === id)).toBe(true);
  });

  test('a worker does not wait for another that is just taking one', async () => {
    await begun();
    await db.transaction().execute(async (trx) => {
      const first = await claimBatch(trx, one);
      expect([first?.number, (await claimBatch(db, two))?.number]).toEqual([0, 1]);
    });
  });

  test('a claim that has run out under a worker which is still at it is not for that worker, and is its own again once it reports', async () => {
    const id = await begun();
    const [first, second] = [await claimed(one), await claimed(one)];
    await expire();
    expect(await claimBatch(db, one, [first, second].map(batchKey))).toBeNull();
    expect(await keepBatch(db, one, first)).toBe(true);
    const taken = await claimed(two);
    expect([taken.studyId, taken.number]).toEqual([id, second.number]); // the other one has not reported
  });

  test('a batch that is given back is there at once, is not a try, and only its own worker gives it back', async () => {
    await begun();
    const first = await claimed(one);
    await giveBackBatch(db, two, first);
    expect((await claimed(one)).number).toBe(1);
    await giveBackBatch(db, one, first);
    expect(await claimed(two)).toMatchObject({ number: first.number, attempts: 1 });
    await giveBackBatch(db, one, first);
    expect(await claimBatch(db, one)).toBeNull();
  });

  test('what a dead worker has taken is taken by another, and only what that one writes counts', async () => {
    const id = await begun();
    const late = await claimed(one);
    expect(await keepBatch(db, one, late)).toBe(true);
    await expire();
    const again = await claimed(two);
    expect([again.number, again.attempts]).toEqual([late.number, 2]);
    expect(await keepBatch(db, one, late)).toBe(false);
    expect(await finish(one, late)).toBe(false);
    expect(await finish(two, again)).toBe(true);
    expect(await finish(two, again)).toBe(false); // once
    expect(await finish(one, late)).toBe(false);
    expect(await listEpochs(db, id, 0, 1_000)).toHaveLength(20);
    expect((await triesOfStudy(db, id)).tries.count).toBe(20);
  });

  test('the same worker that was given up and took it again cannot write what it had begun before', async () => {
    await begun();
    const before = await claimed(one);
    await expire();
    const now = await claimed(one);
    expect(now.number).toBe(before.number);
    expect(await finish(one, before)).toBe(false);
    expect(await finish(one, now)).toBe(true);
  });

  test('whoever finishes a batch proposes the next: two at the same moment, the later first, come to what one would have', async () => {
    const id = await begun();
    const [first, second] = [await claimed(one), await claimed(two)];
    expect(await Promise.all([finish(two, second), finish(one, first)])).toEqual([true, true]);
    const rows = await db
      .selectFrom('studyBatches')
      .select(['number', 'points', 'firstEpoch'])
      .where('studyId', '=', id)
      .orderBy('number')
      .execute();
    const alone = new KeptStudy(aSearch);
    const expected = [
      ...alone.advance(new Map()),
      ...alone.advance(
        new Map([first, second].map((batch) => [batch.number, batch.points.map((point) => point.reduce((sum, at) => sum + at, 0))])),
      ),
    ];
    expect(rows).toEqual(expected.map(({ number, points, firstEpoch }) => ({ number, points, firstEpoch })));
    expect((await findStudy(db, id))?.epochs).toBe(40);
  });

  test('epochs count in their sequence: those of a later batch are not listed before those of the one before', async () => {
    const id = await begun();
    const [first, second] = [await claimed(one), await claimed(two)];
    await finish(two, second);
    expect(await listEpochs(db, id, 0, 100)).toEqual([]);
    expect((await findStudy(db, id))?.epochs).toBe(0);
    await finish(one, first);
    expect((await listEpochs(db, id, 0, 100)).map(({ epoch }) => epoch)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect((await listEpochs(db, id, 38, 100)).map(({ epoch }) => epoch)).toEqual([39, 40]);
  });

  test('a study that received a batch which was not kept is not continued', async () => {
    const id = await begun();
    const [first, second] = [await claimed(one), await claimed(two)];
    const kept = new KeptStudy(aSearch);
    const losses = first.points.map(() => -1_000);
    expect([...kept.advance(new Map([[0, losses]]))].map(({ number }) => number)).toEqual([0, 1, 2]); // as before a commit that failed
    await expect(finish(two, second, kept)).rejects.toThrow('It received a batch that was not kept after all');
    expect(await finish(two, second)).toBe(true);
    expect(await finish(one, first)).toBe(true);
    expect((await findStudy(db, id))?.epochs).toBe(40);
  });

  test('a batch that ends one worker after the other ends its study with a sentence', async () => {
    const id = await begun();
    for (let i = 0; i < 5; i++) {
      expect((await claimed(one)).number).toBe(0);
      await expire();
    }
    expect(await claimBatch(db, one)).toBeNull();
    expect(await findStudy(db, id)).toMatchObject({
      status: 'failed',
      error: 'The epochs from 1 on have ended 5 workers, one after the other.',
    });
  });

  test('a worker that ends gives back what it took, and that is not a try of it', async () => {
    await begun();
    const taken = await claimed(one);
    await giveBackClaims(db, one);
    expect(await claimed(two)).toEqual(taken);
  });

  test('people take turns, and so do the studies of each', async () => {
    const [ann, bob] = [await aPerson(), await aPerson()];
    const studies = [await begun({ userId: ann }), await begun({ userId: ann }), await begun({ userId: bob })];
    const order: number[] = [];
    for (let i = 0; i < 9; i++) {
      const claim = await claimed(one);
      order.push(studies.indexOf(claim.studyId));
      await finish(one, claim, new KeptStudy(aSearch));
    }
    expect(order.filter((of) => of === 2)).toHaveLength(3); // its three batches, and then it has none
    expect(order.slice(0, 6).filter((of) => of === 2)).toHaveLength(3); // every other one
    for (const study of [0, 1]) expect(order.slice(0, 6)).toContain(study);
  });
});

describe('a study as a whole', () => {
  test('it ends early where the plan says so, and what was begun beyond counts for nothing', async () => {
    const search = { ...aSearch, earlyStop: 1, epochs: 500 };
    const id = await begun({ search });
    const [first, second] = [await claimed(one), await claimed(two)];
    expect(await finishBatch(db, one, first, answersTo(first), () => new KeptStudy(search))).toBe(true);
    const study = await findStudy(db, id);
    expect(study?.status).toBe('judging');
    expect(await listEpochs(db, id, 0, 100)).toHaveLength(study?.epochs ?? 0);
    expect(study?.epochs).toBeLessThan(20);
    const { rows } = await sql<{ count: number }>`select count(*)::int from study_epochs where study_id = ${id}`.execute(db);
    expect(rows[0]?.count).toBe(study?.epochs);
    expect(await finish(two, second)).toBe(false);
    expect(await dailyProfitsOf(db, id, study?.epochs ?? 0)).toHaveLength(study?.epochs ?? 0);
  });

  test('what came of epochs is read back to the last bit; those that failed have no daily profits', async () => {
    const id = await begun();
    const claim = await claimed(one);
    const answers = answersTo(claim);
    answers[3] = { fault: 'It failed.' };
    answers[5] = { loss: null, figures: { ...figures, profit: 0.1 + 0.2 }, daily: Float64Array.from([-0, 1e-300, 0.1 + 0.2]) };
    answers[6] = { loss: -Number.MAX_VALUE, figures, daily: Float64Array.from([1, 2, 3]) };
    await finishBatch(db, one, claim, answers, () => new KeptStudy(aSearch));
    const epochs = await listEpochs(db, id, 0, 100);
    expect(epochs[3]).toMatchObject({ fault: 'It failed.', loss: null, figures: null });
    expect(epochs[5]).toMatchObject({ fault: null, loss: null, figures: { profit: 0.1 + 0.2 } });
    expect(epochs[6]?.loss).toBe(-Number.MAX_VALUE);
    const daily = await dailyProfitsOf(db, id, 20);
    expect(daily).toHaveLength(19);
    expect([...(daily[4] ?? [])]).toEqual([-0, 1e-300, 0.1 + 0.2]);
    expect((await findStudy(db, id))?.bestEpoch).toBe(7);
    expect((await triesOfStudy(db, id)).tries.count).toBe(19);
  });

  test('cancelled, it takes nothing more, is kept by nobody, and is removed without its tries', async () => {
    const id = await begun();
    const [claim, open] = [await claimed(one), await claimed(two)];
    await finish(one, claim);
    expect(await db.transaction().execute((trx) => removeStudy(trx, id))).toBe(false);
    expect(await db.transaction().execute((trx) => cancelStudy(trx, id))).toBe(true);
    expect(await db.transaction().execute((trx) => cancelStudy(trx, id))).toBe(false);
    expect(await keepBatch(db, two, open)).toBe(false);
    expect(await finish(two, open)).toBe(false);
    expect(await claimBatch(db, one)).toBeNull();
    expect(await failStudy(db, id, 'too late')).toBe(false);
    expect(await db.transaction().execute((trx) => removeStudy(trx, id))).toBe(true);
    expect((await triesOfStudy(db, id)).tries.count).toBe(20);
  });

  test('one worker judges it; another that takes over after its death is the one that counts', async () => {
    const userId = await aPerson();
    const id = await begun({ userId });
    expect(await hasStudyWork(db)).toBe(true);
    await sql`update studies set status = 'judging' where id = ${id}`.execute(db);
    expect(await claimStudy(db, one, 'prepare')).toBeNull();
    const first = await claimStudy(db, one, 'conclude');
    expect(await claimStudy(db, two, 'conclude')).toBeNull();
    await sql`update studies set claimed_until = now() - interval '1 s'`.execute(db);
    const second = await claimStudy(db, two, 'conclude');
    const judgement = {
      epoch: 1,
      overfitting: null,
      anchored: null,
      rolling: null,
      neighbourhood: null,
      doubledFees: null,
      delayedSignals: null,
    };
    if (first === null || second === null) throw new Error('It was not taken');
    expect(await keepStudy(db, one, first)).toBe(false);
    expect(await endStudy(db, one, first, judgement)).toBe(false);
    expect(await endStudy(db, two, second, judgement)).toBe(true);
    expect((await findStudy(db, id))?.status).toBe('done');
    expect(await hasStudyWork(db)).toBe(false);
    expect(await db.transaction().execute((trx) => openSeal(trx, id, userId, 1))).toBe(false); // there is no such epoch
    await sql`insert into study_epochs select ${id}, 1, '{1, 2}', 0.1, '{"trades": 1}', null`.execute(db);
    expect(await db.transaction().execute((trx) => openSeal(trx, id, userId, 1))).toBe(true);
    expect(await hasStudyWork(db)).toBe(true);
    expect(await claimStudy(db, one, 'conclude')).toMatchObject({ id, status: 'done' });
    expect(await failStudy(db, id, 'Its sealed time fails.')).toBe(true);
    expect(await findStudy(db, id)).toMatchObject({ status: 'done', error: 'Its sealed time fails.', unsealedEpoch: 1 });
    expect(await hasStudyWork(db)).toBe(false);
  });

  test('a claim that has run out under a worker which is still at it is not for that worker', async () => {
    const id = (await addStudy(db, aStudy({ userId: await aPerson(), strategyId }))) ?? '';
    for (const work of ['prepare', 'conclude'] as const) {
      await sql`update studies set status = ${work === 'prepare' ? 'queued' : 'judging'}`.execute(db);
      expect(await claimStudy(db, one, work)).toMatchObject({ id });
      await sql`update studies set claimed_until = now() - interval '1 s'`.execute(db);
      expect(await claimStudy(db, one, work, [id])).toBeNull();
      expect(await claimStudy(db, two, work)).toMatchObject({ id });
      await giveBackClaims(db, two);
    }
  });

  test('the sealed time is not opened for an epoch that has failed', async () => {
    const userId = await aPerson();
    const id = await begun({ userId });
    await sql`update studies set status = 'done', finished_at = now() where id = ${id}`.execute(db);
    await sql`insert into study_epochs values (${id}, 1, '{1, 2}', null, null, 'It failed.'), (${id}, 2, '{1, 2}', 0.1, '{"trades": 1}', null)`.execute(
      db,
    );
    const open = (epoch: number) => db.transaction().execute((trx) => openSeal(trx, id, userId, epoch));
    expect([await open(1), await open(2)]).toEqual([false, true]);
  });

  test('the sealed time on which the run failed can be run on again for the same epoch, and no longer once something came of it', async () => {
    const userId = await aPerson();
    const id = await begun({ userId });
    await sql`update studies set status = 'done', finished_at = now() where id = ${id}`.execute(db);
    for (const epoch of [1, 2])
      await sql`insert into study_epochs select ${id}, ${epoch}, '{1, 2}', 0.1, '{"trades": 1}', null`.execute(db);
    const open = async (epoch: number, by = userId) => db.transaction().execute((trx) => openSeal(trx, id, by, epoch));
    const fail = async () => {
      await claimStudy(db, one, 'conclude');
      await failStudy(db, id, 'The exchange does not answer.');
    };
    expect(await open(1)).toBe(true);
    expect(await open(1)).toBe(false); // it is being run
    await fail();
    const first = await findStudy(db, id);
    expect(await open(2)).toBe(false);
    expect(await open(1, await aPerson())).toBe(true);
    const { unsealedAt, unsealedBy } = first ?? {};
    expect(await findStudy(db, id)).toMatchObject({ error: null, unsealedAt, unsealedBy, unsealedEpoch: 1 });
    await fail();
    expect(await open(1)).toBe(true);
    const claim = await claimStudy(db, one, 'conclude');
    if (claim === null) throw new Error('It was not taken');
    expect(claim.attempts).toBe(1);
    expect(await keepUnsealed(db, one, claim, figures)).toBe(true);
    expect([await open(1), await open(2), await hasStudyWork(db)]).toEqual([false, false, false]);
  });
});

describe('tries on data', () => {
  test('count over all studies of the same name and timeframe that have a pair in common and a time that overlaps', async () => {
    const tried = async (given: Partial<NewStudy> = {}, ground: Partial<typeof aGround> = {}): Promise<string> => {
      const id = await begun(given, ground);
      const claim = await claimed(one);
      expect(claim.studyId).toBe(id);
      await finish(one, claim);
      await db.transaction().execute((trx) => cancelStudy(trx, id));
      return id;
    };
    const id = await tried();
    const own = await triesOfStudy(db, id);
    expect(own).toMatchObject({ tries: { count: 20 }, studies: 1 });
    await tried({ strategyName: 'Another' });
    await tried({ plan: { ...aPlan, timeframe: '5m' } });
    await tried({}, { instruments: [{ symbol: 'SOL/USDT' } as (typeof instruments)[number]] });
    await tried({}, { range: { from: aGround.range.to + 1, to: aGround.range.to + 2 } });
    expect(await triesOfStudy(db, id)).toEqual(own);
    await tried({}, { instruments: instruments.slice(1), range: { from: aGround.range.to, to: aGround.range.to + 5 } });
    const { tries, studies } = await triesOfStudy(db, id);
    expect([tries.count, studies]).toEqual([40, 2]);
    expect(tries.squares).toBeGreaterThan(own.tries.squares);
  });
});
