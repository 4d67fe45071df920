import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actionText, knownActions } from './action-text.ts';

const root = join(import.meta.dirname, '../../..');

/** Functions that are given the action of a record by their caller: each call of them must name it. */
const writers = ['audit', 'writeAudit', 'openSession'];

/** Where the action is passed on as it was given: the inside of those functions. */
const passedOn = ['src/server/audit/audit.ts', 'src/server/auth/open-session.ts', 'src/storage/audit/audit-log.ts'];

const sources = globSync('src/{server,processes,cli,runner,storage,mail,feeds,vault}/**/*.ts', { cwd: root })
  .filter((file) => !/\.(test|contract)\.ts$|\/testing\//u.test(file) && !passedOn.includes(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The calls of the writers in a source, each with all that stands between its parentheses. */
function calls(text: string): string[] {
  return [...text.matchAll(new RegExp(`\\b(?:${writers.join('|')})\\(`, 'gu'))].map(({ index, 0: { length } }) => {
    let depth = 1;
    let end = index + length;
    for (; depth > 0 && end < text.length; end += 1) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    return text.slice(index, end);
  });
}

/** The action that a call names: a text of its own, or the one field called so. */
function actionOf(call: string): string | null {
  return (/^(?:writeAudit|openSession)\(/u.test(call) ? /\baction: '([a-z0-9-]+)'/u : /,\s*'([a-z0-9-]+)'/u).exec(call)?.[1] ?? null;
}

const written = sources.flatMap(({ file, text }) => calls(text).map((call) => ({ file, call, action: actionOf(call) })));

test('every call that writes a record names its action', () => {
  expect(written.filter(({ action }) => action === null)).toEqual([]);
  expect(written.length).toBeGreaterThan(20);
});

test('every action that the server writes has a text, and no text is left over', () => {
  const texts = knownActions.map(({ value }) => value);
  expect(texts.toSorted()).toEqual([...new Set(written.map(({ action }) => action ?? ''))].toSorted());
});

test('what was refused or failed is not called done', () => {
  for (const { value } of knownActions) {
    expect(actionText(value, 'refused')).not.toBe(actionText(value, 'ok'));
    expect(actionText(value, 'failed')).toBe(actionText(value, 'refused'));
  }
  expect(new Set(knownActions.map(({ label }) => label)).size).toBe(knownActions.length);
});

test.each(['launch-rocket', 'constructor', ''])('the action %j without a text is shown as it is', (action) => {
  expect(actionText(action, 'ok')).toBe(action);
});
