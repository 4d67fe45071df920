import { valuesAt, type Point } from '#engine/lab/dimension.ts';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import type { PointAnswer } from '#engine/lab/epoch-runner.ts';
import { addTries, judgeChoice, luckOf, neighbourhoodOf, noTries, triesOf } from '#engine/lab/judgement/judgement.ts';
import { neighboursOf } from '#engine/lab/judgement/neighbours.ts';
import { type Batch, Study } from '#engine/lab/study.ts';
import type { StudyThreads } from '#strategy-process/study/study-threads.ts';
import { addResults, type EpochRecord, type JudgementRecord, type StudyHeader } from './results-file.ts';
import { noteTries, type TriedData, triesOn } from './tries-file.ts';

/** What a study runs with. */
export interface StudyContext {
  header: StudyHeader;
  threads: StudyThreads;
  folder: string; // of results
  file: string; // of this study's
  marketChange: number;
  onEpoch(record: EpochRecord): void; // each, in their sequence
  signal: AbortSignal; // ends the study; what was found is kept
}

/** How a study has ended. */
export interface StudyEnd {
  epochs: number;
  best: EpochRecord | null;
  faults: number; // epochs that failed
  firstFault: EpochRecord | null;
  judgement: JudgementRecord | null; // of the best; null where the study was ended before
  isInterrupted: boolean;
}

/** Tries are noted every so often, so that a study that is killed was not for nothing: they were seen. */
const notedEveryMs = 5_000;

/** The choice is judged by so many epochs, the first ones: their daily profits are kept in memory. */
const mostJudged = 20_000;

/** Runs a study to its end, or until it is to end, and judges its best epoch. Fails: CommandError */
export async function runStudy(context: StudyContext): Promise<StudyEnd> {
  const { header, threads, folder, file, signal } = context;
  const { dimensions } = header.plan;
  const study = new Study(header.plan);
  const data: TriedData = { strategy: header.strategy, timeframe: header.timeframe, pairs: header.pairs, ...header.range };
  const before = triesOn(folder, data);
  const answers = new Map<number, { point: Point; answer: PointAnswer }>(); // of epochs whose turn has not come, by their number from 0 on
  const daily: Float64Array[] = []; // of the epochs that the choice is judged by
  const counted = { written: 0, faults: 0, notedAt: performance.now() };
  let own = noTries;
  let unnoted = noTries;
  let best: EpochRecord | null = null;
  let bestDaily: Float64Array | null = null;
  let firstFault: EpochRecord | null = null;

  const note = (): void => {
    noteTries(folder, data, unnoted, file);
    unnoted = noTries;
    counted.notedAt = performance.now();
  };

  const received = (batch: Batch, found: readonly PointAnswer[]): void => {
    found.forEach((answer, i) => answers.set(batch.firstEpoch - 1 + i, { point: batch.points[i]!, answer }));
    study.receive(
      batch,
      found.map((answer) => ('fault' in answer ? Infinity : (answer.loss ?? Infinity))),
    );
    const records: EpochRecord[] = [];
    for (; counted.written < study.epochsReceived; counted.written++) {
      const { point, answer } = answers.get(counted.written)!;
      const record = recordOf(counted.written + 1, point, answer, best);
      records.push(record);
      if ('fault' in answer) {
        counted.faults += 1;
        firstFault ??= record;
      } else {
        const tried = triesOf([answer.daily]);
        [own, unnoted] = [addTries(own, tried), addTries(unnoted, tried)];
        if (daily.length < mostJudged) daily.push(answer.daily);
      }
      if (record.isBest && 'daily' in answer) [best, bestDaily] = [record, answer.daily];
      answers.delete(counted.written);
    }
    addResults(file, records);
    if (performance.now() - counted.notedAt > notedEveryMs) note();
    for (const record of records) context.onEpoch(record);
  };

  const recordOf = (epoch: number, point: Point, answer: PointAnswer, bestSoFar: EpochRecord | null): EpochRecord => {
    const values = valuesAt(dimensions, point);
    const of = { kind: 'epoch', epoch, point, values } as const;
    if ('fault' in answer) return { ...of, isBest: false, loss: null, figures: null, fault: answer.fault };
    const { loss, figures } = answer;
    return { ...of, isBest: loss !== null && loss < (bestSoFar?.loss ?? Infinity), loss, figures };
  };

  await runBatches(study, threads, received, signal);
  note();
  const found = best as EpochRecord | null; // assigned in a function, which the compiler does not follow
  const end = { epochs: study.epochsReceived, best: found, faults: counted.faults, firstFault, isInterrupted: signal.aborted };
  if (found === null || bestDaily === null || found.figures === null) return { ...end, judgement: null };
  const luck = luckOf(bestDaily, addTries(before, own));
  const harder = signal.aborted ? null : await runHarder(threads, header, found);
  const judgement: JudgementRecord = {
    kind: 'judgement',
    epoch: found.epoch,
    epochs: study.epochsReceived,
    luck,
    ...judgeChoice(daily),
    neighbourhood: harder === null ? null : neighbourhoodOf(found.figures.profitRatio, harder.neighbours),
    doubledFees: harder?.doubledFees ?? null,
    delayedSignals: harder?.delayedSignals ?? null,
    marketChange: context.marketChange,
  };
  addResults(file, [judgement]);
  return { ...end, judgement };
}

/** Proposes, runs and reports, two batches at a time, until the study is over or is to end. */
async function runBatches(
  study: Study,
  threads: StudyThreads,
  received: (batch: Batch, answers: readonly PointAnswer[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const runOne = async (batch: Batch): Promise<void> => {
    const answers = await threads.run(batch.points);
    // What is over stays as it is: the epochs after its end were begun in vain.
    if (!signal.aborted && !study.isOver) received(batch, answers);
  };
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  while (!signal.aborted && !study.isOver) {
    for (let batch = study.propose(); batch !== null; batch = study.propose()) {
      const run = runOne(batch);
      running.add(run);
      // Where one fails all do: the first is reported below.
      run.then(
        () => running.delete(run),
        () => undefined,
      );
    }
    if (running.size === 0) return;
    await Promise.race([aborted, ...running]);
  }
}

/** Runs what makes it harder for an epoch: its neighbours, doubled fees, and signals that come a candle later. */
async function runHarder(threads: StudyThreads, { plan }: StudyHeader, { point }: EpochRecord) {
  const [neighbours, [doubled], [delayed]] = await Promise.all([
    threads.run(neighboursOf(plan.dimensions, point)),
    threads.run([point], 'doubled-fees'),
    threads.run([point], 'delayed-signals'),
  ]);
  const figuresOf = (answer: PointAnswer | undefined): EpochFigures | null =>
    answer === undefined || 'fault' in answer ? null : answer.figures;
  return {
    neighbours: neighbours.flatMap((answer) => figuresOf(answer)?.profitRatio ?? []),
    doubledFees: figuresOf(doubled),
    delayedSignals: figuresOf(delayed),
  };
}
