import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { DraftJob, FromWorker, ToWorker } from './messages.ts';
import { ReplayWorker } from './replay-worker.ts';

/** A worker that does nothing by itself: the test says what it answers. */
class HeldWorker extends EventTarget {
  readonly got: ToWorker[] = [];
  isEnded = false;

  postMessage(message: ToWorker): void {
    this.got.push(message);
  }

  terminate(): void {
    this.isEnded = true;
  }

  answer(data: FromWorker): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

const market = { exchangeId: 'sandbox', marketType: 'spot', history: 'a', others: {} } as const;
const draft = (id: number): DraftJob => ({ kind: 'draft', id, market, draft: emaCross, saved: null });
const failed = (id: number): FromWorker => ({ kind: 'failed', id, fault: 'No.' });
const kinds = (worker: HeldWorker | undefined) =>
  worker?.got.map((message) => ('id' in message ? `${message.kind} ${message.id}` : message.kind));

let started: HeldWorker[] = [];
let received: FromWorker[] = [];
let broken = 0;
let worker: ReplayWorker;
let now = 0;

beforeEach(() => {
  started = [];
  received = [];
  broken = 0;
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  worker = new ReplayWorker({ onMessage: (message) => received.push(message), onBroken: () => (broken += 1) }, () => {
    const next = new HeldWorker();
    started.push(next);
    return next as unknown as Worker;
  });
  return () => vi.restoreAllMocks();
});

test('it starts with the first job and has the candles before it; they are given once', () => {
  worker.give('a', new ArrayBuffer(8));
  expect(started).toEqual([]);
  worker.draft(draft(1));
  worker.give('a', new ArrayBuffer(8));
  worker.give('b', new ArrayBuffer(8));
  expect(kinds(started[0])).toEqual(['history', 'draft 1', 'history']);
});

test('a newer draft is handed on while the one before is young, or has been answered', () => {
  worker.draft(draft(1));
  now = 100;
  worker.draft(draft(2));
  started[0]?.answer(failed(2));
  now = 5_000;
  worker.draft(draft(3));
  expect(started).toHaveLength(1);
  expect(received).toEqual([failed(2)]);
});

test('a replay that takes too long is ended by a newer draft, with its candles and what others wait for kept', () => {
  worker.give('a', new ArrayBuffer(8));
  worker.figures({ kind: 'figures', id: 7, market, documents: [emaCross, emaCross, emaCross], days: null });
  started[0]?.answer({ kind: 'figures', id: 7, place: 3, summary: null, isLast: false });
  worker.draft(draft(8));
  now = 1_000;
  worker.draft(draft(9));
  expect(started.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  expect(kinds(started[1])).toEqual(['history', 'figures 7', 'draft 9']);
  expect(started[1]?.got[1]).toMatchObject({ documents: [emaCross, emaCross] });
  started[0]?.answer(failed(8)); // of the one that has ended
  expect(received.map(({ id }) => id)).toEqual([7]);
});

test('one that breaks says so, and the next job starts another', () => {
  worker.draft(draft(1));
  started[0]?.dispatchEvent(new Event('error'));
  expect([broken, started[0]?.isEnded]).toEqual([1, true]);
  worker.draft(draft(2));
  expect(kinds(started[1])).toEqual(['draft 2']);
});
