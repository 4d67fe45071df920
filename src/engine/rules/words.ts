import type { Comparison, Count, Group, Line, Operand, Operator, Place, PositionPlan, Rule, RulesDocument } from './document.ts';
import { type IndicatorOutput, rulesIndicator } from './indicator-table.ts';
import { isLine, isOn } from './piece-kinds.ts';
import { type Resolved, resolved } from './resolved.ts';
import { type SignalList, signalLists } from './walk.ts';

/** The values of parameters, by name. */
type Values = Readonly<Record<string, number>>;

/**
 * A document as sentences of plain English, e.g. "Enter long when EMA 12 crosses above EMA 26 and RSI 14 is below 70."
 *
 * What is switched off is left out. `values` are those of its parameters; without them the defaults.
 */
export function wordsOf(document: RulesDocument, values: Values = defaultsOf(document)): string[] {
  const now = resolved(document, values);
  const guard = now.guard.filter(isOn).map((rule) => ruleWords(rule));
  const signals = signalLists.flatMap((list) =>
    now[list]
      .filter(({ when, isOff }) => isOff !== true && isOn(when))
      .map(({ when, tag }) => `${signalWords[list]} when ${ruleWords(when)} (${tag}).`),
  );
  const entry = guard.length === 0 ? [] : [`Any entry needs this: ${joined(guard, 'and')}.`];
  return [...entry, ...signals, ...planWords(document.positionPlan, shorts(document))];
}

const signalWords: Record<SignalList, string> = {
  enterLong: 'Enter long',
  exitLong: 'Exit long',
  enterShort: 'Enter short',
  exitShort: 'Exit short',
};

function defaultsOf({ parameters }: RulesDocument): Values {
  return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]));
}

function shorts({ enterShort }: RulesDocument): boolean {
  return enterShort.some(({ isOff, when }) => isOff !== true && isOn(when));
}

/** How a condition is worded: that it holds or not, that it did or not, that it never did. */
type Telling = 'is' | 'is not' | 'was' | 'was not' | 'was never';

/** A rule as a part of a sentence, e.g. "RSI 14 is below 30". */
export function ruleWords(rule: Resolved<Rule>, isDenied = false): string {
  const { within } = rule;
  if ('rules' in rule) {
    const words = groupWords(rule);
    if (within === undefined || within === 1) return isDenied ? `not (${words})` : words;
    return `in ${isDenied ? 'none' : 'one'} of the last ${within} candles (${words})`;
  }
  const isPast = within !== undefined && within !== 1;
  const words = conditionWords(rule, isPast ? (isDenied ? 'was never' : 'was') : isDenied ? 'is not' : 'is');
  return isPast ? `${words} in the last ${within} candles` : words;
}

function groupWords(group: Resolved<Group | Count>): string {
  const rules = group.rules.filter(isOn);
  const isOne = rules.length === 1;
  // Groups in groups stand in brackets, so that nobody has to know whether "and" or "or" binds closer.
  const words = rules.map((rule) => (!isOne && needsBrackets(rule, group.kind) ? `(${ruleWords(rule)})` : ruleWords(rule)));
  if (group.kind === 'none') return isOne ? ruleWords(rules[0], true) : `none of: ${words.join('; ')}`;
  if (group.kind === 'atLeast') return isOne ? words[0] : `at least ${group.count} of: ${words.join('; ')}`;
  return joined(words, group.kind === 'all' ? 'and' : 'or');
}

function needsBrackets(rule: Resolved<Rule>, outer: Rule['kind']): boolean {
  if (!('rules' in rule) || rule.rules.filter(isOn).length < 2) return false;
  return rule.kind !== outer || outer === 'atLeast' || outer === 'none' || rule.within !== undefined;
}

function conditionWords(rule: Resolved<Rule> & { kind: 'compare' | 'near' | 'moves' }, telling: Telling): string {
  switch (rule.kind) {
    case 'compare':
      return comparisonWords(rule, telling);
    case 'near':
      return `${operandWords(rule.left)} ${telling} within ${percent(rule.distance)} of ${operandWords(rule.right)}`;
    case 'moves': {
      const verb = rule.direction === 'rises' ? (['rises', 'rise', 'rose'] as const) : (['falls', 'fall', 'fell'] as const);
      return `${operandWords(rule.operand)} ${worded(verb, telling)} for ${candlesWords(rule.candles, rule.operand)} in a row`;
    }
  }
}

