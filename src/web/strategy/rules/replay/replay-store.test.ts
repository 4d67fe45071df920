import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ReplaySummary, ReplayTrade } from './replay-summary.ts';
import type { ReplayStore } from './replay-store.ts';
import { chooseDifference, chosenPlace, cursorText, newReplayStore, noteReplay, walkDifferences } from './replay-store.ts';

const trade = (openTime: number, profit: number): ReplayTrade => ({
  openTime,
  closeTime: openTime + 10,
  direction: 'long',
  entryPrice: 100,
  exitPrice: 101,
  profit,
  entryTag: 'in',
  exitReason: 'out',
  added: 0,
  takenOut: 0,
});
const summary = (...trades: ReplayTrade[]) => ({ trades, currency: 'USDT' }) as ReplaySummary;

let store: ReplayStore;
const at = () => chosenPlace(store.getState().differences, store.getState().chosen);
beforeEach(() => {
  store = newReplayStore();
});

test('draft and saved version are compared once both are there, in whichever sequence they come', () => {
  noteReplay(store, { kind: 'drafted', id: 1, draft: summary(trade(1, 2), trade(3, 4)), hold: [], tookMs: 1 }, emaCross);
  expect(store.getState().differences).toBeNull();
  noteReplay(store, { kind: 'saved', id: 1, saved: summary(trade(1, 2)) }, emaCross);
  expect(store.getState().differences?.added.count).toBe(1);
  noteReplay(store, { kind: 'drafted', id: 2, draft: summary(trade(1, 2)), hold: [], tookMs: 1 }, emaCross);
  expect(store.getState().differences?.list).toEqual([]);
  noteReplay(store, { kind: 'saved', id: 3, saved: null }, emaCross);
  expect(store.getState().differences).toBeNull();
});

test('the walk goes around the end, and the chosen trade stays chosen wherever an edit moves it', () => {
  const saved = summary();
  noteReplay(store, { kind: 'drafted', id: 1, draft: summary(trade(1, 2), trade(3, 4), trade(5, 6)), hold: [], tookMs: 1 }, emaCross);
  walkDifferences(store, 1); // nothing to walk along yet
  expect(at()).toBeNull();
  noteReplay(store, { kind: 'saved', id: 1, saved }, emaCross);
  walkDifferences(store, -1);
  expect(at()).toBe(2);
  walkDifferences(store, 1);
  expect(at()).toBe(0);
  chooseDifference(store, store.getState().differences!.list[1]);
  noteReplay(store, { kind: 'drafted', id: 2, draft: summary(trade(3, 9), trade(5, 6)), hold: [], tookMs: 1 }, emaCross);
  expect(at()).toBe(0);
  noteReplay(store, { kind: 'drafted', id: 3, draft: summary(trade(5, 6)), hold: [], tookMs: 1 }, emaCross);
  expect(at()).toBeNull();
});

test('what conditions held is a share of the candles', () => {
  const flags = (...set: number[]) => Uint8Array.from(set);
  const rules = [
    { path: 'guard.0', held: flags(1, 1, 0, 1), count: 3, alone: 2 },
    { path: 'guard.1', held: null, count: 0, alone: null },
  ];
  const signals = {
    enterLong: flags(1, 0, 0, 0),
    exitLong: flags(0, 0, 0, 0),
    enterShort: flags(0, 0, 0, 0),
    exitShort: flags(1, 1, 0, 0),
  };
  const held = { rows: 4, firstTime: Date.UTC(2026, 8, 28, 13, 25), stepMs: 300_000, rules, signals, lines: [] };
  noteReplay(store, { kind: 'held', id: 1, held }, emaCross);
  const { shares, listShares } = store.getState();
  expect([...shares]).toEqual([['guard.0', { share: 0.75, alone: 2 }]]);
  expect(listShares).toEqual({ enterLong: 0.25, exitLong: 0, enterShort: 0, exitShort: 0.5 });
  expect([cursorText({ held, cursor: 1 }), cursorText({ held, cursor: 4 }), cursorText({ held: null, cursor: 1 })]).toEqual([
    '09-28 13:30',
    null,
    null,
  ]);
});
