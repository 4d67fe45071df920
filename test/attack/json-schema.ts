/** What of JSON Schema the document of the API uses, in the form of draft 7. */
export interface JsonSchema {
  type?: string;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  format?: string;
  pattern?: string;
}

/**
 * A schema of OpenAPI 3.0 as draft 7 has it: `nullable` becomes a type of its own, an exclusive bound a number.
 *
 * Source: https://spec.openapis.org/oas/v3.0.3#schema-object
 */
export function toDraft7(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDraft7);
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toDraft7(inner)]));
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (made[exclusive] === true) {
      made[exclusive] = made[bound];
      delete made[bound];
    } else if (made[exclusive] === false) delete made[exclusive];
  }
  const { nullable, ...rest } = made;
  if (nullable === true) return { anyOf: [rest, { type: 'null' }] };
  return nullable === false ? rest : made;
}
