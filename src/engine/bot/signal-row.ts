import type { Signals } from '../strategy/strategy.ts';
import type { SignalRow } from './event.ts';

/** What is known of a candle about which a strategy gave no answer, with the sentence that says why. */
export function failedRow(failure: string): SignalRow {
  return {
    enterLong: false,
    exitLong: false,
    enterShort: false,
    exitShort: false,
    enterTag: null,
    exitTag: null,
    confidence: null,
    failure,
  };
}

/** What a strategy says about candle `at`, as a bot receives it. Fails: RangeError when there is no such candle */
export function signalRowAt(signals: Signals, at: number): SignalRow {
  if (!(at >= 0 && at < signals.enterLong.length)) {
    throw new RangeError(`There is no candle ${at} among the signals of ${signals.enterLong.length} candles.`);
  }
  const { enterTag, exitTag, tags, confidence } = signals;
  return {
    enterLong: signals.enterLong[at] === 1,
    exitLong: signals.exitLong[at] === 1,
    enterShort: signals.enterShort[at] === 1,
    exitShort: signals.exitShort[at] === 1,
    enterTag: enterTag === null || enterTag[at] === 0 ? null : tags[enterTag[at] - 1],
    exitTag: exitTag === null || exitTag[at] === 0 ? null : tags[exitTag[at] - 1],
    confidence: confidence === null || Number.isNaN(confidence[at]) ? null : confidence[at],
  };
}
