import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import type { PointAnswer } from '#engine/lab/epoch-runner.ts';
import type { Moments } from '#engine/lab/judgement/moments.ts';
import { momentsOf } from '#engine/lab/judgement/moments.ts';
import { triesOf } from '#engine/lab/judgement/judgement.ts';
import type { KeptStudy } from '#engine/lab/kept-study.ts';
import type { StudyGround, StudyJudgement } from '#engine/lab/study-record.ts';
import type { Database } from '../database.ts';
import type { StudyRow } from './studies.ts';
import { noteTriedData, noteTries } from './study-tries.ts';

/** A worker that has not reported for so long is dead: what it was at is given to another. */
export const claimSeconds = 15;

/** What so many workers have begun and none has ended is given up: it may be what ends them. */
const mostAttempts = 5;

/** What a worker works on: points of a study, or what concerns it as a whole. */
export interface BatchClaim {
  studyId: string;
  number: number;
  firstEpoch: number;
  points: readonly (readonly number[])[];
  attempts: number; // which try of a worker this is: writes of earlier ones no longer count
}

/** A batch among those of all studies. */
export function batchKey({ studyId, number }: Pick<BatchClaim, 'studyId' | 'number'>): string {
  return `${studyId} ${number}`;
}

/**
 * Takes a batch for a worker, none of those it is at already: of the person whose batches were taken longest ago, and of theirs the study. Null: there is none to take.
 * One that too many workers have begun ends its study.
 */
export async function claimBatch(db: Database, worker: string, underWay: readonly string[] = []): Promise<BatchClaim | null> {
  const { rows } = await sql<BatchClaim>`
    with turns as (
      select s.id, s.user_id, max(b.claimed_at) as taken_at from studies s join study_batches b on b.study_id = s.id
      where s.status = 'running' group by s.id, s.user_id
    ), next as (
      select b.study_id, b.number from study_batches b join turns on turns.id = b.study_id
      where b.losses is null and (b.claimed_until is null or b.claimed_until < now())
        and not (b.study_id || ' ' || b.number = any(${[...underWay]}))
      order by (select max(t.taken_at) from turns t where t.user_id = turns.user_id) nulls first, turns.taken_at nulls first, b.number
      limit 1 for update of b skip locked
    )
    update study_batches b set claimed_by = ${worker}, claimed_at = clock_timestamp(), attempts = attempts + 1,
      claimed_until = now() + make_interval(secs => ${claimSeconds})
    from next where b.study_id = next.study_id and b.number = next.number
    returning b.study_id as "studyId", b.number, b.first_epoch as "firstEpoch", b.points, b.attempts`.execute(db.withoutPlugins());
  const [claim] = rows;
  if (claim === undefined) return null;
  if (claim.attempts <= mostAttempts) return claim;
  await failStudy(db, claim.studyId, `The epochs from ${claim.firstEpoch} on have ended ${mostAttempts} workers, one after the other.`);
  return null;
}

/** A study that a worker works on as a whole. */
export type StudyClaim = Pick<StudyRow, 'id' | 'attempts' | 'status'>;

