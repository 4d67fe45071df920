import type { Amount, Line, Operand, Rule, RulesDocument, SignalRule } from './document.ts';
import { isLine } from './piece-kinds.ts';

/** The lists of signals of a document. */
export const signalLists = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

/** One of them. */
export type SignalList = (typeof signalLists)[number];

/** A piece of a document, and the way to it, e.g. 'enterLong.0.when.rules.2.left'. */
export type Found = { path: string } & (
  | { what: 'signal'; signal: SignalRule }
  | { what: 'rule'; rule: Rule }
  | { what: 'operand'; operand: Operand }
  | { what: 'line'; line: Line }
  | { what: 'amount'; amount: Amount; least: number; isWhole: boolean } // a number that may be a parameter, and what it must be
);

/** Every signal, rule, operand, line and number of a document, from the top down; what is switched off too. */
export function* piecesOf(document: RulesDocument): Generator<Found> {
  for (const [i, rule] of document.guard.entries()) yield* ofRule(rule, `guard.${i}`);
  for (const list of signalLists) {
    for (const [i, signal] of document[list].entries()) {
      yield { what: 'signal', path: `${list}.${i}`, signal };
      yield* ofRule(signal.when, `${list}.${i}.when`);
    }
  }
}

function* ofRule(rule: Rule, path: string): Generator<Found> {
  yield { what: 'rule', path, rule };
  if (rule.within !== undefined) yield count(rule.within, `${path}.within`);
  switch (rule.kind) {
    case 'compare':
      yield* ofOperand(rule.left, `${path}.left`);
      yield* ofOperand(rule.right, `${path}.right`);
      break;
    case 'near':
      yield* ofOperand(rule.left, `${path}.left`);
      yield* ofOperand(rule.right, `${path}.right`);
      yield { what: 'amount', path: `${path}.distance`, amount: rule.distance, least: 0, isWhole: false };
      break;
    case 'moves':
      yield* ofOperand(rule.operand, `${path}.operand`);
      yield count(rule.candles, `${path}.candles`);
      break;
    default:
      if (rule.kind === 'atLeast') yield count(rule.count, `${path}.count`);
      for (const [i, inner] of rule.rules.entries()) yield* ofRule(inner, `${path}.rules.${i}`);
  }
}

function* ofOperand(operand: Operand, path: string): Generator<Found> {
  yield { what: 'operand', path, operand };
  if ('candlesBack' in operand && operand.candlesBack !== undefined) yield count(operand.candlesBack, `${path}.candlesBack`, 0);
  if (isLine(operand)) yield* ofLine(operand, path);
  else if (operand.kind === 'number') yield number(operand.value, `${path}.value`);
  else if (operand.kind === 'candlesSince') yield* ofRule(operand.rule, `${path}.rule`);
  else if (operand.kind === 'offset') {
    yield number(operand.times, `${path}.times`);
    yield* ofOperand(operand.base, `${path}.base`);
    yield* ofOperand(operand.unit, `${path}.unit`);
  }
}

function* ofLine(line: Line, path: string): Generator<Found> {
  yield { what: 'line', path, line };
  if (line.kind === 'highest' || line.kind === 'lowest' || line.kind === 'change') yield count(line.candles, `${path}.candles`);
  if (line.kind !== 'price' && line.of !== undefined) yield* ofLine(line.of, `${path}.of`);
}

function count(amount: Amount, path: string, least = 1): Found {
  return { what: 'amount', path, amount, least, isWhole: true };
}

function number(amount: Amount, path: string): Found {
  return { what: 'amount', path, amount, least: -Infinity, isWhole: false };
}

/** The other pairs a document reads, each once. */
export function otherPairsOf(document: RulesDocument): string[] {
  const symbols = [...piecesOf(document)].flatMap((found) =>
    found.what === 'operand' && isLine(found.operand) && found.operand.symbol !== undefined ? [found.operand.symbol] : [],
  );
  return [...new Set(symbols)];
}
