/** A row of an answer or of a stream: names and values as the exchange has sent them. */
export type Row = Readonly<Record<string, unknown>>;

/** An answer as a row. Fails: Error when it is something else, so that nobody continues with an empty one */
export function rowOf(answer: unknown): Row {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Row;
  throw new Error('the answer is not a row');
}

/** An answer as a list of rows. Fails: Error when it is something else */
export function rowsOf(answer: unknown): Row[] {
  if (Array.isArray(answer)) return answer.map(rowOf);
  throw new Error('the answer is not a list');
}

/** A text; ids come as numbers too. Fails: Error when it is missing */
export function textOf(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new Error(`the field ${name} is missing in an answer`);
}

/** A number. Fails: Error when it is missing or not one */
export function numberOf(row: Row, name: string): number {
  const value = Number(textOf(row, name));
  if (Number.isFinite(value)) return value;
  throw new Error(`the field ${name} of an answer is not a number`);
}

/** A number above 0, or null where the exchange writes 0 or nothing. */
export function positiveOf(row: Row, name: string): number | null {
  const value = Number(row[name] ?? 0);
  return value > 0 ? value : null;
}
