import type { BotEvent } from '#engine/bot/event.ts';
import { secondMs } from '#engine/market/durations.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';

/** freqtrade's bots loop every five seconds (`internals.process_throttle_secs`). */
const loopMs = 5 * secondMs;

/**
 * Calls a strategy's `loopStart` on paper as freqtrade does: before anything else, once for each closed candle however
 * many symbols it closes for, and every five seconds in between as long as prices come. A call that fails is reported and
 * keeps no step from being taken.
 */
export class LoopStart {
  readonly #callbacks: Pick<StrategyCallbacks, 'loopStart'>;
  readonly #onError: (error: unknown) => void;
  #candleTime = -Infinity; // of the newest candle it was called for
  #calledAt = -Infinity;

  constructor(callbacks: Pick<StrategyCallbacks, 'loopStart'>, onError: (error: unknown) => void) {
    this.#callbacks = callbacks;
    this.#onError = onError;
  }

  /** To be called before the step of an event is taken; `now` in ms. */
  before(event: BotEvent, now: number): void {
    if (this.#callbacks.loopStart === undefined) return;
    if (event.kind === 'candle-closed') {
      if (event.candleTime <= this.#candleTime) return;
      this.#candleTime = event.candleTime;
    } else if (event.kind !== 'market' || now - this.#calledAt < loopMs) return;
    this.#calledAt = now;
    try {
      this.#callbacks.loopStart(now);
    } catch (error) {
      this.#onError(error);
    }
  }
}
