import { isParameterValue } from '../strategy/effective-parameters.ts';
import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import type { Amount, Line, Operand, Rule, RulesDocument, RulesParameter } from './document.ts';
import { rulesIndicator } from './indicator-table.ts';
import { isLine, isOn } from './piece-kinds.ts';
import { isReference } from './resolved.ts';
import { startupCandlesOf } from './startup.ts';
import { type Found, piecesOf, signalLists } from './walk.ts';
import { workOf } from './work.ts';

/** The most of what a document may have; steps are those of `workOf`. */
export const rulesLimits = {
  conditions: 60,
  values: 400,
  series: 12,
  startupCandles: 5_000,
  tagLength: 40,
  signals: 20,
  steps: 50_000_000,
} as const;

/** Something that keeps a document from being run, in a sentence. */
export interface RulesFault {
  path: string; // to the piece that is wrong, e.g. 'enterLong.0.when.rules.2.left'; empty for the whole
  sentence: string;
}

/** Where a document is to be run, as far as that is known. */
export interface RulesPlace {
  timeframe?: Timeframe; // of the candles; else the document's
  pairs?: readonly string[]; // those there are; without it every pair is taken to be there
}

/** Everything that is wrong with a document; none when it can be run. */
export function faultsOf(document: RulesDocument, { timeframe = document.defaults.timeframe, pairs }: RulesPlace = {}): RulesFault[] {
  const pieces = [...piecesOf(document)];
  const found = [
    ...Object.entries(document.parameters).flatMap(([name, parameter]) => parameterFaults(name, parameter)),
    ...entryFaults(document),
    ...pieces.flatMap((piece) => pieceFaults(document, piece).map((sentence) => ({ path: piece.path, sentence }))),
    ...pieces.flatMap((piece) => placeFaults(piece, timeframe, pairs)),
    ...sizeFaults(pieces),
  ];
  // A warm-up can be computed only of numbers that are right, and work only of a warm-up.
  if (found.length > 0) return found;
  const tooLong = startupFaults(document, timeframe);
  return tooLong.length > 0 ? tooLong : workFaults(document, timeframe);
}

function parameterFaults(name: string, parameter: RulesParameter): RulesFault[] {
  const { min, max, step } = parameter;
  const path = `parameters.${name}`;
  if (!(min < max)) return [{ path, sentence: `The range of ${name} must end above its beginning.` }];
  if (!(step > 0)) return [{ path, sentence: `The step of ${name} must be above 0.` }];
  return isParameterValue(parameter, parameter.default)
    ? []
    : [{ path, sentence: `The value of ${name}, ${parameter.default}, is not on a step of its range from ${min} to ${max}.` }];
}

function entryFaults(document: RulesDocument): RulesFault[] {
  const entries = [...document.enterLong, ...document.enterShort];
  const isEmpty = !entries.some(({ isOff, when }) => isOff !== true && isOn(when));
  const many = signalLists.filter((list) => document[list].length > rulesLimits.signals);
  return [
    ...(isEmpty
      ? [{ path: 'enterLong', sentence: 'Nothing enters: there must be a condition for long or short that is switched on.' }]
      : []),
    ...many.map((list) => ({
      path: list,
      sentence: `There are ${document[list].length} signals in a list; the most are ${rulesLimits.signals}.`,
    })),
  ];
}

function pieceFaults(document: RulesDocument, found: Found): string[] {
  switch (found.what) {
    case 'signal':
      return tagFaults(found.signal.tag);
    case 'rule':
      return ruleFaults(document, found.rule);
    case 'operand':
      return found.operand.kind === 'candlesSince' && !isOn(found.operand.rule)
        ? ['What the candles are counted from is switched off.']
        : [];
    case 'line':
      return lineFaults(document, found.line);
    case 'amount':
      return amountFaults(document, found.amount, found);
  }
}

