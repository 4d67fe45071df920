import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { MarketNames } from '../replay/messages.ts';
import type { ReplayStore } from '../replay/replay-store.ts';

/** The name of the measurement that is left with the browser for each edit, e.g. for a benchmark. */
const measureName = 'rules: edit to equity';

/** Notes how long it took from the last edit, or from the first question, until its equity was drawn. */
export function useTook(store: ReplayStore, asked: RulesDocument | null, market: MarketNames | null, editedAt: number): void {
  const shown = useStore(store, ({ of }) => of);
  const since = useRef(0);
  useEffect(() => {
    const now = performance.now();
    since.current = now - editedAt < 1_000 ? editedAt : now;
  }, [asked, market, editedAt]);
  useEffect(() => {
    if (shown === null || shown !== asked) return undefined;
    // The charts have been given their curves by now, and draw them in the next frame.
    const frame = requestAnimationFrame(() => {
      store.setState({ tookMs: performance.now() - since.current });
      performance.measure(measureName, { start: since.current });
    });
    return () => cancelAnimationFrame(frame);
    // Once for each result.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [store, shown]);
}
