import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useRef, useState } from 'react';

/** The name of the measurement that is left with the browser for each edit, e.g. for a benchmark. */
const measureName = 'rules: edit to equity';

/** How long it took from the last edit, or from the first question, until its equity was drawn, in ms. `shown` is the draft whose result is shown. */
export function useTook(shown: RulesDocument | null, asked: RulesDocument | null, editedAt: number): number | null {
  const [took, setTook] = useState<number | null>(null);
  const since = useRef(0);
  useEffect(() => {
    const now = performance.now();
    since.current = now - editedAt < 1_000 ? editedAt : now;
  }, [asked, editedAt]);
  useEffect(() => {
    if (shown === null || shown !== asked) return undefined;
    // The charts have been given their curves by now, and draw them in the next frame.
    const frame = requestAnimationFrame(() => {
      setTook(performance.now() - since.current);
      performance.measure(measureName, { start: since.current });
    });
    return () => cancelAnimationFrame(frame);
    // Once for each result.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shown]);
  return took;
}
