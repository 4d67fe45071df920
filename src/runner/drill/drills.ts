import { errorText } from '#engine/ports/error-text.ts';
import type { DrillAnswer, DrillResult } from '#storage/bots/drills.ts';
import type { Markets } from '#feeds/markets.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { BotTerms } from '../bots/bot-settings.ts';
import { valuesOf } from '../bots/bot-settings.ts';
import { checkedSettings } from '../hindsight/checked-settings.ts';
import { NoPlace, Places } from '../hindsight/places.ts';
import type { DrillMessage, DrillPair, DrillPlan } from './drill-plan.ts';
import { mostDrillPairs } from './drill-plan.ts';

/** A drill is asked for with this. */
export interface DrillQuestion {
  bot: BotTerms & { symbols: readonly string[]; codeDescription: StrategyCode['description'] | null };
  strategy: StrategyTerms & { className: string };
  seed: number;
}

/** What `Drills` needs. */
export interface DrillDependencies {
  markets: Markets;
  log: (message: string, details: object) => void;
}

/** Drills that may wait while another one runs. */
const mostWaiting = 8;

/** Runs drills, one at a time, each in a thread of its own. */
export class Drills {
  readonly #dependencies: DrillDependencies;
  readonly #places = new Places(1, mostWaiting);
  readonly #over = new AbortController();

  constructor(dependencies: DrillDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a drill of a bot's settings with the rules and prices of its exchange; `signal` ends it when nobody waits any more. */
  async run(question: DrillQuestion, signal: AbortSignal): Promise<DrillAnswer> {
    const over = AbortSignal.any([signal, this.#over.signal]);
    const { bot, strategy: terms, seed } = question;
    const strategy = requireKnownStrategy(terms.className, bot.codeDescription);
    const values = valuesOf(bot, terms, strategy);
    const checked = checkedSettings(bot, values, strategy);
    if ('why' in checked) return { state: 'unavailable', why: checked.why };
    let pairs: DrillPair[];
    try {
      pairs = await this.#pairs(bot);
    } catch (error) {
      this.#dependencies.log('the markets for a drill were not there', { exchange: bot.exchangeId, error: errorText(error) });
      return { state: 'unavailable', why: 'The exchange does not give the rules and prices of the pairs.' };
    }
    if (pairs.length === 0) return { state: 'unavailable', why: 'The exchange trades none of the pairs.' };
    try {
      const leave = await this.#places.take(over);
      try {
        return {
          state: 'done',
          result: await inThread({ seed, settings: checked.settings, timeInForce: values.orderTimeInForce, pairs }, over),
        };
      } finally {
        leave();
      }
    } catch (error) {
      if (error instanceof NoPlace) return { state: 'unavailable', why: 'Other drills are waiting. Please try again in a minute.' };
      throw error;
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#over.abort();
  }

  async #pairs({ exchangeId, marketType, symbols }: DrillQuestion['bot']): Promise<DrillPair[]> {
    const market = await this.#dependencies.markets.market(exchangeId, marketType);
    const pairs = await Promise.all(
      symbols.slice(0, mostDrillPairs).map(async (symbol) => {
        const [instrument, { last }] = await Promise.all([market.instrument(symbol), market.quote(symbol)]);
        return instrument === null ? [] : [{ instrument, price: last }];
      }),
    );
    return pairs.flat();
  }
}

async function inThread(plan: DrillPlan, signal: AbortSignal): Promise<DrillResult> {
  const thread = new Worker(join(import.meta.dirname, 'drill-thread.ts'), {
    workerData: plan,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const end = (): void => void thread.terminate();
  signal.addEventListener('abort', end);
  // Its message counts; a thread that dies without one has none.
  const found: { message: DrillMessage } = { message: { fault: 'The drill ended without a result.' } };
  thread.on('message', (message: DrillMessage) => (found.message = message));
  thread.on('error', (error) => (found.message = { fault: error.message }));
  try {
    await once(thread, 'exit');
  } finally {
    signal.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  if ('fault' in found.message) throw new Error(found.message.fault);
  return found.message.result;
}
