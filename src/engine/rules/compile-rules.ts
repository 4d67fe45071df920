import type { CandleColumns } from '../market/candle.ts';
import type { Timeframe } from '../market/timeframe.ts';
import type { OtherPairs } from '../strategy/series.ts';
import type { Signals, Strategy, StrategyParameter } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import type { RulesDocument, SignalRule } from './document.ts';
import { faultsOf } from './faults.ts';
import { allOf } from './flags.ts';
import { mark } from './mark.ts';
import { isOn } from './piece-kinds.ts';
import { followPlan } from './position-plan.ts';
import { type Resolved, resolved } from './resolved.ts';
import { RuleColumns } from './rule-columns.ts';
import { nearnessOf, shownLines } from './shown-lines.ts';
import { startupCandlesOf } from './startup.ts';
import { otherPairsOf } from './walk.ts';

/**
 * The strategy that a document describes.
 *
 * `name` is its name for programs, else made of its title; `timeframe` is that of the candles it will be given, else the document's.
 * A document has no opinion how sure an entry is: there is no confidence.
 *
 * Fails: RangeError with the first fault of the document (`faultsOf`)
 */
export function compileRules(document: RulesDocument, options: { name?: string; timeframe?: Timeframe } = {}): Strategy {
  const { timeframe = document.defaults.timeframe, name = nameOf(document.title) } = options;
  const [fault] = faultsOf(document, { timeframe });
  if (fault !== undefined) throw new RangeError(`${fault.path === '' ? '' : `${fault.path}: `}${fault.sentence}`);
  const { title, description, losesWhen, kind, defaults, positionPlan } = document;
  const otherPairs = otherPairsOf(document);
  return {
    name,
    title,
    description,
    losesWhen,
    kind,
    canShort: document.enterShort.some(isActive),
    startupCandles: startupCandlesOf(document, timeframe),
    defaults,
    parameters: parametersOf(document),
    ...(otherPairs.length === 0 ? {} : { series: otherPairs.map((symbol) => ({ symbol })) }),
    compute: (candles, parameters, others = {}) => computeRules(resolved(document, parameters), candles, others),
    nearness: (row, parameters) => nearnessOf(resolved(document, parameters), row),
    ...(positionPlan === null ? {} : { callbacks: { adjustPosition: followPlan(positionPlan) } }),
  };
}

/** The parameters of a document as a strategy declares them. */
function parametersOf({ parameters }: RulesDocument): Readonly<Record<string, StrategyParameter>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { unit, meaning, ...range }]) => [
      name,
      { ...range, ...(unit === '' ? {} : { unit }), meaning },
    ]),
  );
}

/** A name for programs, as a strategy of a file may have it, e.g. 'DipsInARise' of 'Dips in a rise'. */
export function nameOf(title: string): string {
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, ''); // an ä is an a
  const words = plain.match(/[A-Za-z0-9]+/gu) ?? [];
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return (/^[A-Za-z]/u.test(name) ? name : `Rules${name}`).slice(0, 60);
}

function computeRules(document: Resolved<RulesDocument>, candles: CandleColumns, others: OtherPairs): Signals {
  const columns = new RuleColumns(candles, others);
  const { length } = candles.openTime;
  const enterTag = new Uint8Array(length);
  const exitTag = new Uint8Array(length);
  const tags: string[] = [];
  const guard = document.guard.flatMap((rule) => columns.rule(rule) ?? []);

  /** Where any of the signals holds. Where both sides have one, the tag of the short side stands for both. */
  const write = (flags: Uint8Array, tagged: Uint8Array, signals: readonly Resolved<SignalRule>[], needed: readonly Uint8Array[]): void => {
    // From the last to the first, so that the first one that holds is written last.
    for (const { when, tag } of signals.filter(isActive).toReversed()) {
      const holds = columns.rule(when);
      if (holds === null) continue;
      const held = needed.length === 0 ? holds : allOf(holds, ...needed);
      mark(flags, tagged, held, numberOf(tag, tags));
    }
  };

  const signals = noSignals(length);
  write(signals.enterLong, enterTag, document.enterLong, guard);
  write(signals.exitLong, exitTag, document.exitLong, []);
  write(signals.enterShort, enterTag, document.enterShort, guard);
  write(signals.exitShort, exitTag, document.exitShort, []);
  return { ...signals, tags, enterTag, exitTag, indicators: shownLines(document, columns) };
}

/** The number of a tag among the others, from 1 on; it is added where it is new. */
function numberOf(tag: string, tags: string[]): number {
  if (!tags.includes(tag)) tags.push(tag);
  return tags.indexOf(tag) + 1;
}

function isActive({ isOff, when }: SignalRule | Resolved<SignalRule>): boolean {
  return isOff !== true && isOn(when);
}
