import type { KeyboardEvent as ReactKeyboardEvent } from 'react';
import { useEffect } from 'react';
import { moved, switchedOver, withCopy, withRule } from '../edit/rule-edits.ts';
import { holderOf, ruleAt } from '../edit/pieces-at.ts';
import { sentenceOf } from '../edit/sentence.ts';
import type { RulesEditor } from './rules-editor.ts';

/** What the keys do besides editing a line. */
export interface RulesKeys {
  undo: () => void;
  redo: () => void;
  walk: (by: -1 | 1) => void; // to the next or the previous trade that differs
}

/**
 * Keys of the editor: arrows move along the lines, Enter edits, Space switches, Alt and an arrow moves the line, A adds one, [ and ] walk along the
 * trades that differ, Ctrl Z undoes. None saves and none trades. Gives what handles them inside the editor.
 */
export function useRulesKeys(editor: RulesEditor, keys: RulesKeys): (event: ReactKeyboardEvent) => void {
  const isReadOnly = editor.readOnly;
  useEffect(() => {
    // What had the focus may be gone with an edit; the page has it then.
    const onPage = (event: KeyboardEvent) => {
      if (event.target === document.body) onGeneralKey(event, keys, isReadOnly);
    };
    document.addEventListener('keydown', onPage);
    return () => document.removeEventListener('keydown', onPage);
  }, [keys, isReadOnly]);
  return (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && isTextOfPerson(target)) return; // the field has an undo of its own
    if (event.key === 'Escape' && editor.opened !== null) {
      if (target.getAttribute('aria-expanded') === 'true' && isField(target)) return; // a list of choices is closed first
      editor.open(null);
      focusLine(event.currentTarget, editor.selected);
      return;
    }
    if (isField(target) && !isControl) return;
    if (onGeneralKey(event, keys, isReadOnly) || isControl) return;
    const line = target.closest<HTMLElement>('.rules-row');
    if (line !== null) onLine(event, editor, line === target);
  };
}

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'preventDefault'>;

/** Undo, redo, and the walk along what differs; whether the key was one of these. */
function onGeneralKey(event: Pressed, { undo, redo, walk }: RulesKeys, isReadOnly: boolean): boolean {
  const key = event.key.toLowerCase();
  const isControl = (event.ctrlKey || event.metaKey) && !event.altKey;
  const undoes = !isControl || isReadOnly ? null : key === 'z' ? (event.shiftKey ? redo : undo) : key === 'y' ? redo : null;
  const walks = isControl ? null : key === '[' ? () => walk(-1) : key === ']' ? () => walk(1) : null;
  const act = undoes ?? walks;
  if (act === null) return false;
  event.preventDefault();
  act();
  return true;
}

function onLine(event: ReactKeyboardEvent, editor: RulesEditor, isLineItself: boolean): void {
  const { rows, selected, document, readOnly } = editor;
  const at = rows.findIndex(({ path }) => path === selected);
  const row = rows[at];
  if (row === undefined) return;
  const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
  const done = (path: string) => {
    event.preventDefault();
    focusLine(event.currentTarget, path);
  };
  if (by !== null && !event.altKey) {
    const next = rows[at + by];
    event.preventDefault();
    if (next === undefined) return;
    if (editor.opened !== null) editor.open(null);
    editor.select(next.path);
    done(next.path);
  } else if (readOnly) return;
  else if (by !== null) {
    const edited = moved(document, row.path, by);
    editor.edit(edited.document, `${row.path} moved`);
    editor.select(edited.path);
    done(edited.path);
  } else if (event.key === 'Enter' && isLineItself) {
    const first = sentenceOf(document, row.rule, row.path).find((part) => part.kind !== 'text');
    event.preventDefault();
    editor.open(first?.path ?? null);
    focusFields(event.currentTarget, row.path);
  } else if (event.key === ' ' && isLineItself) {
    editor.edit(switchedOver(document, row.path), `${row.path} switch`);
    event.preventDefault();
  } else if (event.key.toLowerCase() === 'a' && !event.altKey) {
    const { holder, name } = holderOf(row.path);
    // Beside the line, in the list it is in; a signal of one condition becomes one of two.
    const edited = name === 'when' ? withRule(document, row.path, 'condition') : besideLine(editor, row.path, holder);
    editor.edit(edited.document, `${row.path} added`);
    editor.select(edited.path);
    done(edited.path);
  }
}

function besideLine({ document }: RulesEditor, path: string, holder: string): { document: RulesEditor['document']; path: string } {
  const group = holder.replace(/\.rules$/u, '');
  if (holder === 'guard') return withRule(document, 'guard', 'condition');
  return ruleAt(document, group) === null ? withCopy(document, path) : withRule(document, group, 'condition');
}

/** Puts the focus on a line once it is drawn. */
function focusLine(container: EventTarget, path: string | null): void {
  if (path === null || !(container instanceof HTMLElement)) return;
  requestAnimationFrame(() => container.querySelector<HTMLElement>(`[data-rule="${CSS.escape(path)}"] > .rules-row`)?.focus());
}

/** Puts the focus on the first field below a line once it is drawn. */
function focusFields(container: EventTarget, path: string): void {
  if (!(container instanceof HTMLElement)) return;
  requestAnimationFrame(() =>
    container.querySelector<HTMLElement>(`[data-rule="${CSS.escape(path)}"] > .rules-edit :is(input, button)`)?.focus(),
  );
}

/** Whether keys belong to what is typed there. */
function isField(target: HTMLElement): boolean {
  return target.matches('input:not([type="checkbox"]), textarea, select, [role="option"], [role="menuitem"]') || target.isContentEditable;
}

/** Whether a person writes words there, which the browser undoes letter by letter. */
function isTextOfPerson(target: HTMLElement): boolean {
  return target.matches('textarea') || (target.matches('input[type="text"]') && !target.matches('.rules-number input, [role="combobox"]'));
}
