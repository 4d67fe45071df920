import { rulesDocument } from '#contract/rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';

/** The most characters a pasted text may have; the largest document there can be is smaller. */
export const mostCharacters = 200_000;

/** A document as people pass it on: as text that can be pasted here, at another installation, or into a file. */
export function textOfDocument(document: RulesDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The document in a text, or in one sentence why there is none. Its faults are another matter: the editor shows them. */
export function documentInText(text: string): { ok: true; document: RulesDocument } | { ok: false; fault: string } {
  const no = (fault: string) => ({ ok: false as const, fault });
  if (text.trim() === '') return no('There is no text.');
  if (text.length > mostCharacters) return no(`The text has ${text.length} characters; rules have ${mostCharacters} at most.`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return no('This is not the text of rules. Take it with "Copy as text", whole.');
  }
  if (typeof found !== 'object' || found === null || !('version' in found) || !('enterLong' in found))
    return no('This is not the text of rules. Take it with "Copy as text", whole.');
  if (found.version !== 1)
    return no(`The rules are written in form ${JSON.stringify(found.version)}, and this version of the program reads form 1.`);
  const read = rulesDocument.safeParse(found);
  if (read.success) return { ok: true, document: read.data };
  const path = read.error.issues[0]?.path.join('.') ?? '';
  return no(`The text cannot be read as rules${path === '' ? '' : `: something is wrong at ${path}`}.`);
}
