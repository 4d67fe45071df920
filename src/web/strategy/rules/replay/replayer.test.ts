import type { MarketHistory } from '#contract/packed-history.ts';
import { packHistory } from '#contract/packed-history.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { dayMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rsiReversal } from '#engine/rules/templates/rsi-reversal.ts';
import { beforeEach, expect, test } from 'vitest';
import type { DraftJob, FromWorker, MarketNames } from './messages.ts';
import { Replayer } from './replayer.ts';
import { replayRules } from './replay-rules.ts';

const stepMs = 300_000;
const candles = randomWalk({ length: 9_000, seed: 3, stepMs });
const [from, to] = [candles.openTime[5_000], candles.openTime[8_999] + stepMs];
const history: MarketHistory = { instrument: anInstrument(), from, to, candles, funding: null };
const market: MarketNames = { exchangeId: 'binance', marketType: 'spot', history: 'a', others: {} };
const draftJob = (id: number, draft: RulesDocument, saved: RulesDocument | null = null): DraftJob => ({
  kind: 'draft',
  id,
  market,
  draft,
  saved,
});

let posted: FromWorker[] = [];
let goOn: (() => void)[] = [];
let replayer: Replayer;
/** Lets so many pieces of work be done. */
const turn = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) {
    goOn.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
};
const kinds = () => posted.map(({ kind, id }) => `${kind} ${id}`);
const ofKind = <Kind extends FromWorker['kind']>(kind: Kind) =>
  posted.filter((message): message is Extract<FromWorker, { kind: Kind }> => message.kind === kind);

beforeEach(() => {
  posted = [];
  goOn = [];
  replayer = new Replayer({
    post: (message) => posted.push(message),
    nextTurn: () => new Promise((resolve) => goOn.push(resolve)),
    now: () => 0,
  });
  replayer.take({ kind: 'history', name: 'a', packed: packHistory(history).buffer });
});

test('a draft is replayed first, then the saved version, then where its conditions held, then what each of them does', async () => {
  replayer.take(draftJob(1, emaCross, rsiReversal));
  expect(kinds()).toEqual(['drafted 1']);
  await turn(2);
  expect(kinds()).toEqual(['drafted 1', 'saved 1', 'held 1']);
  await turn(20);
  expect(kinds().slice(3)).toEqual(Array.from({ length: 6 }, () => 'effect 1')); // two conditions and an exit, long and short
  const [drafted] = ofKind('drafted');
  const result = replayRules(emaCross, { exchangeId: 'binance', marketType: 'spot', history, others: {} });
  expect(drafted?.draft.figures).toMatchObject({
    trades: result.trades.length,
    netPnl: result.trades.reduce((sum, { profit }) => sum + (profit ?? 0), 0),
  });
  expect(drafted?.draft.equity.at(-1)?.value).toBeCloseTo(drafted?.draft.figures.netPnl ?? NaN, 9);
  expect(ofKind('effect').map(({ isLast }) => isLast)).toEqual([false, false, false, false, false, true]);
});

test('a newer draft ends what is left of the one before', async () => {
  replayer.take(draftJob(1, emaCross));
  await turn(3);
  const begun = kinds();
  replayer.take(draftJob(2, rsiReversal));
  replayer.take(draftJob(3, emaCross));
  await turn(20);
  expect(
    kinds()
      .slice(begun.length)
      .filter((kind) => !kind.endsWith(' 3')),
  ).toEqual([]);
  expect(kinds()).toContain('drafted 3');
});

test('figures wait for a draft and are continued after it', async () => {
  replayer.take({ kind: 'figures', id: 7, market, documents: [emaCross, rsiReversal, emaCross], days: null });
  expect(kinds()).toEqual(['figures 7']);
  replayer.take(draftJob(8, rsiReversal));
  await turn(30);
  expect(kinds().filter((kind) => kind.startsWith('figures'))).toEqual(['figures 7', 'figures 7', 'figures 7']);
  expect(kinds()[1]).toBe('drafted 8');
  expect(ofKind('figures').map(({ place, isLast }) => [place, isLast])).toEqual([
    [3, false],
    [2, false],
    [1, true],
  ]);
  expect(ofKind('figures')[0]?.summary?.figures).toEqual(ofKind('figures')[2]?.summary?.figures);
});

test('figures of the last days are those of a history that begins then', async () => {
  replayer.take({ kind: 'figures', id: 1, market, documents: [emaCross], days: 5 });
  await turn(2);
  const [found] = ofKind('figures');
  expect(found?.summary?.startTime).toBe(to - 5 * dayMs);
});

test('a document with a fault says which, and the next one is replayed', async () => {
  replayer.take(draftJob(1, { ...emaCross, enterLong: [], enterShort: [] }));
  expect(posted).toEqual([
    { kind: 'failed', id: 1, fault: 'enterLong: Nothing enters: there must be a condition for long or short that is switched on.' },
  ]);
  await turn(2);
  replayer.take(draftJob(2, emaCross));
  await turn(1);
  expect(kinds()).toContain('drafted 2');
});

test('the values at a candle are those of the conditions of the newest draft', async () => {
  replayer.take({ kind: 'values', id: 1, row: 4 }); // nothing is replayed yet
  replayer.take(draftJob(2, rsiReversal));
  await turn(3);
  replayer.take({ kind: 'values', id: 3, row: 10 });
  replayer.take({ kind: 'values', id: 4, row: 100_000 });
  const [values, ...others] = ofKind('values');
  expect(others).toEqual([]);
  expect(Object.keys(values?.values ?? {})).toContain('enterLong.0.when.rules.0.left');
  expect(Object.values(values?.values ?? {}).every(Number.isFinite)).toBe(true);
});
