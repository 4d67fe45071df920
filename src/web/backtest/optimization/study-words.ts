import { formatRatio } from '../../ui/ratio.ts';
import { parameterTitle } from '../../ui/parameter-text.ts';
import type { Epoch, StudyDimension, StudyFacts, StudyItem } from './use-studies.ts';

/** What a loss measures as a person reads it: where the loss is a measure with its sign turned round, the measure, of which more is better. */
export function measureOf(loss: string): { title: string; sign: 1 | -1 } {
  if (loss.startsWith('Sharpe')) return { title: 'Sharpe', sign: -1 };
  if (loss.startsWith('Sortino')) return { title: 'Sortino', sign: -1 };
  if (loss.startsWith('Calmar')) return { title: 'Calmar', sign: -1 };
  if (loss.startsWith('OnlyProfit')) return { title: 'Profit', sign: -1 };
  return { title: 'Loss', sign: 1 };
}

/** A loss as its measure; the largest numbers stand for infinite ones. */
export function measureText(loss: number, sign: 1 | -1): string {
  if (Math.abs(loss) === Number.MAX_VALUE) return loss * sign > 0 ? '∞' : '-∞';
  const value = loss * sign;
  return Math.abs(value) >= 1_000 ? value.toFixed(0) : value.toFixed(2);
}

const names: Readonly<Record<string, string>> = {
  stoploss: 'Stop Loss',
  max_open_trades: 'Max Open Trades',
  trailing_stop_positive: 'Trailing Stop',
  trailing_stop_positive_offset_p1: 'Trailing Offset',
  trailing_only_offset_is_reached: 'Trail Above Offset Only',
  roi_t1: 'ROI Time 1',
  roi_t2: 'ROI Time 2',
  roi_t3: 'ROI Time 3',
  roi_p1: 'ROI Profit 1',
  roi_p2: 'ROI Profit 2',
  roi_p3: 'ROI Profit 3',
};

/** The name of what is searched as a person reads it. */
export function dimensionTitle({ name, space }: Pick<StudyDimension, 'name' | 'space'>): string {
  const known = names[name];
  if (known !== undefined) return known;
  return space === 'protection' ? name.replaceAll('_', ' ').replace(/^./u, (first) => first.toUpperCase()) : parameterTitle(name);
}

/** Whether a number of a study is a fraction that is read as per cent. */
export function isRatio({ name, space }: Pick<StudyDimension, 'name' | 'space'>): boolean {
  return (
    /^(?:stoploss|trailing_stop_positive|trailing_stop_positive_offset_p1|roi_p\d)$/u.test(name) && space !== 'buy' && space !== 'sell'
  );
}

/** A value as it is read. */
export function valueText(dimension: Pick<StudyDimension, 'name' | 'space'>, value: number): string {
  if (dimension.name === 'trailing_only_offset_is_reached') return value === 1 ? 'yes' : 'no';
  return isRatio(dimension) ? formatRatio(value) : String(value);
}

/** What an epoch has turned: 'Fast Period 12, Stop Loss -8.0%'. */
export function turnedText(dimensions: readonly StudyDimension[], values: readonly number[]): string {
  return dimensions.map((dimension, i) => `${dimensionTitle(dimension)} ${valueText(dimension, values[i] ?? 0)}`).join(', ');
}

/** What a study is about, in a line. */
export function studyTitle({ strategy_name: name, code_version: version, plan }: StudyItem): string {
  const [first = ''] = plan.pairs;
  const pairs = plan.pairs.length === 1 ? first : `${plan.pairs.length} pairs`;
  return `${name}${version === null ? '' : `, version ${version}`}, ${pairs}, ${plan.timeframe}`;
}

/** How it searches, in a line. */
export function studyWords(study: StudyItem): string {
  const { plan, spaces, loss, sampler, seed, sealed_ratio: sealed, bot } = study;
  return [
    `${plan.from} to ${plan.to}`,
    ...(bot === null ? [] : [`settings of ${bot.nickname}`]),
    `spaces ${spaces.join(', ')}`,
    `loss ${loss}`,
    `sampler ${sampler}`,
    `seed ${seed}`,
    ...(sealed === null ? [] : [`last ${formatRatio(sealed, 0)} sealed`]),
  ].join('; ');
}

/** What a status is called. */
export const statusWords: Readonly<Record<StudyItem['status'], string>> = {
  queued: 'waiting',
  running: 'running',
  judging: 'judging',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** What all in all is to be thought of the best epoch, from what is known. */
export function verdictOf({ luck, judgement }: StudyFacts, best: Epoch | null): { title: string; isGood: boolean } | null {
  if (luck === null) return null;
  if (best?.figures !== null && best?.figures !== undefined && best.figures.profit <= 0)
    return { title: 'Even the best try makes no profit', isGood: false };
  const overfitted = judgement?.overfitting?.probability ?? 1; // what was not judged has stood no test
  const isSpike = judgement?.neighbourhood?.is_plateau === false;
  const failsCosts = judgement?.doubled_fees !== null && judgement?.doubled_fees !== undefined && judgement.doubled_fees.profit <= 0;
  if (luck.probability < 0.8) return { title: 'Probably luck', isGood: false };
  if (luck.probability < 0.95 || overfitted > 0.4 || isSpike || failsCosts) return { title: 'Perhaps more than luck', isGood: false };
  return { title: 'More than luck', isGood: true };
}

/** How many tries have failed, and why the first did; null without one. */
export function faultsText(epochs: readonly Epoch[]): string | null {
  const faults = epochs.filter(({ fault }) => fault !== null);
  const [first] = faults;
  if (first === undefined) return null;
  return `${faults.length === 1 ? 'One try' : `${faults.length} tries`} failed; the first, try ${first.epoch}: ${first.fault}`;
}

/** How many trades the tries have made, where none has made enough: 'The tries made 3 to 21 trades each.' */
export function tradesText(epochs: readonly Epoch[]): string {
  const counts = epochs.flatMap(({ figures }) => (figures === null ? [] : [figures.trades]));
  if (counts.length === 0) return 'No try has come to an end.';
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (most === 0) return 'No try made a trade.';
  return least === most ? `The tries made ${count(most)} each.` : `The tries made ${least} to ${count(most)} each.`;
}

function count(trades: number): string {
  return `${trades} ${trades === 1 ? 'trade' : 'trades'}`;
}