function tagFaults(tag: string): string[] {
  if (tag.trim() === '') return ['A signal needs a tag.'];
  return tag.length > rulesLimits.tagLength ? [`A tag may have ${rulesLimits.tagLength} characters, and this one has ${tag.length}.`] : [];
}

function ruleFaults(document: RulesDocument, rule: Rule): string[] {
  switch (rule.kind) {
    case 'moves':
      return rule.operand.kind === 'number' ? ['A number neither rises nor falls.'] : [];
    case 'near':
    case 'compare':
      if (isPlainNumber(rule.left) && isPlainNumber(rule.right)) return ['Two numbers are compared: that is always so, or never.'];
      if (!isSame(rule.left, rule.right)) return [];
      return [
        rule.kind === 'compare' && rule.operator.startsWith('crosses') ? 'Nothing crosses itself.' : 'Something is compared with itself.',
      ];
    default:
      if (rule.rules.length === 0) return ['This group is empty.'];
      if (rule.kind !== 'atLeast' || !isOn(rule)) return [];
      return countFaults(rule.count, rule.rules.filter(isOn).length, document);
  }
}

function countFaults(count: Amount, rules: number, { parameters }: RulesDocument): string[] {
  const most = typeof count === 'number' ? count : Object.hasOwn(parameters, count.parameter) ? parameters[count.parameter].max : 0;
  return most > rules ? [`At least ${most} of ${rules} can never hold.`] : [];
}

/** A parameter is none: compared with a number it switches rules on and off. */
function isPlainNumber(operand: Operand): boolean {
  return operand.kind === 'number' && typeof operand.value === 'number';
}

/** Whether two operands are the same; fields may stand in another sequence. */
function isSame(left: Operand, right: Operand): boolean {
  return textOf(left) === textOf(right);
}

function textOf(piece: unknown): string {
  if (typeof piece !== 'object' || piece === null) return JSON.stringify(piece) ?? '';
  if (Array.isArray(piece)) return `[${piece.map(textOf).join(',')}]`;
  const fields = Object.entries(piece).filter(([name, value]) => value !== undefined && !(name === 'candlesBack' && value === 0));
  return `{${fields
    .map(([name, value]) => `${name}:${textOf(value)}`)
    .toSorted()
    .join(',')}}`;
}

function lineFaults(document: RulesDocument, line: Line): string[] {
  if (line.kind !== 'indicator') return [];
  const { title, settings, outputs, takesLine } = rulesIndicator(line.indicator);
  const missing = Object.keys(settings).filter((name) => !Object.hasOwn(line.settings, name));
  const unknown = Object.keys(line.settings).filter((name) => !Object.hasOwn(settings, name));
  return [
    ...missing.map((name) => `${title} needs its ${settings[name].title}.`),
    ...unknown.map((name) => `${title} has no setting "${name}".`),
    ...(Object.hasOwn(outputs, line.output) ? [] : [`${title} has no line "${line.output}".`]),
    ...(takesLine || line.of === undefined ? [] : [`${title} is computed from candles, not from a line.`]),
    ...Object.entries(line.settings).flatMap(([name, amount]) =>
      Object.hasOwn(settings, name)
        ? amountFaults(document, amount, { least: settings[name].isWhole ? 1 : 0, isWhole: settings[name].isWhole })
        : [],
    ),
  ];
}

function amountFaults({ parameters }: RulesDocument, amount: Amount, { least, isWhole }: { least: number; isWhole: boolean }): string[] {
  if (typeof amount === 'number') {
    if (!Number.isFinite(amount)) return ['A number is missing.'];
    if (isWhole && !(Number.isInteger(amount) && amount >= least && amount <= rulesLimits.startupCandles))
      return [`This must be a whole number from ${least} to ${rulesLimits.startupCandles}, and is ${amount}.`];
    return amount < least ? [`This must be at least ${least}, and is ${amount}.`] : [];
  }
  const name = isReference(amount) ? amount.parameter : '';
  if (!Object.hasOwn(parameters, name)) return [`There is no parameter "${name}".`];
  const { min, max, step, default: value } = parameters[name];
  if (min < least) return [`${name} must be at least ${least} here, and its range begins at ${min}.`];
  if (isWhole && ![min, max, step, value].every(Number.isInteger))
    return [`${name} counts here, so its range and its step must be whole numbers.`];
  return isWhole && max > rulesLimits.startupCandles
    ? [`${name} may be ${rulesLimits.startupCandles} at most here, and its range ends at ${max}.`]
    : [];
}

