import type { CandleColumns } from '../market/candle.ts';
import type { OtherPairs } from '../strategy/series.ts';
import type { ParameterValues } from '../strategy/strategy.ts';
import type { Operand, Rule, RulesDocument, SignalRule } from './document.ts';
import { allOf, anyOf } from './flags.ts';
import { isOn } from './piece-kinds.ts';
import { type Resolved, resolved } from './resolved.ts';
import { RuleColumns } from './rule-columns.ts';
import { type SignalList, signalLists } from './walk.ts';

/** A rule of a document, and in which of the rows it held. */
export interface HeldRule {
  path: string; // to the rule, e.g. 'enterLong.0.when.rules.2'
  held: Uint8Array | null; // 1 where it held; null where nothing of it is switched on
  count: number; // rows in which it held
  alone: number | null; // rows in which it alone kept an entry away; null where that is not asked: in exits, and inside groups
}

/** What held where, over the rows from `firstRow` on. */
export interface HeldRules {
  rows: number;
  rules: HeldRule[]; // guard first, then list by list, each from the top down
  signals: Record<SignalList, Uint8Array>; // where a list wants its signal; entries with the guard
  /** What an operand is in one of the rows; NaN where it is not known. */
  valueAt(operand: Operand, row: number): number;
}

/**
 * Where each rule of a document held, and how often each condition of an entry was the only one that was missing.
 *
 * What must hold for an entry is each rule of the guard, and each rule of a signal that is an `all`; else the signal as a whole.
 */
export function heldRules(
  document: RulesDocument,
  candles: CandleColumns,
  { parameters, others = {}, firstRow = 0 }: { parameters: ParameterValues; others?: OtherPairs; firstRow?: number },
): HeldRules {
  const columns = new RuleColumns(candles, others);
  const now = resolved(document, parameters);
  const rows = candles.openTime.length - firstRow;
  const flagsOf = (rule: Resolved<Rule>): Uint8Array | null => columns.rule(rule)?.slice(firstRow) ?? null;

  const guard = now.guard.map((rule, i) => ({ path: `guard.${i}`, held: flagsOf(rule) }));
  const guarding = guard.flatMap(({ held }) => held ?? []);
  const alone = new Map<string, number>();
  const signals = {} as Record<SignalList, Uint8Array>;
  const entering: Uint8Array[] = []; // signals to enter, each without the guard

  for (const list of signalLists) {
    const isEntry = list.startsWith('enter');
    const wanted = now[list].flatMap((signal, i) => {
      if (!isActive(signal)) return [];
      const factors = factorsOf(signal.when, `${list}.${i}.when`).flatMap(({ rule, path }) => {
        const held = flagsOf(rule);
        return held === null ? [] : [{ path, held }];
      });
      const whole = flagsOf(signal.when) ?? new Uint8Array(rows);
      if (!isEntry) return [whole];
      entering.push(whole);
      for (const { path, held } of factors)
        alone.set(path, countMissing(held, [...guarding, ...factors.flatMap((other) => (other.path === path ? [] : [other.held]))], rows));
      return [guarding.length === 0 ? whole : allOf(whole, ...guarding)];
    });
    signals[list] = wanted.length === 0 ? new Uint8Array(rows) : anyOf(wanted[0], ...wanted.slice(1));
  }
  for (const { path, held } of guard) {
    if (held === null || entering.length === 0) continue;
    const rest = guard.flatMap((other) => (other.path === path || other.held === null ? [] : [other.held]));
    alone.set(path, countMissing(held, [anyOf(entering[0], ...entering.slice(1)), ...rest], rows));
  }

  return {
    rows,
    rules: rulesOf(now).map(({ path, rule }) => {
      const held = flagsOf(rule);
      return { path, held, count: held === null ? 0 : countSet(held), alone: alone.get(path) ?? null };
    }),
    signals,
    valueAt: (operand, row) => columns.operand(resolved(operand, parameters))[firstRow + row],
  };
}

/** Every rule with the way to it, guard first, each group before its rules. */
function rulesOf(document: Resolved<RulesDocument>): { path: string; rule: Resolved<Rule> }[] {
  return [
    ...document.guard.flatMap((rule, i) => withInner(rule, `guard.${i}`)),
    ...signalLists.flatMap((list) => document[list].flatMap(({ when }, i) => withInner(when, `${list}.${i}.when`))),
  ];
}

function withInner(rule: Resolved<Rule>, path: string): { path: string; rule: Resolved<Rule> }[] {
  const inner = 'rules' in rule ? rule.rules.flatMap((each, i) => withInner(each, `${path}.rules.${i}`)) : [];
  return [{ path, rule }, ...inner];
}

/** What must all hold for a signal. */
function factorsOf(rule: Resolved<Rule>, path: string): { path: string; rule: Resolved<Rule> }[] {
  if (rule.kind !== 'all' || (rule.within ?? 1) !== 1) return [{ path, rule }];
  return rule.rules.map((each, i) => ({ path: `${path}.rules.${i}`, rule: each }));
}

function isActive({ isOff, when }: Resolved<SignalRule>): boolean {
  return isOff !== true && isOn(when);
}

/** Rows in which all the others held and this did not. */
function countMissing(held: Uint8Array, others: readonly Uint8Array[], rows: number): number {
  let count = 0;
  for (let i = 0; i < rows; i++) if (held[i] === 0 && others.every((other) => other[i] === 1)) count++;
  return count;
}

function countSet(flags: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < flags.length; i++) count += flags[i];
  return count;
}
