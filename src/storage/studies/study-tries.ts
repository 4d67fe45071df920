import { sql } from 'kysely';
import { addTries, noTries, type Tries } from '#engine/lab/judgement/judgement.ts';
import type { Database } from '../database.ts';

/** On which data something was tried. */
export interface TriedData {
  strategyName: string; // another text of it is another try
  timeframe: string;
  pairs: readonly string[];
  from: number; // ms
  to: number;
}

/** Notes on which data a study tries; its tries are counted from then on. */
export async function noteTriedData(trx: Database, studyId: string, { from, to, pairs, ...data }: TriedData): Promise<void> {
  await trx
    .insertInto('studyTries')
    .values({ studyId, ...data, pairs: [...pairs], fromTime: new Date(from), toTime: new Date(to) })
    .onConflict((conflict) => conflict.column('studyId').doNothing())
    .execute();
}

/** Adds tries of a study. Needs: its row is locked, so that nobody adds others at the same time */
export async function noteTries(trx: Database, studyId: string, tries: Tries): Promise<void> {
  const known = await trx
    .selectFrom('studyTries')
    .select(['count', 'mean', 'squares'])
    .where('studyId', '=', studyId)
    .executeTakeFirstOrThrow();
  await trx.updateTable('studyTries').set(addTries(known, tries)).where('studyId', '=', studyId).execute();
}

/** All tries on the data of a study so far, from how many studies: of the same strategy name and timeframe, with a pair in common and a time that overlaps. */
export async function triesOfStudy(db: Database, studyId: string): Promise<{ tries: Tries; studies: number }> {
  const { rows } = await sql<Tries>`
    select t.count, t.mean, t.squares from study_tries own
    join study_tries t on t.strategy_name = own.strategy_name and t.timeframe = own.timeframe
      and t.pairs && own.pairs and t.from_time <= own.to_time and own.from_time <= t.to_time
    where own.study_id = ${studyId} and t.count > 0 order by t.from_time, t.study_id`.execute(db);
  return { tries: rows.reduce((sum, { count, mean, squares }) => addTries(sum, { count, mean, squares }), noTries), studies: rows.length };
}
