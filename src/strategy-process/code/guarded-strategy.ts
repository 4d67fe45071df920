import { errorText } from '#engine/ports/error-text.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { copyColumns, sliceColumns } from '#engine/market/candle.ts';
import { minuteText } from '#engine/market/minute-text.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { firstNonFlag } from '#engine/strategy/first-non-flag.ts';
import { knownBy, type OtherPairs } from '#engine/strategy/series.ts';
import type { ParameterValues, Signals, Strategy, TagColumn } from '#engine/strategy/strategy.ts';
import { findStrategy } from '#strategies/built-in.ts';
import { StrategyError } from '../strategy-error.ts';
import type { CallbackName } from '#engine/strategy/callbacks.ts';
import { callbackResults } from './strategy-shape.ts';
import { keptText } from './kept-text.ts';

/** How long a tag or a reason may be, in characters. */
const longestTag = 255;

/** The flags a strategy sets. */
const flagNames = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

/**
 * The signals of a strategy on the candles of a pair, looked at before anybody trusts them. Who computes on the same candles again and again
 * keeps `copies` of them, which are then made once.
 *
 * Fails: StrategyError in one sentence that names the pair and the candle, when the strategy throws, changes the candles,
 * returns columns that are too short, or flags other than 0 and 1
 */
export function computeSignals(
  strategy: Strategy,
  parameters: ParameterValues,
  candles: CandleColumns,
  symbol: string,
  others: OtherPairs = {},
  copies: WeakMap<CandleColumns, CandleColumns> = new WeakMap(),
): Signals {
  let found: Partial<Signals> | null;
  // A test says of the built-in ones that they leave the candles as they are; the copy of a year of minutes is not free.
  const isBuiltIn = findStrategy(strategy.name)?.compute === strategy.compute;
  const shown: [string, CandleColumns][] = isBuiltIn ? [] : [[symbol, candles], ...Object.entries(others)];
  const before = shown.map(([, each]) => copies.get(each) ?? copyColumns(each));
  shown.forEach(([, each], i) => copies.set(each, before[i]!));
  try {
    found = strategy.compute(candles, parameters, others);
  } catch (error) {
    const at = firstFailure(strategy, parameters, candles, others);
    throw new StrategyError(
      `${strategy.name} fails on ${symbol}, first at the candle of ${timeAt(candles, at)} (number ${at}): ${errorText(error)}${frameOf(error)}.`,
    );
  }
  for (const [i, [of, after]] of shown.entries()) refuseChanges(strategy, before[i]!, after, of);
  if (typeof found !== 'object' || found === null) throw new StrategyError(`${strategy.name} returns no signals on ${symbol}.`);
  const signals = {
    ...found,
    tags: keptText(found.tags ?? []),
    enterTag: found.enterTag ?? null,
    exitTag: found.exitTag ?? null,
  } as Signals;
  const complete: Signals = { ...signals, confidence: found.confidence ?? null, indicators: found.indicators ?? {} };
  for (const name of flagNames) checkFlags(complete[name], name, strategy, candles, symbol);
  const long = complete.tags.find((tag) => tag.length > longestTag);
  if (long !== undefined)
    throw new StrategyError(`${strategy.name} has a tag of ${long.length} characters; the longest may have ${longestTag}.`);
  for (const name of ['enterTag', 'exitTag'] as const) checkTags(complete[name], name, complete.tags.length, strategy, candles, symbol);
  if (complete.confidence !== null) checkLength(complete.confidence, 'confidence', strategy, candles, symbol);
  for (const [name, column] of Object.entries(complete.indicators)) checkLength(column, `indicators.${name}`, strategy, candles, symbol);
  return complete;
}

/** A strategy whose callbacks say which pair, candle and result was at fault when one of them fails or gives nonsense. */
export function guardCallbacks(strategy: Strategy): StrategyCallbacks {
  const callbacks = strategy.callbacks ?? {};
  const guarded: Record<string, unknown> = { stopAfterFill: callbacks.stopAfterFill ?? false };
  for (const [name, wanted] of Object.entries(callbackResults)) {
    const callback = callbacks[name as keyof typeof callbackResults] as ((question: unknown) => unknown) | undefined;
    if (callback === undefined) continue;
    guarded[name] = (question: unknown): unknown => {
      let answer: unknown;
      try {
        answer = callback.call(callbacks, question) ?? null;
      } catch (error) {
        throw new StrategyError(`${strategy.name}: the callback ${name} fails ${whereOf(question)}: ${errorText(error)}${frameOf(error)}.`);
      }
      if (isAnswerTo(name as CallbackName, answer)) return keptAnswer(answer);
      throw new StrategyError(
        `${strategy.name}: the callback ${name} returns ${textOf(answer)} ${whereOf(question)}, and must return a ${wanted}.`,
      );
    };
  }
  return guarded;
}

