import type { SizeFacts } from '../risk/gate.ts';
import type { BacktestGate, EntryCounts, EntryLog, RefusedEntries, RefusedSignal } from './entry-log.ts';
import type { RunPair } from './run.ts';

/** Notes the fate of a signal candle of a pair; of several tries an entry counts, else the first gate that was more than an open trade. */
export function noteFate(pair: RunPair, gate: BacktestGate | 'entered', facts: SizeFacts | null = null): void {
  const isSettled = pair.fate !== null && pair.fate !== 'has-open-trade';
  if (isSettled && gate !== 'entered') return;
  pair.fate = gate;
  pair.facts = facts;
}

/** Counts the fate of a pair with a signal on this step, and clears it. */
export function countFate(log: EntryLog, pair: RunPair, signalAt: number, time: number, openCount: number): void {
  const { fate, facts } = pair;
  pair.fate = null;
  pair.facts = null;
  log.signals += 1;
  if (fate === 'entered') {
    log.entered += 1;
    log.stopped = null;
    return;
  }
  // Nothing was tried: the signals contradict each other, or there was no detail candle to trade on.
  const gate = fate ?? (isClear(pair.signals, signalAt) ? 'no-price' : 'conflicting-signals');
  const { symbol } = pair.instrument;
  refuseOne(log, gate, { time, symbol, facts });
  // Without an open trade the balance stays what it is.
  if (facts !== null && openCount === 0 && moneyGates.has(gate)) log.stopped ??= { time, gate, symbol, facts };
}

/** Whether the signals of a candle name one direction, where each is possible that they name. */
function isClear({ enterLong, exitLong, enterShort, exitShort }: RunPair['signals'], at: number): boolean {
  return enterLong[at] === 1 ? enterShort[at] !== 1 && exitLong[at] !== 1 : exitShort[at] !== 1;
}

const moneyGates: ReadonlySet<string> = new Set<BacktestGate>(['insufficient-balance', 'stake-too-small', 'amount-too-small']);

/** Signals of a pair that no step evaluates: they are the same whatever the settings are, as long as shorts are as possible as before. */
export interface UnseenSignals {
  symbol: string;
  afterEnd: number | null; // ms; when the signal of the last candle could have been traded
  shorts: number[]; // ms; the short ones where only long trades are possible
}

/** The signals that no step evaluates: of the last candle, and short ones where only long trades are possible. */
export function unseenSignals(pair: RunPair, canShort: boolean, timeframeMs: number): UnseenSignals {
  const { enterLong, enterShort } = pair.signals;
  const { lastRow, firstRow, candles } = pair;
  const { symbol } = pair.instrument;
  const isLast = enterLong[lastRow] === 1 || (canShort && enterShort[lastRow] === 1);
  const shorts: number[] = [];
  if (!canShort)
    for (let at = enterShort.indexOf(1, firstRow - 1); at !== -1 && at <= lastRow; at = enterShort.indexOf(1, at + 1))
      if (enterLong[at] !== 1) shorts.push(candles.openTime[at] + timeframeMs);
  return { symbol, afterEnd: isLast ? candles.openTime[lastRow] + timeframeMs : null, shorts };
}

/** The counts of a run that has ended. */
export function entryCounts(log: EntryLog, unseen: readonly UnseenSignals[], unfilled: number): EntryCounts {
  const all: EntryLog = { ...log, refused: new Map([...log.refused].map(([gate, one]) => [gate, { ...one }])), listed: [...log.listed] };
  for (const pair of unseen) countUnseen(all, pair);
  return {
    signals: all.signals,
    entered: all.entered,
    unfilled,
    refused: [...all.refused.values()].sort((a, b) => b.count - a.count),
    listed: all.listed.sort((a, b) => a.time - b.time),
    stopped: all.entered === 0 ? null : all.stopped,
  };
}

function countUnseen(log: EntryLog, { symbol, afterEnd, shorts }: UnseenSignals): void {
  if (afterEnd !== null) {
    log.signals += 1;
    refuseOne(log, 'end-of-run', { time: afterEnd, symbol, facts: null });
  }
  const [first] = shorts;
  if (first === undefined) return;
  for (const time of shorts) list(log, { time, symbol, gate: 'short-not-allowed' });
  log.signals += shorts.length;
  refuse(log, 'short-not-allowed', { time: first, symbol, facts: null }, shorts.length);
}

function refuseOne(log: EntryLog, gate: BacktestGate, first: RefusedEntries['first']): void {
  list(log, { time: first.time, symbol: first.symbol, gate });
  refuse(log, gate, first, 1);
}

function list(log: EntryLog, signal: RefusedSignal): void {
  if (log.listed.length < log.mostListed) log.listed.push(signal);
}

function refuse(log: EntryLog, gate: BacktestGate, first: RefusedEntries['first'], count: number): void {
  const known = log.refused.get(gate);
  if (known === undefined) log.refused.set(gate, { gate, count, first });
  else known.count += count;
}
