/** A question that waits for its turn. */
export interface WaitingQuestion {
  id: number; // larger than those of all that were asked before
  isAboutCandles: boolean;
  pair: string | undefined; // of one about candles whose they are; of another one on whose candles its answer may depend
}

/**
 * The questions that wait for a process. Those about candles are many at once, and a bot waits for none of them; for the answer of a
 * callback it stands still, with its stops. So in each round come those that are not about candles, as far as they wait when it begins,
 * then one about candles: neither wait for all of the others. Each kind keeps its sequence, but for this: what an answer may depend on
 * and was asked before comes before it.
 */
export class WaitingQuestions<Question extends WaitingQuestion> {
  #aboutCandles: Question[] = [];
  #urgent: Question[] = [];
  #left = 0; // urgent ones that still come in this round
  #isRoundOver = true;

  /** How many wait. */
  get size(): number {
    return this.#aboutCandles.length + this.#urgent.length;
  }

  /** Takes in a question. */
  add(question: Question): void {
    (question.isAboutCandles ? this.#aboutCandles : this.#urgent).push(question);
  }

  /** The one whose turn it is, which waits no more; undefined when none does. */
  next(): Question | undefined {
    if (this.#isRoundOver) this.#left = this.#urgent.length;
    const question = this.#chosen();
    this.#isRoundOver = question?.isAboutCandles === true || this.#aboutCandles.length === 0;
    return question;
  }

  /** All that wait, in the sequence in which they were asked; they wait no more. */
  takeAll(): Question[] {
    const all = [...this.#aboutCandles, ...this.#urgent].sort((a, b) => a.id - b.id);
    this.#urgent = [];
    this.#aboutCandles = [];
    return all;
  }

  #chosen(): Question | undefined {
    const [urgent] = this.#urgent;
    if (urgent === undefined || (this.#left === 0 && this.#aboutCandles.length > 0)) return this.#aboutCandles.shift();
    const { id: before, pair: of } = urgent;
    const own = of === undefined ? -1 : this.#aboutCandles.findIndex(({ id, pair }) => pair === of && id < before);
    if (own !== -1) return this.#aboutCandles.splice(own, 1)[0];
    this.#left -= 1;
    return this.#urgent.shift();
  }
}
