import type { ReplayTrade } from './replay-summary.ts';

/** A trade that one of two replays has and the other has not, or has with another result. */
export interface TradeDifference {
  kind: 'added' | 'removed' | 'changed';
  trade: ReplayTrade; // of the draft; one that was removed of the saved version
  before: ReplayTrade | null; // of the saved version; null where it was added
}

/** What differs between the trades of a draft and of the saved version, and what each part of it is worth. */
export interface TradeDifferences {
  list: TradeDifference[]; // by entry
  all: number; // trades of both together, those that are the same counted once
  added: { count: number; profit: number };
  removed: { count: number; profit: number }; // what they had come to
  changed: { count: number; difference: number };
  difference: number; // of the profits: added - removed + changed
}

/** Compares two replays of one market. A trade is the same one when it was entered at the same time in the same direction. */
export function tradeDifferences(saved: readonly ReplayTrade[], draft: readonly ReplayTrade[]): TradeDifferences {
  const before = new Map(saved.map((trade) => [nameOf(trade), trade]));
  const after = new Set(draft.map(nameOf));
  const list: TradeDifference[] = [
    ...draft.flatMap((trade): TradeDifference[] => {
      const was = before.get(nameOf(trade)) ?? null;
      if (was === null) return [{ kind: 'added', trade, before: null }];
      return hasSameEnd(trade, was) ? [] : [{ kind: 'changed', trade, before: was }];
    }),
    ...saved.filter((trade) => !after.has(nameOf(trade))).map((trade): TradeDifference => ({ kind: 'removed', trade, before: trade })),
  ].sort((a, b) => a.trade.openTime - b.trade.openTime);
  const of = (kind: TradeDifference['kind']) => list.filter((each) => each.kind === kind);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const [added, removed, changed] = [of('added'), of('removed'), of('changed')];
  const worth = {
    added: { count: added.length, profit: sum(added.map(({ trade }) => trade.profit)) },
    removed: { count: removed.length, profit: sum(removed.map(({ trade }) => trade.profit)) },
    changed: { count: changed.length, difference: sum(changed.map(({ trade, before: was }) => trade.profit - (was?.profit ?? 0))) },
  };
  const difference = worth.added.profit - worth.removed.profit + worth.changed.difference;
  return { list, all: draft.length + removed.length, ...worth, difference };
}

function nameOf({ openTime, direction }: ReplayTrade): string {
  return `${openTime} ${direction}`;
}

function hasSameEnd(a: ReplayTrade, b: ReplayTrade): boolean {
  return a.closeTime === b.closeTime && a.profit === b.profit && a.exitReason === b.exitReason;
}
