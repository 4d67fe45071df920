import type { RulesDocument } from '#engine/rules/document.ts';
import { createContext, useContext, useEffect, useState } from 'react';
import type { DraftJob, FromWorker, MarketNames } from './messages.ts';
import type { ReplaySummary } from './replay-summary.ts';
import { ReplayWorker } from './replay-worker.ts';
import { startWorker } from './start-worker.ts';

type OnSummary = (place: number, summary: ReplaySummary | null) => void;

/** Where the page asks for replays: one worker answers all of it. */
export class ReplayDesk {
  readonly #worker: ReplayWorker;
  #lastId = 0;
  #draft: { id: number; listener: (message: FromWorker) => void } | null = null;
  readonly #figures = new Map<number, { count: number; onSummary: OnSummary }>();
  #values: { id: number; onValues: (values: Readonly<Record<string, number>>) => void } | null = null;
  #onBroken: () => void = () => {};

  constructor(start: () => Worker) {
    const listener = { onMessage: (message: FromWorker) => this.#note(message), onBroken: () => this.#onBroken() };
    this.#worker = new ReplayWorker(listener, start);
  }

  /** Says what is done when the worker cannot be started, or has ended by itself. */
  whenBroken(listener: () => void): void {
    this.#onBroken = listener;
  }

  /** Gives the candles of a market under a name; once is enough. */
  give(name: string, packed: ArrayBuffer): void {
    this.#worker.give(name, packed);
  }

  /** Replays a draft; only the newest one is answered. */
  draft(job: Omit<DraftJob, 'kind' | 'id'>, listener: (message: FromWorker) => void): void {
    this.#lastId += 1;
    this.#draft = { id: this.#lastId, listener };
    this.#worker.draft({ kind: 'draft', id: this.#lastId, ...job });
  }

  /** Replays documents over all of the history, or the last days of it. Gives the way to stop listening. */
  figures(market: MarketNames, documents: readonly RulesDocument[], days: number | null, onSummary: OnSummary): () => void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#figures.set(id, { count: documents.length, onSummary });
    this.#worker.figures({ kind: 'figures', id, market, documents, days });
    return () => void this.#figures.delete(id);
  }

  /** Asks what the conditions of the newest draft looked at in a row of the range; only the newest question is answered. */
  values(row: number, onValues: (values: Readonly<Record<string, number>>) => void): void {
    this.#lastId += 1;
    this.#values = { id: this.#lastId, onValues };
    this.#worker.values(this.#lastId, row);
  }

  /** Ends the worker. */
  close(): void {
    this.#worker.close();
  }

  #note(message: FromWorker): void {
    if (message.kind === 'values') {
      if (message.id === this.#values?.id) this.#values.onValues(message.values);
    } else if (message.kind === 'figures') {
      const asked = this.#figures.get(message.id);
      asked?.onSummary(asked.count - message.place, message.summary);
      if (message.isLast) this.#figures.delete(message.id);
    } else if (message.id === this.#draft?.id) this.#draft.listener(message);
  }
}

/** The desk of the page. */
export const ReplayDeskContext = createContext<ReplayDesk | null>(null);

/** The desk of the page. Needs: to be below the context */
export function useReplayDesk(): ReplayDesk {
  const desk = useContext(ReplayDeskContext);
  if (desk === null) throw new Error('There is no replay desk above this component');
  return desk;
}

/** A desk that ends with the component, whether its worker is broken, and the way to try again. */
export function useNewReplayDesk(): { desk: ReplayDesk; isBroken: boolean; retry: () => void } {
  const [desk, setDesk] = useState(() => new ReplayDesk(startWorker));
  const [broken, setBroken] = useState<ReplayDesk | null>(null);
  useEffect(() => {
    desk.whenBroken(() => setBroken(desk));
    return () => desk.close();
  }, [desk]);
  return { desk, isBroken: broken === desk, retry: () => setDesk(new ReplayDesk(startWorker)) };
}
