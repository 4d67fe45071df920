import type { Operand, Rule, RulesDocument, RulesParameter, SignalRule } from '#engine/rules/document.ts';
import { signalLists } from '#engine/rules/walk.ts';
import { planWords } from '#engine/rules/words.ts';
import { formatRatio } from '../../../ui/ratio.ts';
import { numberOf } from './parameters.ts';
import { topRulesOf } from './rule-rows.ts';
import { isSamePiece, textOf } from './same-piece.ts';
import { groupTexts, operandText, operatorTexts, percentText, ruleText } from './sentence.ts';

/** One thing that a draft says otherwise than the saved version, as it is shown. */
export interface DocumentChange {
  path: string; // to the piece of the draft that is marked
  name: string; // what it is about, e.g. 'RSI 14'
  from: string; // 'none' where it is new
  to: string; // 'none' where it is gone
}

/** Everything that a draft says otherwise than the saved version, from the top of the page down. */
export function documentChanges(saved: RulesDocument, draft: RulesDocument): DocumentChange[] {
  if (saved === draft) return [];
  const both = { saved, draft };
  return [
    ...aboutChanges(both),
    ...ruleListChanges(both, saved.guard.map(atPath('guard')), draft.guard.map(atPath('guard')), 'guard'),
    ...signalLists.flatMap((list) => signalChanges(both, list)),
    ...parameterChanges(both),
    ...planChanges(both),
    ...settingChanges(both),
  ];
}

interface Both {
  saved: RulesDocument;
  draft: RulesDocument;
}

interface Placed {
  rule: Rule;
  path: string;
}

const none = 'none';

function aboutChanges({ saved, draft }: Both): DocumentChange[] {
  const names = { title: 'Name', kind: 'Kind', description: 'What it does', losesWhen: 'When it loses' } as const;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((field) =>
    saved[field] === draft[field] ? [] : [{ path: field, name: names[field], from: saved[field] || none, to: draft[field] || none }],
  );
}

function signalChanges(both: Both, list: (typeof signalLists)[number]): DocumentChange[] {
  const [before, after] = [both.saved[list], both.draft[list]];
  const pairs = pairedUp(before, after, signalLikeness);
  const names = { enterLong: 'Enter long', exitLong: 'Exit long', enterShort: 'Enter short', exitShort: 'Exit short' } as const;
  return [
    ...pairs.flatMap(({ was, is, at }) => {
      const path = `${list}.${at}`;
      const tags = (tag: string): string => `${names[list]} (${tag})`;
      if (is === null) return [{ path: list, name: tags(was?.tag ?? ''), from: textsOf(both.saved, was), to: none }];
      if (was === null) return [{ path, name: tags(is.tag), from: none, to: textsOf(both.draft, is) }];
      return [
        ...(was.tag === is.tag ? [] : [{ path, name: `Tag of ${names[list].toLowerCase()}`, from: was.tag, to: is.tag }]),
        ...switchChange(path, tags(is.tag), was, is),
        ...groupChanges(both, was.when, is.when, `${path}.when`, tags(is.tag)),
        ...ruleListChanges(both, topRulesOf(was, ''), topRulesOf(is, path), path),
      ];
    }),
    ...sequenceChange(pairs, list, `${names[list]}, sequence`),
  ];
}

/** What is said of the group of a signal, or of another group; a single condition is as good as all of it. */
function groupChanges({ saved, draft }: Both, was: Rule, is: Rule, path: string, name: string): DocumentChange[] {
  if (!('rules' in was) && !('rules' in is)) return [];
  const kindOf = (document: RulesDocument, rule: Rule): string => {
    if (!('rules' in rule)) return groupTexts.all;
    return rule.kind === 'atLeast' ? `at least ${numberOf(document, rule.count)}` : groupTexts[rule.kind];
  };
  const [from, to] = [kindOf(saved, was), kindOf(draft, is)];
  return [
    ...(from === to ? [] : [{ path: `${path}.kind`, name, from, to }]),
    ...('rules' in was && 'rules' in is
      ? [...switchChange(path, name, was, is), ...withinChange({ saved, draft }, was, is, path, name)]
      : []),
  ];
}

function ruleListChanges(both: Both, before: readonly Placed[], after: readonly Placed[], listPath: string): DocumentChange[] {
  const pairs = pairedUp(before, after, (a, b) => ruleLikeness(a.rule, b.rule));
  return [
    ...pairs.flatMap(({ was, is }) => {
      if (is === null) return was === null ? [] : [{ path: listPath, name: ruleText(both.saved, was.rule), from: 'there', to: none }];
      if (was === null) return [{ path: is.path, name: ruleText(both.draft, is.rule), from: none, to: 'added' }];
      return ruleChanges(both, was.rule, is.rule, is.path);
    }),
    ...sequenceChange(pairs, listPath, 'Sequence of conditions'),
  ];
}