function comparisonWords(rule: Resolved<Comparison>, telling: Telling): string {
  const back = sharedBack(rule);
  if (back > 0 && (telling === 'is' || telling === 'is not')) {
    // "The close was below EMA 50 one candle ago" in place of two operands that each say when.
    const left = withoutBack(rule.left);
    const words = comparisonWords({ ...rule, left, right: withoutBack(rule.right) }, telling === 'is' ? 'was' : 'was not');
    return `${words}${backWords(back, isLine(left) ? (left.timeframe ?? '') : '')}`;
  }
  const { left, operator, right } = rule;
  if ((left.kind === 'minuteOfDay' || left.kind === 'weekday') && !operator.startsWith('crosses')) {
    const moment = right.kind === 'number' ? momentWords(left.kind, right.value) : operandWords(right);
    return `${clockSubject(left)} ${telling} ${clockWords(operator, moment)}`;
  }
  const other = right.kind === 'number' ? numberWords(right.value, left) : operandWords(right);
  const subject = left.kind === 'number' && left.named !== undefined ? `${left.named} (${plainNumber(left.value)})` : operandWords(left);
  return `${subject} ${operatorWords(operator, telling)} ${other}`;
}

/** How many candles back both sides of a comparison are read; 0 when they differ, or count in other candles. */
function sharedBack({ left, right }: Resolved<Comparison>): number {
  if (left.kind === 'number' || left.kind === 'offset' || left.candlesBack === undefined) return 0;
  if (right.kind === 'number') return left.candlesBack;
  if (right.kind === 'offset' || right.candlesBack !== left.candlesBack) return 0;
  const [a, b] = [left, right].map((each) => (isLine(each) ? each.timeframe : undefined));
  return a === b ? left.candlesBack : 0;
}

function withoutBack(operand: Resolved<Operand>): Resolved<Operand> {
  return 'candlesBack' in operand ? { ...operand, candlesBack: 0 } : operand;
}

function operatorWords(operator: Operator, telling: Telling): string {
  const plain = { above: 'above', below: 'below', atLeast: 'at least', atMost: 'at most' } as const;
  if (operator === 'crossesAbove') return `${worded(['crosses', 'cross', 'crossed'], telling)} above`;
  if (operator === 'crossesBelow') return `${worded(['crosses', 'cross', 'crossed'], telling)} below`;
  return `${telling} ${plain[operator]}`;
}

