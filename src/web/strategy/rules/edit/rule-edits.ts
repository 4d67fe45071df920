import type { Group, Rule, RulesDocument, SignalRule } from '#engine/rules/document.ts';
import { rulesLimits } from '#engine/rules/faults.ts';
import type { SignalList } from '#engine/rules/walk.ts';
import { number, price } from '#engine/rules/pieces.ts';
import { holderOf, pieceAt, ruleAt, withItem, withoutPiece, withPiece } from './pieces-at.ts';

/** A document after an edit, and the way to the piece that was edited, which may be another one than before. */
export interface Edited {
  document: RulesDocument;
  path: string;
}

/** The condition that people begin with. */
export const firstCondition: Rule = { kind: 'compare', left: price('close'), operator: 'above', right: number(0) };

/** The document with a rule switched on where it was off, and off where it was on. */
export function switchedOver(document: RulesDocument, path: string): RulesDocument {
  const piece = pieceAt(document, path) as { isOff?: boolean };
  return withPiece(document, `${path}.isOff`, piece.isOff === true ? undefined : true);
}

/** The document with a new condition, or a new group with one, at the end of the guard, of a group, or of a signal. */
export function withRule(document: RulesDocument, holder: string, kind: 'condition' | 'group'): Edited {
  const rule: Rule = kind === 'condition' ? firstCondition : { kind: 'any', rules: [firstCondition] };
  if (holder === 'guard') return appended(document, 'guard', rule);
  const found = ruleAt(document, holder);
  if (found !== null && 'rules' in found) return appended(document, `${holder}.rules`, rule);
  // A signal of one condition becomes all of two.
  if (found === null) return { document, path: holder };
  return { document: withPiece(document, holder, groupOf(found, rule)), path: `${holder}.rules.1` };
}

/** The document with another copy of a rule below it; nothing else is as quick to change into what is meant. */
export function withCopy(document: RulesDocument, path: string): Edited {
  const { holder, name } = holderOf(path);
  const rule = ruleAt(document, path);
  if (rule === null) return { document, path };
  if (name === 'when') return { document: withPiece(document, path, groupOf(rule, rule)), path: `${path}.rules.1` };
  return { document: withItem(document, holder, Number(name) + 1, rule), path: `${holder}.${Number(name) + 1}` };
}

/** The document with a rule put into a group of its own, to which others can be added. */
export function inGroup(document: RulesDocument, path: string): Edited {
  const rule = ruleAt(document, path);
  if (rule === null) return { document, path };
  return { document: withPiece(document, path, { kind: 'any', rules: [rule] } satisfies Group), path };
}

/** The document with the rules of a group in its place. */
export function withoutGroup(document: RulesDocument, path: string): Edited {
  const rule = ruleAt(document, path);
  if (rule === null || !('rules' in rule)) return { document, path };
  const { holder, name } = holderOf(path);
  if (name === 'when') {
    const [only, ...others] = rule.rules;
    return only === undefined || others.length > 0 ? { document, path } : { document: withPiece(document, path, only), path };
  }
  const list = pieceAt(document, holder) as readonly Rule[];
  return { document: withPiece(document, holder, list.toSpliced(Number(name), 1, ...rule.rules)), path };
}

/** The document without a rule. A signal goes with its last one; a group that is left empty stays, with its fault. */
export function withoutRule(document: RulesDocument, path: string): RulesDocument {
  const { holder, name } = holderOf(path);
  if (name === 'when') return withoutPiece(document, holder);
  const signal = /^(?<signal>(?:enter|exit)(?:Long|Short)\.\d+)\.when\.rules$/u.exec(holder)?.groups?.['signal'];
  const list = pieceAt(document, holder) as readonly Rule[];
  return signal !== undefined && list.length === 1 ? withoutPiece(document, signal) : withoutPiece(document, path);
}

/** The document with a rule one place up or down among those beside it; at the end of its list it stays. */
export function moved(document: RulesDocument, path: string, by: -1 | 1): Edited {
  const { holder, name } = holderOf(path);
  if (name === 'when') return movedSignal(document, holder, by);
  const list = pieceAt(document, holder) as readonly Rule[];
  const [from, to] = [Number(name), Number(name) + by];
  const rule = list[from];
  if (to < 0 || to >= list.length || rule === undefined) return { document, path };
  return { document: withPiece(document, holder, list.toSpliced(from, 1).toSpliced(to, 0, rule)), path: `${holder}.${to}` };
}

/** The document with a signal one place up or down in its list: of signals that hold at once the first gives the tag. */
export function movedSignal(document: RulesDocument, path: string, by: -1 | 1): Edited {
  const { holder, name } = holderOf(path);
  const list = pieceAt(document, holder) as readonly SignalRule[];
  const [from, to] = [Number(name), Number(name) + by];
  const signal = list[from];
  if (to < 0 || to >= list.length || signal === undefined) return { document, path: `${path}.when` };
  return { document: withPiece(document, holder, list.toSpliced(from, 1).toSpliced(to, 0, signal)), path: `${holder}.${to}.when` };
}

/** The document with one more signal in a list, of one condition. */
export function withSignal(document: RulesDocument, list: SignalList): Edited {
  const signals = document[list];
  const tags = new Set(signals.map(({ tag }) => tag));
  const words = list.startsWith('enter') ? 'enter' : 'exit';
  const tag = Array.from({ length: rulesLimits.signals + 1 }, (_, i) => (i === 0 ? words : `${words}-${i + 1}`)).find(
    (each) => !tags.has(each),
  );
  const signal: SignalRule = { tag: tag ?? words, when: firstCondition };
  return { document: { ...document, [list]: [...signals, signal] }, path: `${list}.${signals.length}.when` };
}

function appended(document: RulesDocument, listPath: string, rule: Rule): Edited {
  const { length } = pieceAt(document, listPath) as readonly Rule[];
  return { document: withItem(document, listPath, length, rule), path: `${listPath}.${length}` };
}

/** All of two rules; what switched the first one off stays with it. */
function groupOf(first: Rule, second: Rule): Group {
  return { kind: 'all', rules: [first, second] };
}
