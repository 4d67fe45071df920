import type { RulesDocument } from '#engine/rules/document.ts';
import type { SignalList } from '#engine/rules/walk.ts';
import { signalLists } from '#engine/rules/walk.ts';
import { createContext, useContext } from 'react';
import type { StoreApi } from 'zustand';
import { createStore, useStore } from 'zustand';
import type { CurvePoint } from '../../../chart/equity-chart.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import type { FromWorker, HeldDraft } from './messages.ts';
import type { ReplayFigures, ReplaySummary } from './replay-summary.ts';
import type { TradeDifference, TradeDifferences } from './trade-differences.ts';
import { tradeDifferences } from './trade-differences.ts';

/** How often a condition held, as its line shows it. */
export interface HeldShare {
  share: number; // of the candles
  alone: number | null; // candles in which it alone was missing
}

/** What is known of the replay of a draft. What an older draft came to stays until the newer one is replayed. */
export interface Replay {
  of: RulesDocument | null; // the draft that `draft` is of
  draft: ReplaySummary | null;
  hold: readonly CurvePoint[]; // the stake held in the market
  saved: ReplaySummary | null; // the saved version on the same candles; null while it is the one that is shown
  differences: TradeDifferences | null; // between the two
  held: HeldDraft | null;
  heldOf: RulesDocument | null; // the draft that `held` is of
  shares: ReadonlyMap<string, HeldShare>; // by the way to the condition
  listShares: Readonly<Record<SignalList, number>> | null; // of the candles, in which a list wanted its signal
  effects: ReadonlyMap<string, ReplayFigures | null>; // by the way to the condition that is switched over
  effectsOf: RulesDocument | null;
  fault: string | null; // why the newest draft has no replay
  tookMs: number | null; // from the last edit to its equity
  chosen: string | null; // the trade that is looked at, of those that differ: see `differenceName`
  cursor: number | null; // row of the candle under the cursor
  values: Readonly<Record<string, number>>; // what operands are in that candle, by the way to each
}

const nothing: Replay = {
  of: null,
  draft: null,
  hold: [],
  saved: null,
  differences: null,
  held: null,
  heldOf: null,
  shares: new Map(),
  listShares: null,
  effects: new Map(),
  effectsOf: null,
  fault: null,
  tookMs: null,
  chosen: null,
  cursor: null,
  values: {},
};

/** Holds a replay, so that each part of the page follows what it shows and nothing else. */
export type ReplayStore = StoreApi<Replay>;

/** A store of nothing yet. */
export function newReplayStore(): ReplayStore {
  return createStore<Replay>(() => nothing);
}

/** Forgets everything, as when another market is chosen. */
export function forgetReplay(store: ReplayStore): void {
  store.setState(nothing);
}

/** Notes what the worker says of a draft. */
export function noteReplay(store: ReplayStore, message: FromWorker, of: RulesDocument): void {
  const { saved, draft, effects, effectsOf } = store.getState();
  switch (message.kind) {
    case 'drafted':
      store.setState({ of, draft: message.draft, hold: message.hold, fault: null, differences: differencesOf(saved, message.draft) });
      return;
    case 'saved':
      store.setState({ saved: message.saved, differences: differencesOf(message.saved, draft) });
      return;
    case 'held':
      store.setState({ held: message.held, heldOf: of, ...sharesOf(message.held) });
      return;
    case 'effect': {
      const before = effectsOf === of ? effects : new Map<string, ReplayFigures | null>();
      store.setState({ effects: new Map(before).set(message.effect.path, message.effect.figures), effectsOf: of });
      return;
    }
    case 'failed':
      store.setState({ fault: message.fault });
      return;
    default:
      return;
  }
}

/** Goes to the next or the previous trade that differs, around the end. */
export function walkDifferences(store: ReplayStore, by: -1 | 1): void {
  const { differences, chosen } = store.getState();
  const { list = [] } = differences ?? {};
  if (list.length === 0) return;
  const at = chosenPlace(differences, chosen);
  const next = list[at === null ? (by === 1 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
  if (next !== undefined) chooseDifference(store, next);
}

/** Looks at a trade of those that differ. */
export function chooseDifference(store: ReplayStore, each: TradeDifference): void {
  store.setState({ chosen: differenceName(each) });
}

/** The place of the chosen trade among those that differ; another edit may have moved it, or made it the same. */
export function chosenPlace(differences: TradeDifferences | null, chosen: string | null): number | null {
  const place = differences?.list.findIndex((each) => differenceName(each) === chosen) ?? -1;
  return place === -1 ? null : place;
}

/** What a trade that differs is known by. */
export function differenceName({ kind, trade }: TradeDifference): string {
  return `${kind} ${trade.openTime} ${trade.direction}`;
}

function differencesOf(saved: ReplaySummary | null, draft: ReplaySummary | null): TradeDifferences | null {
  return saved === null || draft === null ? null : tradeDifferences(saved.trades, draft.trades);
}

function sharesOf({ rows, rules, signals }: HeldDraft): Pick<Replay, 'shares' | 'listShares'> {
  if (rows === 0) return { shares: new Map(), listShares: null };
  const shares = new Map<string, HeldShare>();
  for (const { path, held, count, alone } of rules) if (held !== null) shares.set(path, { share: count / rows, alone });
  const listShares = {} as Record<SignalList, number>;
  for (const list of signalLists) listShares[list] = signals[list].reduce((sum, flag) => sum + flag, 0) / rows;
  return { shares, listShares };
}

/** The opening time of the candle under the cursor, e.g. '09-28 13:25'; null where there is none. */
export function cursorText({ held, cursor }: Pick<Replay, 'held' | 'cursor'>): string | null {
  if (held === null || cursor === null || cursor >= held.rows) return null;
  return formatMoment(held.firstTime + cursor * held.stepMs).slice(5, 16);
}

/** The store around a component. */
export const ReplayStoreContext = createContext<ReplayStore | null>(null);

/** The store around a component. Needs: to be below the context */
export function useReplayStore(): ReplayStore {
  const store = useContext(ReplayStoreContext);
  if (store === null) throw new Error('There is no replay above this component');
  return store;
}

/** A part of the replay, followed. */
export function useReplayed<Part>(select: (replay: Replay) => Part): Part {
  return useStore(useReplayStore(), select);
}