function worded([present, infinitive, past]: readonly [string, string, string], telling: Telling): string {
  return { is: present, 'is not': `does not ${infinitive}`, was: past, 'was not': `did not ${infinitive}`, 'was never': `never ${past}` }[
    telling
  ];
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function clockSubject({ kind, candlesBack = 0 }: Resolved<Operand> & { kind: 'minuteOfDay' | 'weekday' }): string {
  return `${kind === 'weekday' ? 'the weekday' : 'the time'}${backWords(candlesBack, '')}`;
}

function momentWords(kind: 'minuteOfDay' | 'weekday', value: number): string {
  return kind === 'weekday' ? (weekdays[value - 1] ?? plainNumber(value)) : clockTime(value);
}

function clockWords(operator: Operator, moment: string): string {
  if (operator === 'above') return `after ${moment}`;
  if (operator === 'below') return `before ${moment}`;
  return `${moment} or ${operator === 'atLeast' ? 'later' : 'earlier'}`;
}

function clockTime(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(minutes / 60)}:${two(minutes % 60)} UTC`;
}

/** An operand as people call it, e.g. "1h EMA 50" or "the close one candle ago". */
export function operandWords(operand: Resolved<Operand>): string {
  switch (operand.kind) {
    case 'number':
      return plainNumber(operand.value);
    case 'minuteOfDay':
    case 'weekday':
      return clockSubject(operand);
    case 'candlesSince':
      return `the number of candles since ${inBrackets(operand.rule)}${backWords(operand.candlesBack ?? 0, '')}`;
    case 'offset':
      return offsetWords(operand);
    default:
      return `${lineWords(operand, operand)}${backWords(operand.candlesBack ?? 0, operand.timeframe ?? '')}`;
  }
}

function inBrackets(rule: Resolved<Rule>): string {
  return isOn(rule) ? `(${ruleWords(rule)})` : '(nothing)';
}

function offsetWords({ base, sign, times, unit }: Resolved<Operand> & { kind: 'offset' }): string {
  const many = times === 1 ? '' : `${plainNumber(times)} times `;
  const other = unit.kind === 'offset' ? `(${operandWords(unit)})` : operandWords(unit);
  return `${operandWords(base)} ${sign} ${many}${other}`;
}

/** A line as people call it, e.g. "EMA 9 of RSI 14"; with the pair and timeframe it is read from. */
export function lineWords(line: Resolved<Line>, { symbol, timeframe }: Pick<Resolved<Place>, 'symbol' | 'timeframe'> = {}): string {
  const place = [symbol, timeframe]
    .filter((each) => each !== undefined)
    .map((each) => `${each} `)
    .join('');
  switch (line.kind) {
    case 'price':
      return isPriceWord(line.price) ? `the ${place}${line.price}` : `${place}${line.price}`;
    case 'change':
      return `the ${place}change${isClose(line.of) ? '' : ` of ${lineWords(line.of)}`} over ${candles(line.candles)}`;
    case 'highest':
    case 'lowest':
      return `the ${place}${line.kind} ${lineWords(line.of).replace(/^the /u, '')} of ${candles(line.candles)}`;
    case 'indicator':
      return `${outputOf(line).title.includes('band') ? 'the ' : ''}${place}${indicatorWords(line)}`;
  }
}

/** The output that an indicator is asked for; one that it does not have is called what it is called. */
function outputOf({ indicator, output }: Pick<Line & { kind: 'indicator' }, 'indicator' | 'output'>): IndicatorOutput {
  const { outputs } = rulesIndicator(indicator);
  return Object.hasOwn(outputs, output) ? outputs[output] : { title: output };
}

function indicatorWords({ indicator, settings, output, of }: Resolved<Line> & { kind: 'indicator' }): string {
  const { settings: declared } = rulesIndicator(indicator);
  const numbers = Object.keys(declared).map((name) => plainNumber(settings[name]));
  const { title } = outputOf({ indicator, output });
  const short = numbers.length === 1 && !title.includes('band') ? ` ${numbers[0]}` : ` (${numbers.join(', ')})`;
  const all = indicator === 'vwap' && output === 'vwap' ? title : `${title}${short}`; // its deviations are those of the bands
  return of === undefined || isClose(of) ? all : `${all} of ${lineWords(of)}`;
}

function isPriceWord(price: string): boolean {
  return ['open', 'high', 'low', 'close'].includes(price);
}

function isClose(line: Resolved<Line>): boolean {
  return line.kind === 'price' && line.price === 'close';
}

function backWords(back: number, timeframe: string): string {
  if (back === 0) return '';
  return ` ${back === 1 ? 'one' : back} ${timeframe}${timeframe === '' ? '' : ' '}candle${back === 1 ? '' : 's'} ago`;
}

function candlesWords(count: number, operand: Resolved<Operand>): string {
  const timeframe = isLine(operand) && operand.timeframe !== undefined ? `${operand.timeframe} ` : '';
  return `${count} ${timeframe}${count === 1 ? 'candle' : 'candles'}`;
}

function candles(count: number): string {
  return count === 1 ? '1 candle' : `${count} candles`;
}

/** A number as it is said beside what it is compared with: ratios in per cent, moments as such. */
export function numberWords(value: number, beside: Resolved<Operand>): string {
  if (beside.kind === 'minuteOfDay' || beside.kind === 'weekday') return momentWords(beside.kind, value);
  return isRatio(beside) ? percent(value) : plainNumber(value);
}

/** Whether the numbers of an operand are ratios, which are said in per cent. */
export function isRatio(operand: Operand | Resolved<Operand>): boolean {
  if (operand.kind === 'change') return true;
  if (operand.kind === 'highest' || operand.kind === 'lowest') return isRatio(operand.of);
  return operand.kind === 'indicator' && outputOf(operand).isRatio === true;
}

function plainNumber(value: number): string {
  return String(value);
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(12))}%`;
}

function joined(words: readonly string[], link: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`;
}

/** The position plan as sentences. */
export function planWords(plan: PositionPlan | null, mayShort: boolean): string[] {
  if (plan === null) return [];
  const { addMore, takeOut } = plan;
  const add =
    addMore === null || addMore.isOff === true
      ? []
      : [
          `Add ${percent(addMore.stake)} of the first stake when the price is ${percent(addMore.distance)} ${mayShort ? 'worse than' : 'below'} the average entry, at most ${addMore.most === 1 ? 'once' : `${addMore.most} times`}.`,
        ];
  const parts = takeOut.filter(({ isOff }) => isOff !== true);
  return [...add, ...parts.map(({ profit, part }) => `Take out ${percent(part)} of the position at a profit of ${percent(profit)}.`)];
}
