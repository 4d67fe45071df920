import { errorText } from '#engine/ports/error-text.ts';
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '#strategy-process/words/json-object.ts';
import { CommandError } from '../command-error.ts';

/**
 * The object in a configuration file; comments and trailing commas are allowed. `conceal` takes the place of values before anything
 * sees them, and a fault then quotes nothing of the file.
 *
 * Fails: CommandError naming file and line
 */
export function readConfigFile(file: string, conceal?: (key: string, value: unknown) => unknown): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The configuration ${file} cannot be read (${errorText(error)}).`);
  }
  const plain = plainJson(text);
  let value: unknown;
  try {
    value = JSON.parse(plain, conceal);
  } catch (error) {
    const position = Number(/position (\d+)/u.exec(errorText(error))?.[1] ?? plain.length);
    const line = plain.slice(0, position).split('\n').length;
    throw new CommandError(`${file}, line ${line}: this is not valid JSON${conceal === undefined ? ` (${errorText(error)})` : ''}.`);
  }
  if (!isObject(value)) throw new CommandError(`${file} must hold an object: { "stake_amount": 100, ... }.`);
  return value;
}

/** The text with comments and trailing commas turned into blanks, so that every position stays what it was. */
function plainJson(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/gu, ' ');
  const withoutComments = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (part) =>
    part.startsWith('"') ? part : blank(part),
  );
  return withoutComments.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/gu, (part) => (part.startsWith('"') ? part : ' '));
}
