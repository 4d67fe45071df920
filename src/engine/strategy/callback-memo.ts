import type { Trade } from '../account/trade.ts';
import type { CallbackName, StrategyCallbacks } from './callbacks.ts';

/** A callback whose answer is not there yet: the step is dropped, the question asked, and the step taken again. */
export class AnswerNeeded extends Error {
  readonly callback: CallbackName;
  readonly question: unknown;
  readonly key: string; // of this question among those of its step

  constructor(callback: CallbackName, question: unknown, key: string) {
    super(`The strategy has to be asked: ${callback}`);
    this.name = 'AnswerNeeded';
    this.callback = callback;
    this.question = question;
    this.key = key;
  }
}

/** An answer with what the strategy keeps with the trade from then on. */
export class AnswerWithData {
  readonly value: unknown;
  readonly customData: Readonly<Record<string, unknown>>;

  constructor(value: unknown, customData: Readonly<Record<string, unknown>>) {
    this.value = value;
    this.customData = customData;
  }
}

/**
 * The callbacks of a strategy that runs elsewhere, for one step at a time: they answer with what has been noted, and ask for the rest.
 *
 * A step is a pure function of its state, its event and these answers. So it may be taken again with more of them until none is
 * missing, and each question is asked once however often that is, in the sequence in which the step comes to it.
 */
export class CallbackMemo {
  readonly callbacks: StrategyCallbacks;
  readonly #answers = new Map<string, unknown>();
  readonly #asked = new Map<string, number>(); // how often the try that is under way has asked each question so far

  constructor(names: readonly CallbackName[], stopAfterFill: boolean) {
    const ask = (name: CallbackName) => [name, (question: unknown): unknown => this.#answerOf(name, question)] as const;
    // `loopStart` is not part of a step: whoever takes steps calls it before them.
    this.callbacks = { ...Object.fromEntries(names.filter((name) => name !== 'loopStart').map(ask)), stopAfterFill };
  }

  /** Takes a step, or what another function of these callbacks gives, asking for what is missing. Fails: as the step, and as `ask` */
  take<Result>(step: () => Result, ask: (needed: AnswerNeeded) => Promise<unknown>): Result | Promise<Result> {
    this.#answers.clear();
    const first = this.#try(step);
    return first instanceof AnswerNeeded ? this.#askAndTake(first, step, ask) : first.result;
  }

  async #askAndTake<Result>(first: AnswerNeeded, step: () => Result, ask: (needed: AnswerNeeded) => Promise<unknown>): Promise<Result> {
    for (let needed = first; ;) {
      this.#answers.set(needed.key, await ask(needed));
      const next = this.#try(step);
      if (!(next instanceof AnswerNeeded)) return next.result;
      needed = next;
    }
  }

  #try<Result>(step: () => Result): { result: Result } | AnswerNeeded {
    this.#asked.clear();
    try {
      return { result: step() };
    } catch (error) {
      if (error instanceof AnswerNeeded) return error;
      throw error;
    }
  }

  #answerOf(name: CallbackName, question: unknown): unknown {
    const text = JSON.stringify(question);
    const asked = `${name} ${text}`;
    const before = this.#asked.get(asked) ?? 0;
    this.#asked.set(asked, before + 1);
    const key = `${before} ${asked}`;
    // The step changes its trades while it continues; what is asked is how they are now.
    if (!this.#answers.has(key)) throw new AnswerNeeded(name, JSON.parse(text) as unknown, key);
    const answer = this.#answers.get(key);
    if (!(answer instanceof AnswerWithData)) return answer;
    // What a strategy keeps belongs to the trade: it is stored with it, and dropped with a step that is not taken.
    const { trade } = question as { trade?: Trade | null };
    if (trade !== undefined && trade !== null) trade.customData = answer.customData;
    return answer.value;
  }
}
