/** A JSON object as it was read. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
