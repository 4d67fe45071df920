import { minuteText } from '#engine/market/minute-text.ts';
import type { ReplayedDay } from '#engine/report/certificate/certificate.ts';
import { candleKey } from '#engine/report/certificate/recorded-decision.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { readsClock } from '#strategy-process/python/reads-clock.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import { CannotReplay } from './cannot-replay.ts';
import type { CandlesOf, CertificateTask, SeriesOfDay, Stretch } from './certificate-task.ts';
import type { OpenedStrategy } from './open-strategy.ts';
import type { PythonFindings } from './python-on-day.ts';
import { PythonOnDay } from './python-on-day.ts';

/** So many decisions that differ are asked for again: one that says another thing is enough. */
const mostAskedAgain = 20;

/** Opens the class of a stretch. Fails: CannotReplay, SeriesWanted */
export async function openPython(
  stretch: Stretch,
  task: CertificateTask,
  own: readonly SeriesOfDay[],
  candlesOf: CandlesOf,
  findings: PythonFindings,
): Promise<OpenedStrategy> {
  const python = await PythonOnDay.load(stretch, task, candlesOf);
  try {
    return await python.open(own, findings);
  } catch (error) {
    await python.end();
    throw error;
  }
}

/** What there is to say of a replay besides its figures, in sentences. */
export function notesOf({ notes, unanswered, kept }: PythonFindings): string[] {
  const [failed] = unanswered;
  const how = failed === undefined ? '' : `${failed[0]}: ${failed[1]}`;
  const names = namesOf(kept);
  const began = `The strategy keeps something between its calls (${names}). The replay began without it.`;
  return [
    ...(kept.size === 0 ? [] : [began]),
    ...(failed === undefined
      ? []
      : [`The strategy gives no answer on ${unanswered.size === 1 ? 'a candle' : `${unanswered.size} candles`}; first for ${how}`]),
    ...notes,
  ];
}

/**
 * Refuses a day on which decisions of a class in Python differ and the class cannot say the same twice: what it kept, or the time, was another
 * when the bot decided, and nobody may be called by that.
 *
 * Fails: CannotReplay
 */
export async function requireProof(
  task: CertificateTask,
  differing: readonly { symbol: string; candleTime: number }[],
  replayed: ReplayedDay,
  candlesOf: CandlesOf,
  { kept }: PythonFindings,
): Promise<void> {
  const inPython = differing.filter((candle) => stretchOf(task, candle)?.python !== null);
  const [first] = inPython;
  if (first === undefined) return;
  const what = `The strategy says something else about ${first.symbol} at ${minuteText(first.candleTime)} than the bot decided`;
  if (kept.size > 0)
    throw new CannotReplay(`${what}, and it keeps something between its calls (${namesOf(kept)}): what that was then is not on record.`);
  if (task.stretches.some(({ code }) => code !== null && 'files' in code && readsClock(code.files)))
    throw new CannotReplay(`${what}, and it looks at the clock, which showed another time then.`);
  for (const stretch of task.stretches) {
    const candles = inPython.filter((candle) => stretchOf(task, candle) === stretch).slice(0, mostAskedAgain);
    if (stretch.python === null || candles.length === 0) continue;
    const python = await PythonOnDay.load(stretch, task, candlesOf);
    try {
      if (candles.some((candle) => saysAnother(python, candle, replayed, task, stretch)))
        throw new CannotReplay(
          `${what}, and something else again when it is asked twice: it uses chance, or keeps something between its calls.`,
        );
    } finally {
      await python.end();
    }
  }
}

/** Whether a class that was asked for nothing before says another thing about a candle than in the replay. */
function saysAnother(
  python: PythonOnDay,
  candle: { symbol: string; candleTime: number },
  { flags }: ReplayedDay,
  { series }: CertificateTask,
  { timeframe }: Stretch,
): boolean {
  const own = series.find((each) => each.symbol === candle.symbol && each.timeframe === timeframe);
  const before = flags.get(candleKey(candle));
  if (own === undefined || before === undefined) return false;
  try {
    const row = python.row(own, candle.candleTime);
    return (['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const).some((flag) => row[flag] !== before[flag]);
  } catch (error) {
    if (error instanceof StrategyError) return true;
    throw error;
  }
}

/** The stretch in which a candle was decided about: when it had closed. */
function stretchOf({ stretches }: CertificateTask, { candleTime }: { candleTime: number }): Stretch | undefined {
  return stretches.find(({ timeframe, from, to }) => {
    const closeTime = candleTime + timeframeLengths[timeframe];
    return closeTime >= from && closeTime < to;
  });
}

function namesOf(kept: ReadonlySet<string>): string {
  const names = [...kept].toSorted();
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
