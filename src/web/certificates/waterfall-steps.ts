import { partTitles } from '#engine/report/certificate/certificate-words.ts';
import type { PartName } from '#engine/report/certificate/split-difference.ts';
import { partNames } from '#engine/report/certificate/split-difference.ts';

/** A bar of the way from the promise to the account; places from 0, at the lower end of the axis, to 1. */
export interface WaterfallStep {
  name: string;
  amount: number; // of a part what it changed, of a total what it comes to
  isTotal: boolean;
  low: number;
  high: number;
  end: number; // where the next bar begins
}

/** The bars with the axis they stand on. */
export interface Waterfall {
  steps: WaterfallStep[];
  ticks: { at: number; value: number }[];
  isBroken: boolean; // the axis does not begin at zero, so bars of totals are cut
  start: number; // where it begins
}

/** Parts that are shown also where they are nothing. */
const always: readonly PartName[] = ['fill-price', 'delay', 'amount', 'fee', 'funding', 'data', 'decision'];

/** From what the backtest promised, part by part, to what the account made. */
export function waterfall(promised: number, made: number, parts: Readonly<Partial<Record<PartName, string>>>): Waterfall {
  const shown = partNames.filter((name) => always.includes(name) || parts[name] !== undefined);
  let level = promised;
  const changes = shown.map((name) => {
    const from = level;
    const amount = Number(parts[name] ?? 0);
    level += amount;
    return { name: partTitles[name], amount, from, to: level };
  });
  const levels = [promised, made, ...changes.map(({ to }) => to)];
  const [lowest, highest] = [Math.min(...levels), Math.max(...levels)];
  const { from, to, isBroken } = axisOf(lowest, highest);
  const place = (value: number): number => (value - from) / (to - from);
  // Beyond zero, or beyond the cut, on the side where the bar comes from.
  const base = from > 0 ? from : to < 0 ? to : 0;
  const bar = (name: string, amount: number, a: number, b: number, isTotal: boolean): WaterfallStep => ({
    name,
    amount,
    isTotal,
    low: place(Math.min(a, b)),
    high: place(Math.max(a, b)),
    end: place(b),
  });
  return {
    steps: [
      bar('Backtest of the day', promised, base, promised, true),
      ...changes.map((change) => bar(change.name, change.amount, change.from, change.to, false)),
      bar('Account', made, base, made, true),
    ],
    ticks: ticksOf(from, to).map((value) => ({ at: place(value), value })),
    isBroken,
    start: base,
  };
}

/** The ends of the axis: with zero, unless what happens is small beside what there is. Some room is left for the amounts. */
function axisOf(lowest: number, highest: number): { from: number; to: number; isBroken: boolean } {
  const span = highest - lowest;
  const far = Math.min(Math.abs(lowest), Math.abs(highest));
  const isBroken = lowest * highest > 0 && span > 0 && span < far;
  const [low, high] = isBroken ? [lowest, highest] : [Math.min(0, lowest), Math.max(0, highest)];
  const room = (high - low || 1) * 0.16;
  const cut = isBroken ? span * 0.35 : 0;
  return {
    from: low - (lowest < 0 ? room : 0) - (isBroken && low > 0 ? cut : 0),
    to: high + (highest > 0 || span === 0 ? room : 0) + (isBroken && high < 0 ? cut : 0),
    isBroken,
  };
}

/** Round values within the ends, about six of them. */
function ticksOf(from: number, to: number): number[] {
  const rough = (to - from) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((each) => each >= rough) ?? power * 10;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, n) => (first + n) * step);
}