/** Whether there is anything for a worker to do, as far as others leave it. */
export async function hasStudyWork(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select exists (
    select from studies where status in ('queued', 'running', 'judging') or ${isUnsealing}) as is`.execute(db);
  return rows[0]?.is === true;
}

/** The sealed time was opened, and nothing has come of it yet. */
const isUnsealing = sql`(status = 'done' and unsealed_at is not null and unsealed is null and error is null)`;

/** What is done with a study as a whole: fetching its candles may take minutes, and nobody's judgement waits for that. */
export type WholeWork = 'prepare' | 'conclude';

/**
 * Takes a study that is to be prepared; or one that is to be judged, or run on its sealed time; none that the worker is at already.
 * Null: there is none.
 */
export async function claimStudy(
  db: Database,
  worker: string,
  work: WholeWork,
  underWay: readonly string[] = [],
): Promise<StudyClaim | null> {
  const { rows } = await sql<StudyClaim>`
    with next as (
      select id from studies s
      where ${work === 'prepare' ? sql`status = 'queued'` : sql`(status = 'judging' or ${isUnsealing})`}
        and (claimed_until is null or claimed_until < now()) and not (id::text = any(${[...underWay]}))
      order by
        (select count(*) from studies o where o.user_id = s.user_id and o.status in ('queued', 'running') and o.ground is not null), created_at
      limit 1 for update skip locked
    )
    update studies s set claimed_by = ${worker}, claimed_until = now() + make_interval(secs => ${claimSeconds}), attempts = attempts + 1
    from next where s.id = next.id
    returning s.id, s.attempts, s.status`.execute(db.withoutPlugins());
  const [claim] = rows;
  if (claim === undefined) return null;
  if (claim.attempts <= mostAttempts) return claim;
  await failStudy(db, claim.id, `This study has ended ${mostAttempts} workers, one after the other.`);
  return null;
}

/** Says that a worker is still at a batch. False: the study has ended, or the batch is another worker's now. */
export async function keepBatch(db: Database, worker: string, { studyId, number, attempts }: BatchClaim): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update study_batches b set claimed_until = now() + make_interval(secs => ${claimSeconds})
    where study_id = ${studyId} and number = ${number} and claimed_by = ${worker} and attempts = ${attempts} and losses is null
      and exists (select from studies s where s.id = b.study_id and s.status = 'running')`.execute(db);
  return numAffectedRows === 1n;
}

/** The same of a study as a whole. */
export async function keepStudy(db: Database, worker: string, claim: StudyClaim, step?: string): Promise<boolean> {
  const set = await ofClaim(db, worker, claim)
    .set({
      claimedUntil: sql`now() + make_interval(secs => ${claimSeconds})`,
      ...(step === undefined ? {} : { step }),
    })
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Whether epochs of a study are still run or judged. */
export async function isUnderWay(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('studies')
    .select('id')
    .where('id', '=', id)
    .where('status', 'in', ['running', 'judging'])
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives back a batch that was not run to its end: nobody is to wait until the claim runs out. */
export async function giveBackBatch(db: Database, worker: string, { studyId, number, attempts }: BatchClaim): Promise<void> {
  await sql`update study_batches set claimed_by = null, claimed_until = null, attempts = greatest(attempts - 1, 0)
    where study_id = ${studyId} and number = ${number} and claimed_by = ${worker} and attempts = ${attempts} and losses is null`.execute(
    db,
  );
}

/** Gives back what a worker has not finished, at once: it ends. */
export async function giveBackClaims(db: Database, worker: string): Promise<void> {
  await sql`update study_batches set claimed_by = null, claimed_until = null, attempts = greatest(attempts - 1, 0)
    where claimed_by = ${worker} and losses is null`.execute(db);
  await sql`update studies set claimed_by = null, claimed_until = null, attempts = greatest(attempts - 1, 0) where claimed_by = ${worker}`.execute(
    db,
  );
}

/** Ends a study with a sentence for its owner. False: it has ended already. */
export async function failStudy(db: Database, id: string, error: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const set = await trx
      .updateTable('studies')
      // Where its sealed time cannot be run on, the study itself stays as it is.
      .set({
        status: sql`case when status = 'done' then 'done' else 'failed' end`,
        error,
        step: '',
        finishedAt: sql`coalesce(finished_at, now())`,
        claimedBy: null,
        claimedUntil: null,
      })
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'running', 'judging', 'done'])
      .executeTakeFirst();
    if (set.numUpdatedRows === 0n) return false;
    await trx.deleteFrom('studyBatches').where('studyId', '=', id).execute();
    return true;
  });
}

/** Keeps what all epochs run on, and the first batches. False: the study has ended, or is another worker's now. */
export async function beginStudy(db: Database, worker: string, claim: StudyClaim, ground: StudyGround, kept: KeptStudy): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await ofClaim(trx, worker, claim)
      .where('status', '=', 'queued')
      .set({
        status: 'running',
        step: '',
        ground: JSON.stringify(ground),
        startedAt: sql`now()`,
        claimedBy: null,
        claimedUntil: null,
        attempts: 0,
      })
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return false;
    const { strategyName, plan } = row;
    const pairs = ground.instruments.map(({ symbol }) => symbol);
    await noteTriedData(trx, row.id, { strategyName, timeframe: plan.timeframe, pairs, ...ground.range });
    await addBatches(trx, row.id, kept, new Map());
    return true;
  });
}

