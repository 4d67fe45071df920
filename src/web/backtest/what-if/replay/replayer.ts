import { type MarketHistory, unpackHistory } from '#contract/packed-history.ts';
import { withCandles } from '#engine/lab/what-if/terms.ts';
import { WhatIfRunner } from '#engine/lab/what-if/what-if-runner.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Answer, HistoryNames, ToWorker, WhatIfSetup } from './messages.ts';
import { type LoadModule, strategyOf } from './strategy-of.ts';

/** What replays need of where they run. */
export interface ReplayerPlace {
  post(answer: Answer): void;
  load: LoadModule;
  now(): number; // ms
}

/** Replays one setup, again with each change. Messages are answered one after the other. */
export class Replayer {
  readonly #place: ReplayerPlace;
  readonly #histories = new Map<string, MarketHistory>();
  #runner: WhatIfRunner | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(place: ReplayerPlace) {
    this.#place = place;
  }

  /** Takes a message. Needs: that the histories a setup names came before it */
  take(message: ToWorker): Promise<void> {
    this.#last = this.#last.then(() => this.#answer(message));
    return this.#last;
  }

  async #answer(message: ToWorker): Promise<void> {
    if (message.kind === 'history') {
      this.#histories.set(message.name, unpackHistory(message.packed));
      return;
    }
    const { id } = message;
    try {
      if (message.kind === 'begin') this.#runner = await this.#begin(message.setup, message.names);
      if (this.#runner === null) return; // what it began with has failed, and was answered
      const began = this.#place.now();
      const replayed = this.#runner.replay(message.kind === 'begin' ? {} : message.changes);
      const tookMs = this.#place.now() - began;
      this.#place.post(
        replayed.ok ? { kind: 'replayed', id, report: replayed.report, tookMs } : { kind: 'refused', id, reasons: replayed.reasons },
      );
    } catch (error) {
      this.#place.post({ kind: 'failed', id, fault: error instanceof Error ? error.message : String(error) });
    }
  }

  async #begin(setup: WhatIfSetup, names: HistoryNames): Promise<WhatIfRunner> {
    this.#runner = null;
    const { timeframe, detail_timeframe: detailTimeframe, from, to, parameters, own_capital: isOwnCapital } = setup;
    const strategy = await strategyOf(setup, this.#place.load);
    const pairs = names.pairs.map(({ candles, detail }) => {
      const { instrument, candles: columns, funding } = this.#historyOf(candles);
      return { instrument, candles: columns, funding, detail: detail === null ? null : this.#historyOf(detail).candles };
    });
    return new WhatIfRunner({
      real: {
        settings: setup.settings as unknown as TradingSettings, // as the engine of the server has made it
        parameters,
        capital: isOwnCapital ? 'own' : 'stake-times-slots',
      },
      strategy,
      compute: (candles, values, symbol, others) => strategy.compute(candles, values, others, symbol),
      timeframe,
      detailTimeframe,
      pairs: withCandles(pairs, from),
      others: Object.fromEntries(Object.entries(names.others).map(([symbol, name]) => [symbol, this.#historyOf(name).candles])),
      range: { from, to: to - 1 },
      currency: setup.currency,
      fingerprinted: setup.fingerprint?.trades ?? null,
    });
  }

  #historyOf(name: string): MarketHistory {
    const history = this.#histories.get(name);
    if (history === undefined) throw new Error(`There is no history ${name}`);
    return history;
  }
}
