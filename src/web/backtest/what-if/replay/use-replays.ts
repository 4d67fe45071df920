import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { WhatIfReport } from '#engine/lab/what-if/what-if-report.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { byServer, inBrowser } from './answerers.ts';
import type { Answer, WhatIfSetup } from './messages.ts';
import { ReplayDesk } from './replay-desk.ts';
import { startWorker } from './start-worker.ts';
import type { Candles } from './use-candles.ts';

/** What is known of the replays of a setup. What earlier changes came to stays until later ones are replayed. */
export interface Replays {
  real: WhatIfReport | null;
  serverFingerprint: string | null; // of the real settings, as the server has calculated them; null while that is not known
  serverFault: string | null; // why the server has not calculated them
  report: WhatIfReport | null; // of the changes `changes`
  changes: WhatIfChanges | null; // that `report` is of; null: none were replayed yet
  refused: readonly string[]; // why the newest changes have no report
  fault: string | null; // why nothing can be replayed
  waiting: string | null; // for what the server downloads
  tookMs: number | null; // of the newest replay
}

/** The same, followed. */
export interface FollowedReplays extends Replays {
  retry: () => void;
  forget: () => void; // what is real is shown again: what changes came to is known no more
}

const nothing: Replays = {
  real: null,
  serverFingerprint: null,
  serverFault: null,
  report: null,
  changes: null,
  refused: [],
  fault: null,
  waiting: null,
  tookMs: null,
};

/**
 * Replays a setup with changes, again whenever they change; in this browser, or by the server where that is how it is calculated.
 *
 * Needs: the same setup as long as the component lives
 */
export function useReplays(setup: WhatIfSetup | null, candles: Candles, changes: WhatIfChanges): FollowedReplays {
  const [state, setState] = useState<Replays>(nothing);
  const desk = useRef<ReplayDesk | null>(null);
  const newest = useRef(changes);
  const [tries, setTries] = useState(0);
  const { all } = candles;
  const given = setup?.source === null ? null : all; // the server has candles of its own
  useEffect(() => {
    if (setup === null || setup.why_not !== null) return undefined;
    if (setup.source !== null && given === null) return undefined;
    const start = given === null ? byServer(subjectOf(setup)) : inBrowser(setup, given.names, given.packed, startWorker);
    const next = new ReplayDesk(start, (of, answer) => setState((before) => after(before, of, answer)));
    desk.current = next;
    if (Object.keys(newest.current).length > 0) next.replay(newest.current);
    return () => {
      next.close();
      desk.current = null;
    };
    // Another try begins again.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [setup, given, tries]);

  useEffect(() => {
    newest.current = changes;
    if (Object.keys(changes).length > 0) desk.current?.replay(changes);
  }, [changes]);

  // What the server has calculated with the real settings: kept of a run, asked for once of a bot.
  useEffect(() => {
    const isAsked = setup !== null && setup.why_not === null && setup.source !== null && setup.fingerprint === null && all !== null;
    if (!isAsked) return undefined;
    const asker = byServer(subjectOf(setup))((answer) => {
      if (answer.kind === 'waiting') return;
      setState((before) => ({
        ...before,
        serverFingerprint: answer.kind === 'replayed' ? answer.report.fingerprint : null,
        serverFault: answer.kind === 'failed' ? answer.fault : answer.kind === 'refused' ? answer.reasons.join(' ') : null,
      }));
    });
    asker.ask(0, null);
    return () => asker.close();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- as above
  }, [setup, all, tries]);

  return {
    ...state,
    serverFingerprint: setup?.fingerprint?.value ?? state.serverFingerprint,
    forget: useCallback(() => {
      desk.current?.forget();
      setState((before) => ({ ...before, report: null, changes: null, refused: [] }));
    }, []),
    retry: useCallback(() => {
      setState(nothing);
      setTries((count) => count + 1);
    }, []),
  };
}

function subjectOf({ run, bot, to, from }: WhatIfSetup): Parameters<typeof byServer>[0] {
  if (run !== null) return { run };
  return { bot: bot?.id, days: Math.round((to - from) / 86_400_000) as 30 | 90 | 365, to };
}

function after(before: Replays, changes: WhatIfChanges | null, answer: Answer): Replays {
  switch (answer.kind) {
    case 'waiting':
      return { ...before, waiting: answer.text };
    case 'failed':
      return { ...before, waiting: null, fault: answer.fault };
    case 'refused':
      return changes === null
        ? { ...before, waiting: null, fault: answer.reasons.join(' ') }
        : { ...before, waiting: null, refused: answer.reasons };
    case 'replayed':
      return {
        ...before,
        waiting: null,
        refused: [],
        fault: null,
        tookMs: answer.tookMs,
        ...(changes === null ? { real: answer.report } : { report: answer.report, changes }),
      };
  }
}
