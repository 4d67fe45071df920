import { type Dimension, type Point, pointsOf } from './dimension.ts';
import { gridPoint } from './samplers/grid.ts';
import { type ParzenModel, parzenModel, promisingPoint, type Tried } from './samplers/parzen.ts';
import { quasiRandomPoint } from './samplers/quasi-random.ts';
import { chanceOf, randomPoint } from './samplers/random.ts';

/** How points are chosen: all of them, by chance, evenly, or by what was learned so far. */
export const samplerNames = ['grid', 'random', 'quasi-random', 'tpe'] as const;
/** One of them. */
export type SamplerName = (typeof samplerNames)[number];

/** What a study is to try. Plain data: it survives JSON. */
export interface StudyPlan {
  dimensions: readonly Dimension[];
  sampler: SamplerName;
  seed: number; // a whole number
  epochs: number; // at most so many points are tried
  earlyStop: number | null; // ends after so many epochs without a better one
}

/** Points to be tried, numbered from 1 on. */
export interface Batch {
  firstEpoch: number;
  points: readonly Point[];
}

/** So many points are proposed together. It is part of what a study gives, so it does not depend on who runs it. */
const batchSize = 20;

/** So many points are even before anything is learned from them. */
const firstPoints = 40;

/** A point that was tried already is drawn again so many times before chance decides. */
const redraws = 20;

/** The most points of a grid. */
export const largestGrid = 1_000_000;

/**
 * A study: proposes points in batches and receives what came of them. It does not run anything, so that a command, a page and a queue of jobs can.
 *
 * Two batches are under way at a time: what a batch proposes depends on the seed and on all batches but the one before it. Whoever
 * runs them, in whatever sequence, the same plan gives the same epochs.
 */
export class Study {
  readonly plan: StudyPlan;
  readonly #tried: Tried[] = []; // in epoch order
  readonly #batches: { batch: Batch; losses: readonly number[] | null }[] = [];
  readonly #seen = new Set<string>();
  #received = 0; // batches whose epochs are in #tried
  #drawn = 0; // numbers of the even sequence that were used
  #leftFrom = 0; // all points of the grid before this one were proposed
  #best = Infinity;
  #bestEpoch = 0;
  #end: number | null = null; // the last epoch that counts, where the study has stopped early
  #isExhausted = false;

  constructor(plan: StudyPlan) {
    this.plan = plan;
  }

  /** Why a plan cannot be carried out, in a sentence; null when it can. */
  static faultOf({ dimensions, sampler, epochs }: StudyPlan): string | null {
    const points = pointsOf(dimensions);
    if (sampler !== 'grid' || points <= Math.min(epochs, largestGrid)) return null;
    const count = points < 1e6 ? String(points) : `10^${Math.floor(Math.log10(points))}`;
    const most = points > largestGrid ? `a grid may have ${largestGrid} at most` : `the study has ${epochs} epochs at most`;
    return `The grid has ${points < 1e6 ? '' : 'about '}${count} points, and ${most}: name fewer spaces, give ranges with wider steps, or choose another sampler.`;
  }

  /** The epochs of this study are these numbers, 1 to this one; it grows while batches are received. */
  get epochsReceived(): number {
    return this.#end ?? this.#tried.length;
  }

  /** The number of the best epoch so far; 0 before there is one. */
  get bestEpoch(): number {
    return this.#bestEpoch;
  }

  /** Whether nothing more is to be tried. */
  get isOver(): boolean {
    return this.#end !== null || (this.#received === this.#batches.length && this.#nextSize() === 0);
  }

  /** The next points; null where the study first has to receive earlier ones, or is over. */
  propose(): Batch | null {
    const number = this.#batches.length;
    const size = this.#nextSize();
    if (this.#end !== null || size === 0 || this.#received < number - 1) return null;
    const firstEpoch = this.#proposed() + 1;
    const points = this.#points(number, size);
    if (points.length < size) this.#isExhausted = true;
    if (points.length === 0) return null;
    const batch = { firstEpoch, points };
    this.#batches.push({ batch, losses: null });
    return batch;
  }

  /** Takes what came of a batch: a loss for each of its points; Infinity where there is none. Needs: a batch that was proposed and not received yet */
  receive({ firstEpoch }: Pick<Batch, 'firstEpoch'>, losses: readonly number[]): void {
    const entry = this.#batches.find(({ batch }) => batch.firstEpoch === firstEpoch);
    if (entry === undefined || entry.losses !== null || losses.length !== entry.batch.points.length)
      throw new RangeError(`the study has no open batch of ${losses.length} points from epoch ${firstEpoch} on`);
    entry.losses = losses;
    while (this.#received < this.#batches.length && this.#end === null) {
      const { batch, losses: known } = this.#batches[this.#received];
      if (known === null) break;
      batch.points.forEach((point, i) => this.#count(point, known[i]));
      this.#received += 1;
    }
  }

  #count(point: Point, loss: number): void {
    if (this.#end !== null) return;
    this.#tried.push({ point, loss });
    if (loss < this.#best) [this.#best, this.#bestEpoch] = [loss, this.#tried.length];
    const { earlyStop } = this.plan;
    if (earlyStop !== null && this.#tried.length - this.#bestEpoch >= earlyStop) this.#end = this.#tried.length;
  }

  #proposed(): number {
    const last = this.#batches.at(-1)?.batch;
    return last === undefined ? 0 : last.firstEpoch - 1 + last.points.length;
  }

  #nextSize(): number {
    if (this.#isExhausted) return 0;
    return Math.max(0, Math.min(batchSize, this.plan.epochs - this.#proposed(), pointsOf(this.plan.dimensions) - this.#proposed()));
  }

  #points(number: number, size: number): Point[] {
    const { dimensions, sampler, seed } = this.plan;
    const from = this.#proposed();
    if (sampler === 'grid') return Array.from({ length: size }, (_, i) => gridPoint(dimensions, from + i));
    const chance = chanceOf(seed, number);
    // Of the batch before nobody knows yet what comes of it.
    const known = this.#tried.slice(0, Math.max(0, from - batchSize));
    const model = sampler === 'tpe' && known.length >= firstPoints ? parzenModel(dimensions, known) : null;
    const points: Point[] = [];
    for (let i = 0; i < size; i++) {
      const point = this.#newPoint(chance, model);
      if (point === null) break;
      this.#seen.add(point.join());
      points.push(point);
    }
    return points;
  }

  /** A point that was not tried yet; null where none was found. */
  #newPoint(chance: () => number, model: ParzenModel | null): Point | null {
    const { dimensions, sampler, seed } = this.plan;
    for (let draw = 0; draw < redraws * 5; draw++) {
      const byChance = draw >= redraws || sampler === 'random';
      const point = byChance
        ? randomPoint(dimensions, chance)
        : model === null
          ? quasiRandomPoint(dimensions, seed, this.#drawn++)
          : promisingPoint(model, chance);
      if (!this.#seen.has(point.join())) return point;
    }
    return this.#firstUntried();
  }

  /** In a space that is nearly used up chance finds nothing: the first point of the grid that is left. */
  #firstUntried(): Point | null {
    const { dimensions } = this.plan;
    const count = Math.min(pointsOf(dimensions), largestGrid);
    for (; this.#leftFrom < count; this.#leftFrom++) {
      const point = gridPoint(dimensions, this.#leftFrom);
      if (!this.#seen.has(point.join())) return point;
    }
    return null;
  }
}
