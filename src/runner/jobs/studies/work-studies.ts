import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#engine/ports/error-text.ts';
import { isDatabaseGone } from '#storage/database-gone.ts';
import {
  type BatchClaim,
  batchKey,
  claimBatch,
  claimStudy,
  failStudy,
  finishBatch,
  giveBackBatch,
  giveBackClaims,
  hasStudyWork,
  isUnderWay,
  keepBatch,
  keepStudy,
  type StudyClaim,
} from '#storage/studies/study-work.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import { OpenStudies } from './open-studies.ts';
import { unlessAborted } from './unless-aborted.ts';
import { type StudyPart, workOnWhole } from './work-on-whole.ts';

/** So many batches of one study are under way at a time, so that one worker alone is never idle. */
const batchLanes = 2;

/** So many studies are prepared side by side: mostly they wait for candles. */
const prepareLanes = 2;

/** How often a worker looks whether there is something to do. */
const lookMs = 400;

/** How often it reports that it is still at something, and learns when that is of no more use. */
const reportMs = 1_000;

/** More threads than these take more memory than they save time. */
const mostThreads = 8;

/**
 * Works on studies of everybody until it is closed, beside any number of other workers: they share them by what is in the database alone.
 * Errors of a study end it with a sentence; `onError` receives what else goes wrong.
 */
export function workStudies(
  dependencies: BacktestDependencies,
  { onError, threads = Math.min(availableParallelism(), mostThreads) }: { onError: (error: Error) => void; threads?: number },
): { close(): Promise<void> } {
  const { db } = dependencies;
  const worker = randomUUID();
  const closing = new AbortController();
  const open = new OpenStudies(dependencies, threads);
  const report = (error: unknown): null => {
    if (!closing.signal.aborted) onError(error instanceof Error ? error : new Error(errorText(error)));
    return null;
  };

  /** Works on what was claimed while it is ours. A failure is the study's, and its owner reads it. */
  const whileOurs = async (studyId: string, keep: () => Promise<boolean>, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const over = new AbortController();
    const signal = AbortSignal.any([closing.signal, over.signal]);
    // A report that fails is made again; whoever is too late finds that it is another's by now.
    const reports = setInterval(() => void keep().then((isOurs) => isOurs || over.abort(), report), reportMs);
    try {
      await work(signal);
    } catch (error) {
      // Whoever takes it again when the claim has run out finds the database there, perhaps.
      if (isDatabaseGone(error)) report(error);
      else if (!signal.aborted) await failStudy(db, studyId, errorText(error)).catch(report);
    } finally {
      clearInterval(reports);
    }
    // Only this part of it may be another's; one that has ended has no more use for its threads.
    if (over.signal.aborted && !(await isUnderWay(db, studyId))) await open.drop(studyId);
  };

  /** What lanes are at: the claim of one that is starved for a while runs out, and is not for the lane beside it. */
  const batches = new Set<string>();
  const runBatch = async (claim: BatchClaim): Promise<void> => {
    try {
      await whileOurs(
        claim.studyId,
        () => keepBatch(db, worker, claim),
        async (isOurs) => {
          const isWritten = await open.use(claim.studyId, isOurs, async (study, signal) => {
            const answers = await unlessAborted(signal, study.threads.run(claim.points));
            if (answers === null) return null;
            try {
              return await finishBatch(db, worker, claim, answers, () => study.kept);
            } catch (error) {
              // The batch was not written; somebody runs it again.
              study.forget();
              report(error);
              return false;
            }
          });
          // Not run to its end, as where the study was closed for another part of it: nobody has to wait until the claim runs out.
          if (isWritten === null && !closing.signal.aborted) await giveBackBatch(db, worker, claim);
        },
      );
    } finally {
      batches.delete(batchKey(claim));
    }
  };

  const wholes = new Set<string>();
  const runWhole = async (claim: StudyClaim): Promise<void> => {
    let step: string | undefined;
    const part: StudyPart = { worker, claim, open, say: (text) => (step = text) };
    try {
      await whileOurs(
        claim.id,
        () => keepStudy(db, worker, claim, claim.status === 'queued' ? step : undefined),
        (signal) => workOnWhole(dependencies, part, signal),
      );
    } finally {
      wholes.delete(claim.id);
    }
  };

  /** Rung whenever there may be something to do: one question for all lanes. */
  let bell = Promise.withResolvers<void>();
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      if ((await hasStudyWork(db).catch(report)) === true) {
        bell.resolve();
        bell = Promise.withResolvers();
      }
      await sleep(lookMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const lane = async <Claim>(claimNext: () => Promise<Claim | null>, run: (claim: Claim) => Promise<void>): Promise<void> => {
    while (!closing.signal.aborted) {
      const claim = await claimNext().catch(report);
      if (claim === null) await unlessAborted(closing.signal, bell.promise);
      else await run(claim).catch(report);
    }
  };
  const nextBatch = inTurn(batches, batchKey, (underWay) => claimBatch(db, worker, underWay));
  const nextToPrepare = inTurn(wholes, studyKey, (underWay) => claimStudy(db, worker, 'prepare', underWay));
  const nextToConclude = inTurn(wholes, studyKey, (underWay) => claimStudy(db, worker, 'conclude', underWay));
  const lanes = [
    poll(),
    ...Array.from({ length: batchLanes }, () => lane(nextBatch, runBatch)),
    ...Array.from({ length: prepareLanes }, () => lane(nextToPrepare, runWhole)),
    lane(nextToConclude, runWhole),
  ];
  return {
    async close() {
      closing.abort();
      // What is given back need not wait until threads have ended, which takes long where everything else comes first.
      const givenBack = Promise.all(lanes).then(() => giveBackClaims(db, worker));
      await Promise.all([open.close(), givenBack.catch(onError)]);
    },
  };
}

const studyKey = ({ id }: StudyClaim): string => id;

/**
 * Claims of the lanes of a worker, one after the other, without those that a lane is at: `underWay` has a claim before the next lane asks, even
 * where it has run out by then. Whoever has worked on it takes it out.
 */
function inTurn<Claim>(
  underWay: Set<string>,
  keyOf: (claim: Claim) => string,
  claimNext: (underWay: readonly string[]) => Promise<Claim | null>,
): () => Promise<Claim | null> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(async () => {
      const claim = await claimNext([...underWay]);
      if (claim !== null) underWay.add(keyOf(claim));
      return claim;
    });
    last = next.catch(() => null); // its lane reports it
    return next;
  };
}