/**
 * Keeps what came of a batch, once, and enters what the study proposes next. False: the study has ended, or the batch is another
 * worker's now; nothing is written then.
 *
 * `keptOf` gives a study that knows a beginning of the batches, perhaps none; where this fails it may know too much, and is not to be used again.
 */
export async function finishBatch(
  db: Database,
  worker: string,
  claim: BatchClaim,
  answers: readonly PointAnswer[],
  keptOf: () => KeptStudy,
): Promise<boolean> {
  const { studyId, number, firstEpoch, points, attempts } = claim;
  return db.transaction().execute(async (trx) => {
    // One after the other: what is proposed next is proposed by whoever comes last.
    const study = await trx
      .selectFrom('studies')
      .selectAll()
      .where('id', '=', studyId)
      .where('status', '=', 'running')
      .forUpdate()
      .executeTakeFirst();
    if (study === undefined) return false;
    const losses = answers.map((answer) => ('fault' in answer ? Infinity : (answer.loss ?? Infinity)));
    const set = await trx
      .updateTable('studyBatches')
      .set({ losses, daily: dailyBytes(answers), claimedUntil: null })
      .where('studyId', '=', studyId)
      .where('number', '=', number)
      .where('claimedBy', '=', worker)
      .where('attempts', '=', attempts)
      .where('losses', 'is', null)
      .executeTakeFirst();
    if (set.numUpdatedRows === 0n) return false;
    await trx
      .insertInto('studyEpochs')
      .values(
        answers.map((answer, i) => ({
          studyId,
          epoch: firstEpoch + i,
          point: [...points[i]!],
          loss: 'fault' in answer ? null : answer.loss,
          figures: 'fault' in answer ? null : JSON.stringify(answer.figures),
          fault: 'fault' in answer ? answer.fault : null,
        })),
      )
      .execute();
    const kept = keptOf();
    const known = await trx
      .selectFrom('studyBatches')
      .select(['number', sql<number[] | null>`case when number >= ${kept.firstMissing} then losses end`.as('losses')])
      .where('studyId', '=', studyId)
      .where('losses', 'is not', null)
      .execute();
    const stored = new Map(known.map((each) => [each.number, each.losses]));
    if (!kept.received.every((each) => stored.has(each))) throw new Error('It received a batch that was not kept after all');
    await addBatches(trx, studyId, kept, new Map(known.flatMap((each) => (each.losses === null ? [] : [[each.number, each.losses]]))));
    await noteTries(trx, studyId, triesOf(answers.flatMap((answer) => ('fault' in answer ? [] : [answer.daily]))));
    const { epochsReceived, bestEpoch, isOver } = kept;
    const moments = bestEpoch === study.bestEpoch ? null : await momentsAt(trx, studyId, bestEpoch);
    await trx
      .updateTable('studies')
      .set({
        epochs: epochsReceived,
        bestEpoch,
        ...(moments === null ? {} : { bestMoments: JSON.stringify(moments) }),
        ...(isOver ? { status: 'judging' as const, attempts: 0 } : {}),
      })
      .where('id', '=', studyId)
      .execute();
    // What was begun beyond an early end counts for nothing.
    if (isOver) {
      await trx.deleteFrom('studyEpochs').where('studyId', '=', studyId).where('epoch', '>', epochsReceived).execute();
      await trx.deleteFrom('studyBatches').where('studyId', '=', studyId).where('losses', 'is', null).execute();
    }
    return true;
  });
}

