import type { NumberOperand, ParameterReference } from './document.ts';

/** A number operand with its number, and the name of the parameter that it is. */
interface ResolvedNumber {
  readonly kind: 'number';
  readonly value: number;
  readonly named?: string;
}

/** A piece of a document with numbers in place of references to parameters. */
export type Resolved<Piece> = Piece extends ParameterReference
  ? never
  : Piece extends NumberOperand
    ? ResolvedNumber
    : Piece extends object
      ? { readonly [Name in keyof Piece]: Resolved<Piece[Name]> }
      : Piece;

/** A copy of the piece with the value of each parameter in the place of its name; a parameter without a value is NaN. */
export function resolved<Piece>(piece: Piece, values: Readonly<Record<string, number>>): Resolved<Piece> {
  return replaced(piece, values) as Resolved<Piece>;
}

function replaced(piece: unknown, values: Readonly<Record<string, number>>): unknown {
  if (Array.isArray(piece)) return piece.map((each) => replaced(each, values));
  if (typeof piece !== 'object' || piece === null) return piece;
  if (isReference(piece)) return Object.hasOwn(values, piece.parameter) ? values[piece.parameter] : NaN;
  const copy = Object.fromEntries(Object.entries(piece).map(([name, each]) => [name, replaced(each, values)]));
  const isNamed = 'kind' in piece && piece.kind === 'number' && 'value' in piece && typeof piece.value === 'object';
  return isNamed ? { ...copy, named: (piece.value as ParameterReference).parameter } : copy;
}

/** Whether this is a reference to a parameter; no other piece of a document has a field of this name alone. */
export function isReference(piece: object): piece is ParameterReference {
  return 'parameter' in piece && typeof piece.parameter === 'string';
}