function ruleChanges(both: Both, was: Rule, is: Rule, path: string): DocumentChange[] {
  if (isSamePiece(was, is)) return [];
  const name = nameOf(both.draft, is);
  if ('rules' in was || 'rules' in is) {
    if (!('rules' in was && 'rules' in is)) return [{ path, name, from: ruleText(both.saved, was), to: ruleText(both.draft, is) }];
    const inner = (rule: typeof was, at: string): Placed[] => rule.rules.map((each, i) => ({ rule: each, path: `${at}.rules.${i}` }));
    return [...groupChanges(both, was, is, path, name), ...ruleListChanges(both, inner(was, ''), inner(is, path), path)];
  }
  return [...switchChange(path, name, was, is), ...conditionChanges(both, was, is, path, name), ...withinChange(both, was, is, path, name)];
}

type Condition = Exclude<Rule, { rules: readonly Rule[] }>;

function conditionChanges({ saved, draft }: Both, was: Condition, is: Condition, path: string, name: string): DocumentChange[] {
  if (was.kind !== is.kind) return [{ path: `${path}.operator`, name, from: ruleText(saved, was), to: ruleText(draft, is) }];
  const amount = (field: string, a: Parameters<typeof numberOf>[1], b: typeof a, show: (value: number) => string = String) =>
    isSamePiece(a, b) ? [] : [{ path: `${path}.${field}`, name, from: show(numberOf(saved, a)), to: show(numberOf(draft, b)) }];
  const operand = (field: string, a: Operand, b: Operand, besideA: Operand | null, besideB: Operand | null) =>
    isSamePiece(a, b) ? [] : [{ path: `${path}.${field}`, name, from: operandText(saved, a, besideA), to: operandText(draft, b, besideB) }];
  if (was.kind === 'moves' && is.kind === 'moves') {
    return [
      ...operand('operand', was.operand, is.operand, null, null),
      ...(was.direction === is.direction ? [] : [{ path: `${path}.operator`, name, from: was.direction, to: is.direction }]),
      ...amount('candles', was.candles, is.candles),
    ];
  }
  if (was.kind === 'moves' || is.kind === 'moves') return [];
  return [
    ...operand('left', was.left, is.left, was.right, is.right),
    ...(was.kind === 'compare' && is.kind === 'compare' && was.operator !== is.operator
      ? [{ path: `${path}.operator`, name, from: operatorTexts[was.operator], to: operatorTexts[is.operator] }]
      : []),
    ...(was.kind === 'near' && is.kind === 'near' ? amount('distance', was.distance, is.distance, percentText) : []),
    ...operand('right', was.right, is.right, was.left, is.left),
  ];
}

function withinChange({ saved, draft }: Both, was: Rule, is: Rule, path: string, name: string): DocumentChange[] {
  if (isSamePiece(was.within ?? 1, is.within ?? 1)) return [];
  const say = (document: RulesDocument, { within = 1 }: Rule): string => {
    const candles = numberOf(document, within);
    return candles === 1 ? 'on the candle itself' : `last ${candles} candles`;
  };
  return [{ path: `${path}.within`, name, from: say(saved, was), to: say(draft, is) }];
}

function switchChange(path: string, name: string, was: { isOff?: boolean | undefined }, is: typeof was): DocumentChange[] {
  const say = ({ isOff }: typeof was): string => (isOff === true ? 'off' : 'on');
  return say(was) === say(is) ? [] : [{ path: `${path}.isOff`, name, from: say(was), to: say(is) }];
}

function parameterChanges({ saved, draft }: Both): DocumentChange[] {
  const names = [...new Set([...Object.keys(draft.parameters), ...Object.keys(saved.parameters)])];
  const say = ({ default: value, min, max, step }: RulesParameter): string => `${value} of ${min} to ${max} by ${step}`;
  return names.flatMap((name) => {
    const [was, is] = [ownOf(saved.parameters, name), ownOf(draft.parameters, name)];
    const path = `parameters.${name}`;
    if (was === undefined || is === undefined)
      return [
        {
          path: is === undefined ? 'parameters' : path,
          name,
          from: was === undefined ? none : say(was),
          to: is === undefined ? none : say(is),
        },
      ];
    if (isSamePiece(was, is)) return [];
    if (was.default !== is.default && isSamePiece({ ...was, default: 0 }, { ...is, default: 0 }))
      return [{ path, name, from: String(was.default), to: String(is.default) }];
    return [{ path, name, from: say(was), to: say(is) }];
  });
}

