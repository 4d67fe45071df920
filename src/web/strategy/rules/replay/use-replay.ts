import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useRef, useState } from 'react';
import type { MarketNames } from './messages.ts';
import { useReplayDesk } from './replay-desk.ts';
import type { ReplayStore } from './replay-store.ts';
import { forgetReplay, newReplayStore, noteReplay } from './replay-store.ts';

/** Replays a draft beside the saved version, again with each edit. Null waits: candles are missing, or the draft has faults. */
export function useReplay(draft: RulesDocument | null, saved: RulesDocument | null, market: MarketNames | null): ReplayStore {
  const desk = useReplayDesk();
  const [store] = useState(newReplayStore);
  const known = useRef<MarketNames | null>(null);
  useEffect(() => {
    if (market === null) return;
    // What is known of another market says nothing of this one.
    if (known.current !== null && known.current !== market) forgetReplay(store);
    known.current = market;
    if (draft !== null) desk.draft({ market, draft, saved }, (message) => noteReplay(store, message, draft));
  }, [desk, store, draft, saved, market]);
  return store;
}
