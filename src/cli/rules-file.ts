import { existsSync, readFileSync, statSync } from 'node:fs';
import { rulesDocument } from '#contract/rules.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import { CommandError } from './command-error.ts';

/** The document of a file. Fails: CommandError with everything that is wrong with it */
export function soundDocument(path: string): RulesDocument {
  const read = rulesDocument.safeParse(parsedFile(path));
  if (!read.success) {
    throw new CommandError(
      read.error.issues.slice(0, 10).map((issue) => `${path}: ${issue.path.join('.') || 'the document'}: ${issue.message}`),
    );
  }
  const faults = faultsOf(read.data);
  if (faults.length > 0)
    throw new CommandError(faults.map((fault) => `${fault.path === '' ? path : `${path}: ${fault.path}`}: ${fault.sentence}`));
  return read.data;
}

function parsedFile(path: string): unknown {
  if (!existsSync(path) || !statSync(path).isFile()) throw new CommandError(`The file ${path} does not exist.`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${errorText(error)}`);
  }
}
