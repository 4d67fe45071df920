import type { Timeframe } from '../market/timeframe.ts';
import type { Line, LineOperand, Operand, Place, Rule, RulesDocument } from './document.ts';
import { rulesIndicator } from './indicator-table.ts';
import { isLine, isOn } from './piece-kinds.ts';
import { resolved } from './resolved.ts';
import { highestOf, ownRows, startupCandlesOf } from './startup.ts';
import { type Found, piecesOf } from './walk.ts';

/** What a chart draws; a running bot is shown fewer beyond its warm-up. */
const candlesBeyondStartup = 300;

// In steps a row, as measured. What one document can have many of must not count too little.
const stepsOfRule: Readonly<Record<Rule['kind'], number>> = { compare: 5, near: 5, moves: 30, all: 5, any: 5, none: 20, atLeast: 25 };
const stepsOfOperand: Readonly<Partial<Record<Operand['kind'], number>>> = { minuteOfDay: 30, weekday: 30, candlesSince: 10 };
const stepsOfColumn = 5;
const stepsOfSeries = 60;
const stepsOfExtreme = 60;
const stepsOfPrices = 20; // the average of several
const stepsOfHoles = 20;

/**
 * What computing the newest row of a document costs, whatever values its parameters have within their ranges.
 *
 * Unit:  steps; one takes a core that does nothing else about a nanosecond
 * Needs: numbers without a fault. What is switched off costs nothing; what is the same is computed once, as in `RuleColumns`
 */
export function workOf(document: RulesDocument, timeframe: Timeframe): number {
  const rows = startupCandlesOf(document, timeframe) + candlesBeyondStartup;
  const known = new Map<string, number>(); // steps by what takes them
  for (const found of switchedOn(document)) {
    if (found.what === 'rule') known.set(keyOf('rule', found.rule), rows * (stepsOfRule[found.rule.kind] + stepsOfColumn));
    if (found.what !== 'operand') continue;
    const { operand } = found;
    known.set(keyOf('operand', operand), rows * (stepsOfColumn + (stepsOfOperand[operand.kind] ?? 0)));
    if (isLine(operand)) addLines(known, operand, rowsAt(operand, rows, timeframe), document);
    if (isLine(operand)) known.set(keyOf('series', placeOf(operand)), rows * stepsOfSeries);
  }
  return [...known.values()].reduce((total, steps) => total + steps, 0);
}

/** The pieces that are computed. */
function switchedOn(document: RulesDocument): Found[] {
  const pieces = [...piecesOf(document)];
  const off = pieces.flatMap((found) => {
    if (found.what === 'signal') return found.signal.isOff === true ? [`${found.path}.`] : [];
    return found.what === 'rule' && !isOn(found.rule) ? [`${found.path}.`] : [];
  });
  return pieces.filter(({ path }) => !off.some((way) => `${path}.`.startsWith(way)));
}

/** A line and the lines that it is computed from. */
function addLines(known: Map<string, number>, operand: LineOperand, rows: number, document: RulesDocument): void {
  const place = placeOf(operand);
  for (let line: Line | undefined = operand; line !== undefined; line = line.kind === 'price' ? undefined : line.of)
    known.set(keyOf('line', [place, computedOf(line)]), stepsOf(line, rows, document));
}

/** What of a line decides what is computed: the outputs of an indicator are made together. */
function computedOf(line: Line): unknown {
  if (line.kind === 'price') return line.price;
  return line.kind === 'indicator' ? [line.indicator, line.settings, line.of] : [line.kind, line.of, line.candles];
}

function stepsOf(line: Line, rows: number, document: RulesDocument): number {
  switch (line.kind) {
    case 'price':
      return rows * stepsOfPrices;
    case 'change':
      return rows * stepsOfColumn;
    case 'highest':
    case 'lowest':
      return rows * stepsOfExtreme;
    case 'indicator': {
      const holes = line.of === undefined || line.of.kind === 'price' ? 0 : rows * stepsOfHoles;
      return holes + rulesIndicator(line.indicator).steps(resolved(line.settings, highestOf(document)), rows);
    }
  }
}

function placeOf({ symbol, timeframe }: Place): unknown {
  return [symbol, timeframe];
}

/** How many rows the window has where a line lies. */
function rowsAt({ timeframe: own }: Place, rows: number, timeframe: Timeframe): number {
  return own === undefined ? rows : Math.ceil(rows / ownRows({ timeframe: own }, timeframe)) + 1;
}

function keyOf(what: string, piece: unknown): string {
  return JSON.stringify([what, piece]);
}
