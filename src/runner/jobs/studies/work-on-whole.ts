import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import type { PointAnswer } from '#engine/lab/epoch-runner.ts';
import type { ChoiceJudgement } from '#engine/lab/judgement/judgement.ts';
import { neighbourhoodOf } from '#engine/lab/judgement/judgement.ts';
import { neighboursOf } from '#engine/lab/judgement/neighbours.ts';
import { KeptStudy } from '#engine/lab/kept-study.ts';
import type { StudyJudgement } from '#engine/lab/study-record.ts';
import { findEpoch, firstFault, requireStudy, type StudyRow } from '#storage/studies/studies.ts';
import { beginStudy, dailyProfitsOf, endStudy, keepUnsealed, type StudyClaim } from '#storage/studies/study-work.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import type { OpenStudies } from './open-studies.ts';
import { OpenStudy } from './open-study.ts';
import { prepareStudy } from './prepare-study.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The choice is judged by so many epochs, the first ones: their daily profits are in memory together. */
const mostJudged = 20_000;

/** A study of which something concerns the whole, with the worker that does it. */
export interface StudyPart {
  worker: string;
  claim: StudyClaim;
  open: OpenStudies;
  say: (step: string) => void; // what it is at, for the person who waits
}

/** Prepares a study, judges it, or runs its sealed time: whichever is next. Fails: Error in one sentence */
export async function workOnWhole(dependencies: BacktestDependencies, part: StudyPart, signal: AbortSignal): Promise<void> {
  const row = await requireStudy(dependencies.db, part.claim.id);
  if (part.claim.status === 'queued') await prepare(dependencies, part, row, signal);
  else if (part.claim.status === 'judging') await judge(dependencies, part, row, signal);
  else await runSealed(dependencies, part, row, signal);
}

async function prepare(
  dependencies: BacktestDependencies,
  { worker, claim, say }: StudyPart,
  row: StudyRow,
  signal: AbortSignal,
): Promise<void> {
  const progress = (_phase: string, _ratio: number, step: string): Promise<void> => {
    signal.throwIfAborted();
    say(step);
    return Promise.resolve();
  };
  const ground = await prepareStudy(dependencies, row, { signal, progress });
  await beginStudy(dependencies.db, worker, claim, ground, new KeptStudy(row.search));
}

async function judge(
  dependencies: BacktestDependencies,
  { worker, claim, open }: StudyPart,
  row: StudyRow,
  signal: AbortSignal,
): Promise<void> {
  const { db } = dependencies;
  const best = row.bestEpoch === 0 ? null : await findEpoch(db, row.id, row.bestEpoch);
  if (best === null || best.figures === null) throw new Error(await whyNone(dependencies, row));
  const { figures, point } = best;
  const choice = await choiceOf(await dailyProfitsOf(db, row.id, Math.min(row.epochs, mostJudged)), signal);
  const harder = await open.use(row.id, signal, ({ threads }, isOpen) =>
    unlessAborted(
      isOpen,
      Promise.all([
        threads.run(neighboursOf(row.search.dimensions, point)),
        threads.run([point], 'doubled-fees'),
        threads.run([point], 'delayed-signals'),
      ]),
    ),
  );
  if (choice === null || harder === null) return;
  const [neighbours, [doubled], [delayed]] = harder;
  const judgement: StudyJudgement = {
    epoch: row.bestEpoch,
    ...choice,
    neighbourhood: neighbourhoodOf(
      figures.profitRatio,
      neighbours.flatMap((answer) => figuresOf(answer)?.profitRatio ?? []),
    ),
    doubledFees: figuresOf(doubled),
    delayedSignals: figuresOf(delayed),
  };
  await endStudy(db, worker, claim, judgement);
  await open.drop(row.id);
}

async function runSealed(
  dependencies: BacktestDependencies,
  { worker, claim }: StudyPart,
  row: StudyRow,
  signal: AbortSignal,
): Promise<void> {
  const epoch = row.unsealedEpoch === null ? null : await findEpoch(dependencies.db, row.id, row.unsealedEpoch);
  if (epoch === null) throw new Error('There is no such epoch');
  const study = await OpenStudy.open(dependencies, row, 'sealed', 1, signal);
  try {
    const answers = await unlessAborted(signal, study.threads.run([epoch.point]));
    if (answers === null) return;
    const [answer] = answers;
    if (answer === undefined || 'fault' in answer) throw new Error(answer === undefined ? 'There is no answer' : answer.fault);
    await keepUnsealed(dependencies.db, worker, claim, answer.figures);
  } finally {
    await study.close();
  }
}

/** What all epochs together say about choosing the best of them; null where it was cut short. */
async function choiceOf(daily: Float64Array[], signal: AbortSignal): Promise<ChoiceJudgement | null> {
  const thread = new Worker(join(import.meta.dirname, 'judge-thread.ts'), { workerData: daily });
  try {
    return await unlessAborted(
      signal,
      once(thread, 'message').then(([choice]) => choice as ChoiceJudgement),
    );
  } finally {
    await thread.terminate();
  }
}

/** Why a study has no best epoch. */
async function whyNone({ db }: BacktestDependencies, { id, epochs, search: { minTrades } }: StudyRow): Promise<string> {
  const { faults, first } = await firstFault(db, id);
  if (faults === epochs && first !== null) return `All ${epochs} epochs failed; the first: ${first}`;
  return minTrades <= 1
    ? `None of ${epochs} epochs made a trade: there is nothing to choose among.`
    : `None of ${epochs} epochs made ${minTrades} trades: ask for fewer.`;
}

function figuresOf(answer: PointAnswer | undefined): EpochFigures | null {
  return answer === undefined || 'fault' in answer ? null : answer.figures;
}