/** A sort in place is soon written, and the run would go over candles that never were. */
function refuseChanges(strategy: Strategy, before: CandleColumns, after: CandleColumns, symbol: string): void {
  for (const name of Object.keys(before) as (keyof CandleColumns)[]) {
    const [kept, shown] = [before[name], after[name]];
    if (bytesOf(kept).equals(bytesOf(shown))) continue; // one comparison of memory; what differs is then searched
    for (let i = 0; i < kept.length; i++) {
      if (Object.is(shown[i], kept[i])) continue;
      throw new StrategyError(
        `${strategy.name} changes the candles of ${symbol} that it was given: ${name} of the candle of ${timeAt(before, i)} (number ${i}) was ${kept[i]} and is ${shown[i]}; work on a copy.`,
      );
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Whether a value is what this callback may give back. */
export function isAnswerTo(callback: CallbackName, answer: unknown): boolean {
  switch (callbackResults[callback]) {
    case 'nothing':
      return true;
    case 'boolean':
      return typeof answer === 'boolean';
    case 'number':
      return typeof answer === 'number' && Number.isFinite(answer);
    case 'number or null':
      return isNumberOrNull(answer);
    case 'number, { stake, tag } or null':
      return isNumberOrNull(answer) || isPositionChange(answer);
    case 'text or null':
      return answer === null || isTag(answer);
  }
}

function isNumberOrNull(answer: unknown): boolean {
  return answer === null || (typeof answer === 'number' && !Number.isNaN(answer));
}

function isPositionChange(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false;
  const { stake, tag = null } = answer as { stake?: unknown; tag?: unknown };
  return isNumberOrNull(stake) && (tag === null || isTag(tag));
}

function isTag(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestTag;
}

/** An answer with its text as a database can keep it; what else a strategy gives with it is nobody's. */
function keptAnswer(answer: unknown): unknown {
  if (typeof answer === 'string') return keptText(answer);
  if (!isPositionChange(answer)) return answer;
  const { stake, tag } = answer as { stake: number | null; tag?: string | null };
  return { stake, tag: keptText(tag ?? null) };
}

function textOf(answer: unknown): string {
  return typeof answer === 'number' ? String(answer) : (JSON.stringify(answer) ?? 'undefined').slice(0, 200);
}

function whereOf(question: unknown): string {
  if (typeof question === 'number') return `at ${minuteText(question)}`;
  const { symbol, trade, time } = question as { symbol?: string; trade?: Trade | null; time: number };
  return `on ${symbol ?? trade?.symbol ?? 'a pair'} at the candle of ${minuteText(time)}`;
}

function checkLength(
  column: ArrayLike<unknown> | undefined,
  name: string,
  strategy: Strategy,
  candles: CandleColumns,
  symbol: string,
): void {
  const count = candles.openTime.length;
  if (column?.length === count) return;
  if (column === undefined) throw new StrategyError(`${strategy.name} returns no column ${name} on ${symbol}.`);
  const missing = column.length < count ? `; the first candle without one is that of ${timeAt(candles, column.length)}` : '';
  throw new StrategyError(`${strategy.name} returns ${column.length} rows of ${name} for the ${count} candles of ${symbol}${missing}.`);
}

function checkFlags(
  column: Signals['enterLong'] | undefined,
  name: string,
  strategy: Strategy,
  candles: CandleColumns,
  symbol: string,
): void {
  checkLength(column, name, strategy, candles, symbol);
  const wrong = firstNonFlag(column!);
  if (wrong === -1) return;
  throw new StrategyError(
    `${strategy.name} returns ${String(column![wrong])} for ${name} on ${symbol} at the candle of ${timeAt(candles, wrong)} (number ${wrong}), and must return 0 or 1.`,
  );
}

function checkTags(column: TagColumn | null, name: string, tags: number, strategy: Strategy, candles: CandleColumns, symbol: string): void {
  if (column === null) return;
  checkLength(column, name, strategy, candles, symbol);
  for (let i = 0; i < column.length; i++) {
    if (!(column[i]! >= 0 && column[i]! <= tags))
      throw new StrategyError(
        `${strategy.name} returns tag ${column[i]} as ${name} on ${symbol} at the candle of ${timeAt(candles, i)}, and has ${tags} tags.`,
      );
  }
}

/** The first candle with which the strategy fails, by halving: fewer candles work, as many or more do not. */
function firstFailure(strategy: Strategy, parameters: ParameterValues, candles: CandleColumns, others: OtherPairs): number {
  let [works, fails] = [0, candles.openTime.length];
  while (fails - works > 1) {
    const middle = (works + fails) >> 1;
    try {
      strategy.compute(sliceColumns(candles, 0, middle), parameters, knownBy(candles.openTime[middle - 1]!, others));
      works = middle;
    } catch {
      fails = middle;
    }
  }
  return fails - 1;
}

function timeAt(candles: CandleColumns, i: number): string {
  return i < candles.openTime.length ? minuteText(candles.openTime[i]!) : 'none';
}

/** The line of the strategy that an error came from. */
function frameOf(error: unknown): string {
  const frame = error instanceof Error ? (error.stack ?? '').split('\n').find((line) => /\.[cm]?[jt]s:\d+:\d+/u.test(line)) : undefined;
  const [, file, line] = /([^/\\]+\.[cm]?[jt]s):(\d+):\d+/u.exec(frame ?? '') ?? [];
  return file === undefined ? '' : ` (${file}, line ${line})`;
}
