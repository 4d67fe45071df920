import type { MarketType } from '#engine/market/instrument.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import type { SignalList } from '#engine/rules/walk.ts';
import type { CurvePoint } from '../../../chart/equity-chart.tsx';
import type { ReplayRange } from './replay-rules.ts';
import type { ReplayFigures, ReplaySummary } from './replay-summary.ts';

// What page and worker say to each other. Plain data.

/** The market of a replay, by the names under which its histories were given. */
export interface MarketNames {
  exchangeId: string;
  marketType: MarketType;
  history: string;
  others: Readonly<Record<string, string>>; // names of histories by symbol
}

/** A draft to replay beside the version that is saved. A newer one ends the work on it. */
export interface DraftJob {
  kind: 'draft';
  id: number;
  market: MarketNames;
  draft: RulesDocument;
  saved: RulesDocument | null; // null: nothing is saved yet, or what is saved cannot be replayed
}

/** Documents to replay one after the other. */
export interface FiguresJob {
  kind: 'figures';
  id: number;
  market: MarketNames;
  documents: readonly RulesDocument[];
  days: number | null; // the last so many of the history; null: all of it
}

/** What the operands of the draft's conditions are in a candle. */
export interface ValuesJob {
  kind: 'values';
  id: number;
  row: number; // of the range
}

/** What the page asks of the worker. */
export type ToWorker = { kind: 'history'; name: string; packed: ArrayBuffer } | DraftJob | FiguresJob | ValuesJob;

/** A rule of the draft, and where it held. */
export interface HeldFlags {
  path: string;
  held: Uint8Array | null; // null: it is switched off
  count: number;
  alone: number | null;
}

/** What each part of the draft held in, candle by candle of the range. */
export interface HeldDraft {
  rows: number;
  firstTime: number; // opening time of the first row
  stepMs: number; // from row to row
  rules: HeldFlags[];
  signals: Record<SignalList, Uint8Array>;
  lines: { name: string; values: Float64Array }[]; // that the rules look at, for the chart
}

/** What the draft would come to with one condition switched over. */
export interface Effect {
  path: string;
  figures: ReplayFigures | null; // null: nothing would enter
}

/** What the worker answers. `id` is that of the job. */
export type FromWorker =
  | { kind: 'drafted'; id: number; draft: ReplaySummary; hold: CurvePoint[]; tookMs: number }
  | { kind: 'saved'; id: number; saved: ReplaySummary | null }
  | { kind: 'held'; id: number; held: HeldDraft }
  | { kind: 'effect'; id: number; effect: Effect; isLast: boolean }
  | { kind: 'figures'; id: number; place: number; summary: ReplaySummary | null; isLast: boolean }
  | { kind: 'values'; id: number; row: number; values: Readonly<Record<string, number>> } // by the way to the operand
  | { kind: 'failed'; id: number; fault: string };

/** A range of the last days of a history. */
export function lastDays(to: number, days: number): ReplayRange {
  return { from: to - days * 86_400_000, to };
}
