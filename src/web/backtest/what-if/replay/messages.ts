import type { CallReply } from '#contract/client.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { WhatIfReport } from '#engine/lab/what-if/what-if-report.ts';

// What page and worker say to each other. Plain data.

/** What a replay needs besides candles, as the server gives it. */
export type WhatIfSetup = CallReply<'whatIf'>;

/** The histories of a replay, by the names under which they were given. */
export interface HistoryNames {
  pairs: readonly { symbol: string; candles: string; detail: string | null }[]; // in the order of the setup
  others: Readonly<Record<string, string>>;
}

/** What the page asks of the worker. The answer to `begin` is the replay without changes. */
export type ToWorker =
  | { kind: 'history'; name: string; packed: ArrayBuffer }
  | { kind: 'begin'; id: number; setup: WhatIfSetup; names: HistoryNames }
  | { kind: 'replay'; id: number; changes: WhatIfChanges };

/** What is answered, by the worker or by the server. `id` is that of the question. */
export type Answer =
  | { kind: 'replayed'; id: number; report: WhatIfReport; tookMs: number }
  | { kind: 'refused'; id: number; reasons: readonly string[] } // the changes contradict each other
  | { kind: 'waiting'; id: number; text: string } // for what the server downloads
  | { kind: 'failed'; id: number; fault: string };
