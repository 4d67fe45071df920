/**
 * A value of a strategy with its texts as a database can keep them: half a character, as a text has that was cut in an emoji, becomes the sign for one
 * that is not known, and the character of number 0 is left out. A row or a trade with one could never be written, and a text is not a reason to leave a trade alone.
 *
 * Shape: plain data, as JSON has it
 */
export function keptText<Value>(value: Value): Value {
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [cleaned(name), cleaned(each)]));
}