/** Daily profits of the first epochs of a study, in their sequence; those that failed have none. */
export async function dailyProfitsOf(db: Database, studyId: string, epochs: number): Promise<Float64Array[]> {
  const rows = await db
    .selectFrom('studyBatches')
    .select(['firstEpoch', 'points', 'daily'])
    .where('studyId', '=', studyId)
    .where('daily', 'is not', null)
    .where('firstEpoch', '<=', epochs)
    .orderBy('number')
    .execute();
  return rows
    .flatMap(({ firstEpoch, points, daily }) => dailyOf(daily, points.length).slice(0, epochs - firstEpoch + 1))
    .filter((days) => days.length > 0 && !Number.isNaN(days[0]));
}

/** Ends a study well, with its judgement; its batches are of no more use. False: it has ended already, or is another worker's now. */
export async function endStudy(db: Database, worker: string, claim: StudyClaim, judgement: StudyJudgement): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const set = await ofClaim(trx, worker, claim)
      .where('status', '=', 'judging')
      .set({
        status: 'done',
        judgement: JSON.stringify(judgement),
        finishedAt: sql`now()`,
        claimedBy: null,
        claimedUntil: null,
        attempts: 0,
      })
      .executeTakeFirst();
    if (set.numUpdatedRows === 0n) return false;
    await trx.deleteFrom('studyBatches').where('studyId', '=', claim.id).execute();
    return true;
  });
}

/** Keeps what came of the sealed time. */
export async function keepUnsealed(db: Database, worker: string, claim: StudyClaim, figures: EpochFigures): Promise<boolean> {
  const set = await ofClaim(db, worker, claim)
    .where('unsealed', 'is', null)
    .set({ unsealed: JSON.stringify(figures), claimedBy: null, claimedUntil: null, attempts: 0 })
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

function ofClaim(db: Database, worker: string, { id, attempts }: StudyClaim) {
  return db.updateTable('studies').where('id', '=', id).where('claimedBy', '=', worker).where('attempts', '=', attempts);
}

/** Enters what a study proposes that was not entered yet. */
async function addBatches(trx: Database, studyId: string, kept: KeptStudy, losses: ReadonlyMap<number, readonly number[]>): Promise<void> {
  const batches: { studyId: string; number: number; firstEpoch: number; points: string }[] = [];
  for (const { number, firstEpoch, points } of kept.advance(losses)) {
    batches.push({ studyId, number, firstEpoch, points: JSON.stringify(points) });
    // A worker that begins in the middle comes to all proposals again, and must report meanwhile.
    if (batches.length % 10 === 0) await nextTurn();
  }
  if (batches.length === 0) return;
  await trx
    .insertInto('studyBatches')
    .values(batches)
    .onConflict((conflict) => conflict.columns(['studyId', 'number']).doNothing()) // entered by whoever finished the one before
    .execute();
}

/** The moments of the daily profits of an epoch. */
async function momentsAt(trx: Database, studyId: string, epoch: number): Promise<Moments | null> {
  const row = await trx
    .selectFrom('studyBatches')
    .select(['firstEpoch', 'points', 'daily'])
    .where('studyId', '=', studyId)
    .where('firstEpoch', '<=', epoch)
    .orderBy('firstEpoch', 'desc')
    .limit(1)
    .executeTakeFirst();
  const days = row === undefined ? undefined : dailyOf(row.daily, row.points.length)[epoch - row.firstEpoch];
  return days === undefined ? null : momentsOf(days);
}

/** Daily profits one epoch after the other; all have the same days, and one that failed is not a number on each. */
function dailyBytes(answers: readonly PointAnswer[]): Buffer {
  const days = answers.reduce((most, answer) => ('fault' in answer ? most : Math.max(most, answer.daily.length)), 0);
  const all = new Float64Array(answers.length * days).fill(Number.NaN);
  for (const [i, answer] of answers.entries()) if (!('fault' in answer)) all.set(answer.daily, i * days);
  return Buffer.from(all.buffer);
}

function dailyOf(bytes: Buffer | null, count: number): Float64Array[] {
  if (bytes === null) return [];
  const copy = new Float64Array(bytes.byteLength / 8);
  new Uint8Array(copy.buffer).set(bytes);
  const days = copy.length / count;
  return Array.from({ length: count }, (_, i) => copy.subarray(i * days, (i + 1) * days));
}
