import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useState } from 'react';
import type { CurvePoint } from '../../../chart/equity-chart.tsx';
import type { FromWorker, HeldDraft, MarketNames } from './messages.ts';
import { useReplayDesk } from './replay-desk.ts';
import type { ReplayFigures, ReplaySummary } from './replay-summary.ts';

/** What is known of the replay of a draft. What an older draft came to stays until the newer one is replayed. */
export interface Replay {
  of: RulesDocument | null; // the draft that `draft` is of
  draft: ReplaySummary | null;
  hold: readonly CurvePoint[]; // the stake held in the market
  saved: ReplaySummary | null; // the saved version on the same candles
  held: HeldDraft | null;
  heldOf: RulesDocument | null; // the draft that `held` is of
  effects: ReadonlyMap<string, ReplayFigures | null>; // by the way to the condition that is switched over
  effectsOf: RulesDocument | null;
  fault: string | null; // why the newest draft has no replay
}

const nothing: Replay = {
  of: null,
  draft: null,
  hold: [],
  saved: null,
  held: null,
  heldOf: null,
  effects: new Map(),
  effectsOf: null,
  fault: null,
};

/** Replays a draft beside the saved version, again with each edit. Null waits: candles are missing, or the draft has faults. */
export function useReplay(draft: RulesDocument | null, saved: RulesDocument | null, market: MarketNames | null): Replay {
  const desk = useReplayDesk();
  const [replay, setReplay] = useState<{ market: MarketNames | null; known: Replay }>({ market: null, known: nothing });
  useEffect(() => {
    if (draft === null || market === null) return;
    desk.draft({ market, draft, saved }, (message) =>
      setReplay((before) => ({ market, known: after(before.market === market ? before.known : nothing, message, draft) })),
    );
  }, [desk, draft, saved, market]);
  // Of another market nothing is known yet.
  return replay.market === market ? replay.known : nothing;
}

function after(known: Replay, message: FromWorker, of: RulesDocument): Replay {
  switch (message.kind) {
    case 'drafted':
      return { ...known, of, draft: message.draft, hold: message.hold, fault: null };
    case 'saved':
      return { ...known, saved: message.saved };
    case 'held':
      return { ...known, held: message.held, heldOf: of };
    case 'effect': {
      const before = known.effectsOf === of ? known.effects : new Map<string, ReplayFigures | null>();
      return { ...known, effects: new Map(before).set(message.effect.path, message.effect.figures), effectsOf: of };
    }
    case 'failed':
      return { ...known, fault: message.fault };
    default:
      return known;
  }
}
