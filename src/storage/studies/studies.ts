import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { StudySearch } from '#engine/lab/study-record.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A row of studies as it is kept. */
export type StudyRow = Selectable<Schema['studies']>;

/** A study with what a reader of it needs besides. */
export type StudyView = Omit<StudyRow, 'claimedBy' | 'claimedUntil' | 'attempts'> & {
  email: string; // of who has begun it
  codeNumber: number | null; // of the version of its strategy
  unsealedEmail: string | null;
  bestLoss: number | null;
};

/** What a person asks for. */
export interface NewStudy {
  userId: string;
  strategyId: string;
  codeId: string | null;
  strategyName: string;
  exchangeId: string;
  plan: PortfolioPlan;
  bot: BotOfBacktest | null;
  search: StudySearch;
}

/** So many studies a person may have under way. */
export const mostOpenStudies = 5;

const open = ['queued', 'running', 'judging'] as const;

/** Enters a study; workers find it by themselves. Null: this person has too many under way. Needs: the person's row is locked */
export async function addStudy(trx: Database, study: NewStudy): Promise<string | null> {
  const { count } = await trx
    .selectFrom('studies')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('userId', '=', study.userId)
    .where('status', 'in', open)
    .executeTakeFirstOrThrow();
  if (count >= mostOpenStudies) return null;
  const { id } = await trx
    .insertInto('studies')
    .values({
      ...study,
      plan: JSON.stringify(study.plan),
      bot: study.bot === null ? null : JSON.stringify(study.bot),
      search: JSON.stringify(study.search),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** 50 studies of everybody or of one owner: those under way, then the newest of the others, newest first in each. */
export async function listStudies(db: Database, ownerId: string | null): Promise<StudyView[]> {
  let query = selectStudies(db)
    .orderBy((eb) => eb('studies.status', 'in', open), 'desc')
    .orderBy('studies.createdAt', 'desc')
    .orderBy('studies.id')
    .limit(50);
  if (ownerId !== null) query = query.where('studies.userId', '=', ownerId);
  return query.execute();
}

/** One study, or null. */
export async function findStudy(db: Database, id: string): Promise<StudyView | null> {
  return (await selectStudies(db).where('studies.id', '=', id).executeTakeFirst()) ?? null;
}

/** Ends a study, with what was found until then; its workers stop within seconds. False: it has ended already. */
export async function cancelStudy(trx: Database, id: string): Promise<boolean> {
  return (await cancelStudies(trx, { id })) === 1;
}

/** Ends all that a person has under way, as `cancelStudy`; gives how many. A seal that was opened is not closed again: its one epoch is still run. */
export async function cancelStudiesOf(trx: Database, userId: string): Promise<number> {
  return cancelStudies(trx, { userId });
}

async function cancelStudies(trx: Database, which: { id: string } | { userId: string }): Promise<number> {
  const ended = await trx
    .updateTable('studies')
    .set({ status: 'cancelled', step: '', finishedAt: sql`now()`, claimedBy: null, claimedUntil: null })
    .where((eb) => eb.and(which))
    .where('status', 'in', open)
    .returning('id')
    .execute();
  const ids = ended.map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom('studyBatches').where('studyId', 'in', ids).execute();
  return ids.length;
}

/**
 * Opens the sealed time of a study for an epoch that has not failed: once. Where the run on it failed, so that nobody has seen anything of it, the
 * same epoch may be asked for again, and it stays opened by whoever opened it first. False: it is open already, or cannot be opened.
 */
export async function openSeal(trx: Database, id: string, userId: string, epoch: number): Promise<boolean> {
  if (await openAgain(trx, id, epoch)) return true;
  const set = await trx
    .updateTable('studies')
    .set({ unsealedAt: sql`now()`, unsealedBy: userId, unsealedEpoch: epoch, attempts: 0 })
    .where('id', '=', id)
    .where('status', '=', 'done')
    .where('unsealedAt', 'is', null)
    .where(sql<boolean>`ground ->> 'sealed' is not null`)
    .where(sql<boolean>`exists (select from study_epochs e where e.study_id = studies.id and e.epoch = ${epoch} and e.figures is not null)`)
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Has the run on the sealed time that failed made again. False: it was for another epoch, is under way, or something came of it. */
async function openAgain(trx: Database, id: string, epoch: number): Promise<boolean> {
  const set = await trx
    .updateTable('studies')
    .set({ error: null, attempts: 0 })
    .where('id', '=', id)
    .where('status', '=', 'done')
    .where('unsealedEpoch', '=', epoch)
    .where('unsealed', 'is', null)
    .where('error', 'is not', null)
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Removes a study that has ended; its tries stay counted. False: it has not ended. */
export async function removeStudy(trx: Database, id: string): Promise<boolean> {
  const gone = await trx.deleteFrom('studies').where('id', '=', id).where('status', 'not in', open).executeTakeFirst();
  return gone.numDeletedRows === 1n;
}

/** An epoch as it is kept. */
export type EpochRow = Omit<Selectable<Schema['studyEpochs']>, 'studyId'>;

/** The epochs of a study with numbers above `after` that count, in their sequence. */
export async function listEpochs(db: Database, studyId: string, after: number, most: number): Promise<EpochRow[]> {
  return db
    .selectFrom('studyEpochs')
    .innerJoin('studies', 'studies.id', 'studyEpochs.studyId')
    .select(['studyEpochs.epoch', 'studyEpochs.point', 'studyEpochs.loss', 'studyEpochs.figures', 'studyEpochs.fault'])
    .where('studyEpochs.studyId', '=', studyId)
    .where('studyEpochs.epoch', '>', after)
    .whereRef('studyEpochs.epoch', '<=', 'studies.epochs')
    .orderBy('studyEpochs.epoch')
    .limit(most)
    .execute();
}

/** One epoch of a study, or null. */
export async function findEpoch(db: Database, studyId: string, epoch: number): Promise<EpochRow | null> {
  const row = await db
    .selectFrom('studyEpochs')
    .select(['epoch', 'point', 'loss', 'figures', 'fault'])
    .where('studyId', '=', studyId)
    .where('epoch', '=', epoch)
    .executeTakeFirst();
  return row ?? null;
}

/** How many epochs of a study have failed, and why the first did. */
export async function firstFault(db: Database, studyId: string): Promise<{ faults: number; first: string | null }> {
  const rows = await db
    .selectFrom('studyEpochs')
    .select(['fault', sql<number>`(count(*) over ())::int`.as('faults')])
    .where('studyId', '=', studyId)
    .where('fault', 'is not', null)
    .orderBy('epoch')
    .limit(1)
    .execute();
  return { faults: rows[0]?.faults ?? 0, first: rows[0]?.fault ?? null };
}

/** The row of a study, for a worker. Fails: Error where it was removed */
export async function requireStudy(db: Database, id: string): Promise<StudyRow> {
  const row = await db.selectFrom('studies').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new Error('The study was removed');
  return row;
}

function selectStudies(db: Database) {
  return db
    .selectFrom('studies')
    .innerJoin('users', 'users.id', 'studies.userId')
    .leftJoin('users as opener', 'opener.id', 'studies.unsealedBy')
    .leftJoin('strategyCode', 'strategyCode.id', 'studies.codeId')
    .leftJoin('studyEpochs', (join) =>
      join.onRef('studyEpochs.studyId', '=', 'studies.id').onRef('studyEpochs.epoch', '=', 'studies.bestEpoch'),
    )
    .select([
      'studies.id',
      'studies.userId',
      'studies.strategyId',
      'studies.codeId',
      'studies.strategyName',
      'studies.exchangeId',
      'studies.plan',
      'studies.bot',
      'studies.search',
      'studies.status',
      'studies.step',
      'studies.error',
      'studies.ground',
      'studies.epochs',
      'studies.bestEpoch',
      'studies.bestMoments',
      'studies.judgement',
      'studies.unsealedAt',
      'studies.unsealedBy',
      'studies.unsealedEpoch',
      'studies.unsealed',
      'studies.createdAt',
      'studies.startedAt',
      'studies.finishedAt',
      'users.email',
      'opener.email as unsealedEmail',
      'strategyCode.number as codeNumber',
      'studyEpochs.loss as bestLoss',
    ]);
}
