import { dayMs } from '../market/durations.ts';
import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import type { Line, Operand, Place, Rule, RulesDocument } from './document.ts';
import { rulesIndicator } from './indicator-table.ts';
import { type Resolved, resolved } from './resolved.ts';
import { isLine, isOn } from './piece-kinds.ts';
import { signalLists } from './walk.ts';

/** Candles the rules need before a row can be trusted, whatever values their parameters have within their ranges. */
export function startupCandlesOf(document: RulesDocument, timeframe: Timeframe): number {
  const { guard, ...lists } = resolved(document, highestOf(document));
  const signals = signalLists.flatMap((list) => lists[list].filter(({ isOff }) => isOff !== true).map(({ when }) => when));
  return longest([...guard, ...signals].map((rule) => ofRule(rule, timeframe)));
}

/** The highest value that each parameter may have. */
export function highestOf({ parameters }: Pick<RulesDocument, 'parameters'>): Record<string, number> {
  return Object.fromEntries(Object.entries(parameters).map(([name, { max }]) => [name, max]));
}

function ofRule(rule: Resolved<Rule>, timeframe: Timeframe): number {
  if (!isOn(rule)) return 0;
  const before = (rule.within ?? 1) - 1;
  switch (rule.kind) {
    case 'compare': {
      const both = Math.max(ofOperand(rule.left, timeframe), ofOperand(rule.right, timeframe));
      return before + both + (rule.operator.startsWith('crosses') ? 1 : 0);
    }
    case 'near':
      return before + Math.max(ofOperand(rule.left, timeframe), ofOperand(rule.right, timeframe));
    case 'moves': {
      const rows = isLine(rule.operand) ? rule.candles * ownRows(rule.operand, timeframe) : rule.candles;
      return before + ofOperand(rule.operand, timeframe) + rows;
    }
    default:
      return before + longest(rule.rules.map((inner) => ofRule(inner, timeframe)));
  }
}

function ofOperand(operand: Resolved<Operand>, timeframe: Timeframe): number {
  if (operand.kind === 'number') return 0;
  if (operand.kind === 'offset') return Math.max(ofOperand(operand.base, timeframe), ofOperand(operand.unit, timeframe));
  const back = operand.candlesBack ?? 0;
  if (operand.kind === 'candlesSince') return back + operand.upTo + ofRule(operand.rule, timeframe);
  if (!isLine(operand)) return back;
  const rows = ownRows(operand, timeframe);
  const beginning = rows === 1 ? 0 : rows; // the longer candle that begins before the first row is not known
  return rows * (back + ofLine(operand, operand.timeframe ?? timeframe)) + beginning;
}

/** Candles of the timeframe in which the line lies. */
function ofLine(line: Resolved<Line>, timeframe: Timeframe): number {
  if (line.kind === 'price') return 0;
  const before = line.of === undefined ? 0 : ofLine(line.of, timeframe);
  if (line.kind === 'change') return before + line.candles;
  if (line.kind !== 'indicator') return before + line.candles - 1;
  return before + rulesIndicator(line.indicator).warmUp(line.settings, dayMs / timeframeLengths[timeframe]);
}

/** How many candles of the strategy one of the line's timeframe has. */
export function ownRows(place: Pick<Resolved<Place>, 'timeframe'>, timeframe: Timeframe): number {
  return Math.ceil(timeframeLengths[place.timeframe ?? timeframe] / timeframeLengths[timeframe]);
}

function longest(counts: readonly number[]): number {
  return counts.reduce((most, each) => Math.max(most, each), 0);
}
