import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { Answer } from './messages.ts';

/** Who answers questions, one at a time. */
export interface Answerer {
  ask(id: number, changes: WhatIfChanges | null): void; // null: as it really is
  close(): void;
}

/** What the page is shown of an answer; `changes` are those it answers, null: as it really is. */
export type OnAnswer = (changes: WhatIfChanges | null, answer: Answer, waitedMs: number) => void;

/**
 * Asks for replays, the real one first. While one is calculated only the newest question waits: whoever moves a slider sees as many steps as
 * can be calculated, and the last one always.
 */
export class ReplayDesk {
  readonly #answerer: Answerer;
  readonly #onAnswer: OnAnswer;
  readonly #now: () => number;
  #lastId = 0;
  #asked: { id: number; changes: WhatIfChanges | null; since: number; isForgotten: boolean } | null = null;
  #waiting: { changes: WhatIfChanges; since: number } | null = null;

  constructor(start: (answer: (answer: Answer) => void) => Answerer, onAnswer: OnAnswer, now: () => number = () => performance.now()) {
    this.#onAnswer = onAnswer;
    this.#now = now;
    this.#answerer = start((answer) => this.#note(answer));
    this.#ask(null, now());
  }

  /** Replays with changes, as soon as what is calculated has ended. */
  replay(changes: WhatIfChanges): void {
    this.#waiting = { changes, since: this.#now() };
    if (this.#asked === null) this.#askWaiting();
  }

  /** Nobody waits for changes any more. What is calculated for them ends unseen. */
  forget(): void {
    this.#waiting = null;
    if (this.#asked !== null && this.#asked.changes !== null) this.#asked.isForgotten = true;
  }

  /** Ends it; nothing is answered any more. */
  close(): void {
    this.#asked = null;
    this.#waiting = null;
    this.#answerer.close();
  }

  #note(answer: Answer): void {
    if (answer.id !== this.#asked?.id) return;
    const { changes, since, isForgotten } = this.#asked;
    if (answer.kind !== 'waiting') this.#asked = null;
    if (!isForgotten) this.#onAnswer(changes, answer, this.#now() - since);
    if (this.#asked === null) this.#askWaiting();
  }

  #askWaiting(): void {
    if (this.#waiting === null) return;
    const { changes, since } = this.#waiting;
    this.#waiting = null;
    this.#ask(changes, since);
  }

  #ask(changes: WhatIfChanges | null, since: number): void {
    this.#lastId += 1;
    this.#asked = { id: this.#lastId, changes, since, isForgotten: false };
    this.#answerer.ask(this.#lastId, changes);
  }
}