function placeFaults(found: Found, timeframe: Timeframe, pairs: readonly string[] | undefined): RulesFault[] {
  if (found.what !== 'operand' || !isLine(found.operand)) return [];
  const { path, operand } = found;
  const sentences: string[] = [];
  if (operand.timeframe !== undefined) {
    const [wanted, own] = [timeframeLengths[operand.timeframe], timeframeLengths[timeframe]];
    if (wanted <= own) sentences.push(`${operand.timeframe} is not longer than ${timeframe}, the timeframe of the strategy.`);
    else if (wanted % own !== 0) sentences.push(`Candles of ${operand.timeframe} cannot be made of candles of ${timeframe}.`);
  }
  if (operand.symbol !== undefined && pairs?.includes(operand.symbol) === false)
    sentences.push(`There is no pair ${operand.symbol}${onFutures(operand.symbol, pairs ?? [])}.`);
  return sentences.map((sentence) => ({ path, sentence }));
}

/** What a pair that is written as on spot is named where there are perpetuals of it. */
function onFutures(symbol: string, pairs: readonly string[]): string {
  const named = pairs.find((pair) => pair.startsWith(`${symbol}:`));
  return named === undefined ? '' : `; here it is named ${named}`;
}

function sizeFaults(pieces: readonly Found[]): RulesFault[] {
  const rules = pieces.flatMap((found) => (found.what === 'rule' && !('rules' in found.rule) ? [found.rule] : []));
  const series = new Set(
    pieces.flatMap((found) =>
      found.what === 'operand' && isLine(found.operand) ? [`${found.operand.symbol ?? ''} ${found.operand.timeframe ?? ''}`] : [],
    ),
  );
  // Each is a column of numbers, computed for every candle of every pair.
  const values = pieces.filter((found) => found.what === 'line' || (found.what === 'operand' && !isLine(found.operand))).length;
  const { conditions, values: mostValues, series: mostSeries } = rulesLimits;
  return [
    ...(rules.length > conditions ? [`There are ${rules.length} conditions; the most are ${conditions}.`] : []),
    ...(values > mostValues ? [`There are ${values} prices, indicators and numbers; the most are ${mostValues}.`] : []),
    ...(series.size > mostSeries ? [`There are ${series.size} pairs and timeframes; the most are ${mostSeries}.`] : []),
  ].map((sentence) => ({ path: '', sentence }));
}

function startupFaults(document: RulesDocument, timeframe: Timeframe): RulesFault[] {
  const startup = startupCandlesOf(document, timeframe);
  const most = rulesLimits.startupCandles;
  const sentence = `It needs ${startup} candles of ${timeframe} before the first that counts; the most are ${most}. A shorter period, or a timeframe that is less long, needs fewer.`;
  return startup > most ? [{ path: '', sentence }] : [];
}

/** The runner computes the rows of everybody's bots one after the other. */
function workFaults(document: RulesDocument, timeframe: Timeframe): RulesFault[] {
  const million = 1_000_000;
  const work = workOf(document, timeframe);
  const most = rulesLimits.steps;
  const sentence = `It takes ${Math.ceil(work / million)} million steps of arithmetic at each candle; the most are ${most / million} million. Shorter periods, or fewer indicators, take less.`;
  return work > most ? [{ path: '', sentence }] : [];
}