function ownOf<Value>(all: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

function planChanges({ saved, draft }: Both): DocumentChange[] {
  if (isSamePiece(saved.positionPlan, draft.positionPlan)) return [];
  const say = ({ positionPlan, enterShort }: RulesDocument): string => planWords(positionPlan, enterShort.length > 0).join(' ') || none;
  const [from, to] = [say(saved), say(draft)];
  return from === to ? [] : [{ path: 'positionPlan', name: 'Position plan', from, to }];
}

function settingChanges({ saved: { defaults: was }, draft: { defaults: is } }: Both): DocumentChange[] {
  const roi = ({ minimalRoi }: typeof is): string =>
    Object.entries(minimalRoi)
      .map(([minutes, ratio]) => `${formatRatio(ratio, 2)} after ${minutes} min`)
      .join(', ') || none;
  const trailing = (of: typeof is): string => {
    if (!of.trailingStop) return 'off';
    const positive = of.trailingStopPositive === null ? '' : `, ${formatRatio(of.trailingStopPositive, 2)}`;
    return `on${positive} above ${formatRatio(of.trailingStopPositiveOffset, 2)}${of.trailingOnlyOffsetIsReached ? ' only' : ''}`;
  };
  const rows: [path: string, name: string, from: string, to: string][] = [
    ['defaults.timeframe', 'Timeframe', was.timeframe, is.timeframe],
    ['defaults.stoploss', 'Stop loss', formatRatio(was.stoploss, 2), formatRatio(is.stoploss, 2)],
    ['defaults.minimalRoi', 'Minimal ROI', roi(was), roi(is)],
    ['defaults.trailingStop', 'Trailing stop', trailing(was), trailing(is)],
  ];
  return rows.flatMap(([path, name, from, to]) => (from === to ? [] : [{ path, name, from, to }]));
}

/** What a change of a condition is called by: what it looks at. */
function nameOf(document: RulesDocument, rule: Rule): string {
  if ('rules' in rule) return ruleText(document, rule);
  return rule.kind === 'moves' ? operandText(document, rule.operand, null) : operandText(document, rule.left, rule.right);
}

function textsOf(document: RulesDocument, signal: SignalRule | null): string {
  return signal === null
    ? ''
    : topRulesOf(signal, '')
        .map(({ rule }) => ruleText(document, rule))
        .join(', ');
}

function atPath(holder: string): (rule: Rule, i: number) => Placed {
  return (rule, i) => ({ rule, path: `${holder}.${i}` });
}

/** Two things that are taken for the same one; null where the other has none. `at` is the place in the later list. */
interface Pair<Thing> {
  was: Thing | null;
  is: Thing | null;
  from: number; // place in the earlier list; -1 for none
  at: number;
}

/** Takes each of the later things for the most alike of the earlier ones that is left; those that are alike by 0 for none. */
function pairedUp<Thing>(before: readonly Thing[], after: readonly Thing[], likeness: (a: Thing, b: Thing) => number): Pair<Thing>[] {
  const candidates = after.flatMap((is, at) => before.map((was, from) => ({ at, from, alike: likeness(was, is) })));
  const found = new Map<number, number>(); // place in the later list -> place in the earlier one
  // Of those equally alike, the nearest.
  const bySize = candidates
    .filter(({ alike }) => alike > 0)
    .sort((a, b) => b.alike - a.alike || Math.abs(a.at - a.from) - Math.abs(b.at - b.from));
  const taken = new Set<number>();
  for (const { at, from } of bySize) {
    if (found.has(at) || taken.has(from)) continue;
    found.set(at, from);
    taken.add(from);
  }
  const later = after.map((is, at): Pair<Thing> => {
    const from = found.get(at) ?? -1;
    return { was: before[from] ?? null, is, from, at };
  });
  const gone = before.flatMap((was, from): Pair<Thing>[] => (taken.has(from) ? [] : [{ was, is: null, from, at: -1 }]));
  return [...later, ...gone];
}

function sequenceChange(pairs: readonly Pair<unknown>[], path: string, name: string): DocumentChange[] {
  const kept = pairs.filter(({ is, from }) => is !== null && from !== -1).map(({ from }) => from);
  const isSorted = kept.every((from, i) => i === 0 || from > (kept[i - 1] ?? -1));
  if (isSorted) return [];
  const say = (places: readonly number[]): string => places.map((place) => place + 1).join(', ');
  return [{ path, name, from: say([...kept].sort((a, b) => a - b)), to: say(kept) }];
}

function ruleLikeness(a: Rule, b: Rule): number {
  if (textOf(a) === textOf(b)) return 9;
  if ('rules' in a || 'rules' in b) {
    if (!('rules' in a && 'rules' in b)) return 0;
    return a.rules.some((one) => b.rules.some((other) => isSamePiece(one, other))) ? 4 : 1;
  }
  const [left, right] = [a, b].map((rule) => (rule.kind === 'moves' ? [rule.operand] : [rule.left, rule.right]));
  const shared = left?.filter((operand, i) => isSamePiece(operand, right?.[i])).length ?? 0;
  const kinds = left?.filter((operand, i) => looksAt(operand) === looksAt(right?.[i])).length ?? 0;
  return shared * 3 + kinds + (a.kind === b.kind ? 0.5 : 0);
}

function looksAt(operand: Operand | undefined): string {
  if (operand === undefined) return '';
  return operand.kind === 'indicator' ? operand.indicator : operand.kind;
}

function signalLikeness(a: SignalRule, b: SignalRule): number {
  if (a.tag === b.tag) return 9;
  if (isSamePiece(a.when, b.when)) return 8;
  const shared = topRulesOf(a, '').filter(({ rule }) => topRulesOf(b, '').some((other) => isSamePiece(rule, other.rule))).length;
  return shared;
}
