import type { Amount, RulesDocument, RulesParameter } from '#engine/rules/document.ts';
import { isReference } from '#engine/rules/resolved.ts';
import { piecesOf } from '#engine/rules/walk.ts';
import { pieceAt, withPiece } from './pieces-at.ts';
import { ruleRows } from './rule-rows.ts';

/** What a name of a parameter must look like; the contract refuses others. */
const nameForm = /^[a-z][A-Za-z0-9]{0,29}$/u;

/** Why a parameter cannot have this name, in a sentence; null when it can. `own` is the name it has now. */
export function nameFault({ parameters }: Pick<RulesDocument, 'parameters'>, name: string, own: string | null = null): string | null {
  if (name === own) return null;
  if (!nameForm.test(name) || name in {}) return 'A name begins with a small letter and has letters and digits only, 30 at most.';
  return Object.hasOwn(parameters, name) ? `There is a parameter ${name} already.` : null;
}

/** The number of an amount: its own, or the value of its parameter; NaN where there is no such parameter. */
export function numberOf({ parameters }: Pick<RulesDocument, 'parameters'>, amount: Amount): number {
  if (typeof amount === 'number') return amount;
  return Object.hasOwn(parameters, amount.parameter) ? (parameters[amount.parameter]?.default ?? NaN) : NaN;
}

/** The document with the number at the end of a way turned into a parameter of this name, which has that number as its value. */
export function withParameterAt(document: RulesDocument, path: string, name: string, isWhole: boolean): RulesDocument {
  const value = numberOf(document, pieceAt(document, path) as Amount);
  const parameters = { ...document.parameters, [name]: parameterOf(value, isWhole) };
  return withPiece({ ...document, parameters }, path, { parameter: name });
}

/** The document with one more parameter, which nothing uses yet. */
export function withNewParameter(document: RulesDocument): RulesDocument {
  const name = freeParameterName(document);
  return { ...document, parameters: { ...document.parameters, [name]: parameterOf(10, true) } };
}

/** A name that no parameter has. */
export function freeParameterName({ parameters }: Pick<RulesDocument, 'parameters'>): string {
  for (let i = 1; ; i++) if (!Object.hasOwn(parameters, `value${i}`)) return `value${i}`;
}

/** A parameter with this value and a range around it; its steps reach the value. */
export function parameterOf(value: number, isWhole: boolean): RulesParameter {
  const step = isWhole ? 1 : stepFor(value);
  const steps = Math.max(10, Math.round(Math.abs(value) / step / 2));
  const plain = (number: number): number => Number(number.toPrecision(12));
  const min = plain(value - Math.min(steps, isWhole ? Math.max(0, value - 1) : steps) * step);
  return { default: value, min, max: plain(value + steps * step), step, unit: isWhole ? 'candles' : '', meaning: '' };
}

/** A step of which the value is some: 1 of 34, 0.1 of 2.5, 0.001 of 0.014. */
function stepFor(value: number): number {
  const decimals = (String(Math.abs(value)).split('.')[1] ?? '').length;
  return /e/u.test(String(value)) || value === 0 ? 1 : 10 ** -decimals;
}

/** The document with a parameter under another name, wherever it stands. */
export function renamed(document: RulesDocument, name: string, next: string): RulesDocument {
  const parameters = Object.fromEntries(Object.entries(document.parameters).map(([each, it]) => [each === name ? next : each, it]));
  return { ...withAmounts(document, name, { parameter: next }), parameters };
}

/** The document without a parameter; where it stood is the number it had. */
export function withoutParameter(document: RulesDocument, name: string): RulesDocument {
  const { [name]: gone, ...parameters } = document.parameters;
  return { ...withAmounts(document, name, gone?.default ?? 0), parameters };
}

/** Where a parameter stands: the names of conditions, each once, e.g. ['2', '3a']. */
export function usesOf(document: RulesDocument, name: string): string[] {
  const paths = pathsOf(document, name);
  // A rule in a group is a line after the group: the last line that a way leads through is the condition itself.
  const rows = ruleRows(document).toReversed();
  return [...new Set(paths.map((path) => rows.find((row) => path.startsWith(`${row.path}.`))?.name ?? 'a group'))];
}

function withAmounts(document: RulesDocument, name: string, amount: Amount): RulesDocument {
  return pathsOf(document, name).reduce((next, path) => withPiece(next, path, amount), document);
}

function pathsOf(document: RulesDocument, name: string): string[] {
  const found = [...piecesOf(document)].flatMap((piece) => (piece.what === 'amount' ? [{ path: piece.path, amount: piece.amount }] : []));
  const settings = [...piecesOf(document)].flatMap((piece) =>
    piece.what === 'line' && piece.line.kind === 'indicator'
      ? Object.entries(piece.line.settings).map(([setting, amount]) => ({ path: `${piece.path}.settings.${setting}`, amount }))
      : [],
  );
  return [...found, ...settings].flatMap(({ path, amount }) =>
    typeof amount === 'object' && isReference(amount) && amount.parameter === name ? [path] : [],
  );
}
