import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { expect, test } from 'vitest';
import { documentInText, mostCharacters, textOfDocument } from './document-text.ts';

test.each(Object.entries(rulesTemplates))('%s as text is read as the same document', (_, document) => {
  expect(documentInText(textOfDocument(document))).toEqual({ ok: true, document });
});

const fault = (text: string) => {
  const found = documentInText(text);
  return found.ok ? null : found.fault;
};

test('what is not the text of rules says so in one sentence', () => {
  expect(fault(' \n')).toBe('There is no text.');
  expect(fault('x'.repeat(mostCharacters + 1))).toBe('The text has 200001 characters; rules have 200000 at most.');
  for (const text of ['hello', '{', '[]', 'null', '42', '{"a":1}', textOfDocument(emaCross).slice(0, 400)])
    expect(fault(text)).toBe('This is not the text of rules. Take it with "Copy as text", whole.');
  expect(fault(textOfDocument({ ...emaCross, version: 2 as 1 }))).toBe(
    'The rules are written in form 2, and this version of the program reads form 1.',
  );
  expect(fault(textOfDocument({ ...emaCross, guard: [{ kind: 'sometimes' } as never] }))).toBe(
    'The text cannot be read as rules: something is wrong at guard.0.kind.',
  );
});

test('nesting without an end is refused, not followed', () => {
  const deep = `${'{"kind":"all","rules":['.repeat(5_000)}${']}'.repeat(5_000)}`;
  expect(fault(textOfDocument(emaCross).replace('"guard": []', `"guard": [${deep}]`))).toMatch(/^The text cannot be read as rules/u);
});
