import { type Batch, Study, type StudyPlan } from './study.ts';

/** A batch with its number, from 0 on. */
export interface NumberedBatch extends Batch {
  number: number;
}

/**
 * A study whose batches and losses are kept elsewhere, by several who run them: from what is kept it comes to the same proposals, whoever
 * asks and however often.
 */
export class KeptStudy {
  readonly #study: Study;
  readonly #batches: Batch[] = [];
  readonly #received = new Set<number>();

  constructor(plan: StudyPlan) {
    this.#study = new Study(plan);
  }

  /** The first batch whose losses it does not know; losses from there on are what it is to receive. */
  get firstMissing(): number {
    let number = 0;
    while (this.#received.has(number)) number += 1;
    return number;
  }

  /** The batches whose losses it knows. */
  get received(): readonly number[] {
    return [...this.#received];
  }

  /** See `Study`. */
  get epochsReceived(): number {
    return this.#study.epochsReceived;
  }

  /** See `Study`. */
  get bestEpoch(): number {
    return this.#study.bestEpoch;
  }

  /** See `Study`. */
  get isOver(): boolean {
    return this.#study.isOver;
  }

  /**
   * Takes the losses of batches, as far as they are known, and returns all that were proposed since the last time. A `Study` proposes the same
   * whether or not it knows more than it has to.
   */
  *advance(losses: ReadonlyMap<number, readonly number[]>): Generator<NumberedBatch> {
    for (let isMoving = true; isMoving;) {
      isMoving = false;
      for (let batch = this.#study.propose(); batch !== null; batch = this.#study.propose()) {
        isMoving = true;
        this.#batches.push(batch);
        yield { ...batch, number: this.#batches.length - 1 };
      }
      for (let number = this.firstMissing; number < this.#batches.length && !this.#study.isOver; number++) {
        const known = losses.get(number);
        if (known === undefined || this.#received.has(number)) continue;
        this.#study.receive(this.#batches[number], known);
        this.#received.add(number);
        isMoving = true;
      }
    }
  }
}
