/** A field that was changed; null where the record does not say. */
export interface ChangedField {
  field: string;
  before: string | null;
  after: string | null;
}

/** The details of a record: what changed, and what else it says. */
export interface DetailFields {
  changes: readonly ChangedField[];
  others: readonly { field: string; value: string }[];
}

/** Everything that the details of a record say. `from` and `to` are before and after: fields, or one value called `name`. */
export function detailFields({ from, to, ...rest }: Readonly<Record<string, unknown>>, name: string): DetailFields {
  const others = Object.entries(rest).map(([field, value]) => ({ field: fieldText(field), value: valueText(value) }));
  if (from === undefined && to === undefined) return { changes: [], others };
  if (!(isFields(from) || isFields(to))) return { changes: [{ field: name, before: shown(from), after: shown(to) }], others };
  // One side may be missing, or be a plain value beside fields.
  const before = isFields(from) ? from : from === undefined ? {} : { [name]: from };
  const after = isFields(to) ? to : to === undefined ? {} : { [name]: to };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = names.map((each) => ({ field: fieldText(each), before: shown(before[each]), after: shown(after[each]) }));
  return { changes, others };
}

/** A name as words: 'email_verified' and 'emailVerified' are 'Email verified'. */
function fieldText(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueText(value: unknown): string {
  if (value === null) return 'none';
  if (value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shown(value: unknown): string | null {
  return value === undefined ? null : valueText(value);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
