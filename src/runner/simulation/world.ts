import { seededRandom } from '#engine/simulation/seeded-random.ts';

/** What is to happen at a time. */
interface Happening {
  at: number;
  number: number; // those of the same time come in the sequence they were asked for
  what: () => void;
}

/**
 * A world with its own clock and its own chance: whatever is to happen happens in the sequence of its time, and the same seed
 * gives the same history.
 */
export class World {
  now: number;
  readonly random: () => number; // from 0 to below 1
  #count = 0;
  readonly #heap: Happening[] = [];

  constructor(seed: number, start: number) {
    this.random = seededRandom(seed);
    this.now = start;
  }

  /** Whether something of this probability happens. */
  happens(probability: number): boolean {
    return this.random() < probability;
  }

  /** A number between two. */
  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** Lets something happen after a while, in ms. */
  after(ms: number, what: () => void): void {
    const heap = this.#heap;
    heap.push({ at: this.now + ms, number: this.#count++, what });
    for (let i = heap.length - 1; i > 0;) {
      const parent = (i - 1) >> 1;
      if (!isBefore(heap[i], heap[parent])) break;
      swap(heap, i, parent);
      i = parent;
    }
  }

  /** Settles after a while, in ms. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets happen whatever is to happen until a time. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#removeFirst();
      this.now = next.at;
      next.what();
      await microtasks();
    }
    this.now = end;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return;
    heap[0] = last;
    for (let i = 0; ;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < heap.length && isBefore(heap[left], heap[least])) least = left;
      if (right < heap.length && isBefore(heap[right], heap[least])) least = right;
      if (least === i) return;
      swap(heap, i, least);
      i = least;
    }
  }
}

/** What follows at once from what has happened is done when this settles. */
const microtasks = () => new Promise((resolve) => setImmediate(resolve));

function isBefore(a: Happening | undefined, b: Happening | undefined): boolean {
  return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.number < b.number));
}

function swap(heap: Happening[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}
