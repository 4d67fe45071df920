import * as fc from 'fast-check';
import type { CallerKind } from './callers.ts';
import { callerKinds } from './callers.ts';
import type { JsonSchema } from './json-schema.ts';
import type { KnownValues } from './values-of-schema.ts';
import { oddValue, valueOf } from './values-of-schema.ts';
import { oddNames, oddPathParts, oddTexts, toJson } from './odd-values.ts';
import type { Operation, Parameter } from './operations.ts';
import { origin } from '../support/test-server.ts';

/** A request as it is sent. */
export interface FuzzRequest {
  operation: Operation;
  caller: CallerKind;
  method: string;
  url: string;
  headers: Record<string, string>;
  payload: string | Buffer | undefined;
  address: string;
  cookie?: string; // in place of the caller's
}

/** What a caller would send to an operation that does what it is for. */
export interface MeantInput {
  caller: CallerKind;
  cookie?: string; // of somebody else who is what the caller is
  params?: object;
  query?: object;
  body?: unknown;
}

/** Requests for one operation: valid ones, ones with a flaw, ones that are nothing but flaw, and what somebody may well mean, as it is or with one place of it changed. */
export function requestFor(operation: Operation, known: KnownValues, meant: readonly MeantInput[]): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    { weight: 1, arbitrary: validRequest(operation, known) },
    { weight: 2, arbitrary: flawedRequest(operation, known) },
    { weight: 1, arbitrary: meantRequest(operation, meant) },
  );
}

const address = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.7.${a}.${b}`);

function validRequest(operation: Operation, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const { body, route } = operation;
  return fc
    .record({
      caller: fc.constantFrom<CallerKind>('trader', 'admin', 'admin', 'operator', 'investor', 'unverified'),
      url: urlOf(operation, ({ schema, name }) => valueOf(schema, known, name).map(escaped)),
      payload: body === null ? fc.constant(undefined) : valueOf(body, known).map(toJson),
      address,
    })
    .map((parts) => ({
      ...parts,
      operation,
      method: route.method,
      headers: { origin, ...(body === null ? {} : { 'content-type': 'application/json' }) },
    }));
}

function flawedRequest(operation: Operation, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      caller: fc.constantFrom(...callerKinds, 'trader' as const, 'admin' as const, 'admin' as const),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant<string>(operation.route.method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS') },
      ),
      url: urlOf(operation, (parameter) => flawedPart(parameter, known)),
      payload: operation.body === null ? mostlyNothing : bodyOf(operation.body, known),
      contentType: fc.oneof(
        { weight: 15, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom(...contentTypes) },
      ),
      headers: oddHeaders,
      address,
    })
    .map(({ contentType, headers, ...parts }) => ({
      ...parts,
      operation,
      headers: { ...headers, ...(parts.payload === undefined || contentType === '' ? {} : { 'content-type': contentType }) },
    }));
}

function meantRequest(operation: Operation, inputs: readonly MeantInput[]): fc.Arbitrary<FuzzRequest> {
  const { url, route } = operation;
  return fc
    .record({
      input: fc.constantFrom(...inputs),
      change: fc.option(fc.record({ place: fc.nat(), value: fc.option(oddValue, { nil: undefined }) }), { nil: null }),
      address,
    })
    .map(({ input: { caller, cookie, ...input }, change, address: from }) => {
      const { params, query, body } = change === null ? input : (changedAt(input, change.place, change.value) as typeof input);
      const path = Object.entries(params ?? {}).reduce(
        (filled, [name, value]) => filled.replace(`{${name}}`, () => escaped(asText(value))),
        url,
      );
      const pairs = Object.entries(query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(asText(value))}`);
      return {
        operation,
        caller,
        method: route.method,
        url: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
        headers: { origin, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        payload: body === undefined ? undefined : toJson(body),
        address: from,
        ...(cookie === undefined ? {} : { cookie }),
      };
    });
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** A value with what stands at one of the places in it, however deep, replaced; without it where `value` is undefined. */
function changedAt(whole: unknown, place: number, value: unknown): unknown {
  const places = placesIn(whole);
  const path = places[place % places.length];
  if (path === undefined) return whole;
  const change = (part: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return value;
    const changed: Record<string, unknown> = { ...(part as object) };
    changed[name] = change(changed[name], rest);
    if (Array.isArray(part)) return Object.values(changed).filter((each) => each !== undefined);
    return changed;
  };
  return change(whole, path);
}

/** The paths to all parts of a value but the parameters, query and body as such. */
function placesIn(part: unknown, path: readonly string[] = []): string[][] {
  const own = path.length < 2 ? [] : [[...path]];
  if (typeof part !== 'object' || part === null) return own;
  return [...own, ...Object.entries(part).flatMap(([name, each]) => placesIn(each, [...path, name]))];
}

const contentTypes = [
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/jsonp',
  ';;;',
];

const headerOf = (name: string, values: readonly (string | null)[], usual: string | null): fc.Arbitrary<Record<string, string>> =>
  fc
    .oneof({ weight: 10, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...values) })
    .map((value): Record<string, string> => (value === null ? {} : { [name]: value }));

const oddHeaders = fc
  .tuple(
    headerOf('origin', ['https://evil.example', 'null', null, `${origin}.evil.example`], origin),
    headerOf('idempotency-key', ['one', 'two', 'k'.repeat(201), '%00', '__proto__'], null),
    headerOf('x-role', ['admin'], null),
    headerOf('x-forwarded-for', ['127.0.0.1', 'x'], null),
    headerOf('user-agent', ['Mozilla/5.0 (X11; Linux) Firefox/140.0', '', 'a'.repeat(5_000), '%s'], null),
    headerOf('accept-encoding', ['gzip', 'br;q=x', 'identity;q=0'], null),
  )
  .map((headers): Record<string, string> => Object.assign({}, ...headers));

const mostlyNothing = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: bodyOf({ type: 'object', additionalProperties: {} }, {}) },
);

function flawedPart({ schema, name }: Parameter, known: KnownValues): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: valueOf(schema, known, name).map(escaped) },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts).map(escaped) },
    { weight: 1, arbitrary: fc.constantFrom(...oddPathParts) },
  );
}

/** Addresses of an operation with its parameters filled in by `part`; now and then one is missing, doubled or unknown. */
function urlOf({ url, parameters }: Operation, part: (parameter: Parameter) => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const path = fc
    .tuple(...inPath.map(part))
    .map((parts) => inPath.reduce((filled, { name }, i) => filled.replace(`{${name}}`, parts[i] ?? ''), url));
  const pair = (parameter: Parameter): fc.Arbitrary<string[]> => {
    const given = part(parameter).map((text) => [`${parameter.name}=${text}`]);
    return fc.oneof(
      { weight: parameter.required ? 12 : 4, arbitrary: given },
      { weight: parameter.required ? 1 : 4, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.tuple(given, given).map(([one, two]) => [...one, ...two]) },
    );
  };
  const extra = fc.oneof(
    { weight: 9, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.constantFrom(...oddNames).map((name) => [`${escaped(name)}=1`, `${escaped(name)}[a]=2`]) },
  );
  return fc.tuple(path, fc.tuple(...inQuery.map(pair)), extra).map(([filled, pairs, more]) => {
    const query = [...pairs.flat(), ...more].join('&');
    return query === '' ? filled : `${filled}?${query}`;
  });
}

/** Percent-encoded; half a surrogate pair, which has no encoding, as the bytes that a broken program would send. */
function escaped(value: unknown): string {
  const text = String(value);
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function bodyOf(schema: JsonSchema, known: KnownValues): fc.Arbitrary<string | Buffer | undefined> {
  const valid = valueOf(schema, known);
  const names = Object.keys(schema.properties ?? {});
  const name = fc.constantFrom(...(names.length === 0 ? ['x'] : names));
  const withField = fc.tuple(valid, name, oddValue).map(([value, key, odd]) => toJson({ ...(value as object), [key]: odd }));
  const without = fc
    .tuple(valid, name)
    .map(([value, key]) => toJson(Object.fromEntries(Object.entries(value as object).filter(([other]) => other !== key))));
  const withExtra = fc.tuple(valid, fc.constantFrom(...oddNames), oddValue).map(([value, key, odd]) => withPair(toJson(value), key, odd));
  const twice = fc.tuple(valid, name, oddValue).map(([value, key, odd]) => withPair(toJson(value), key, odd));
  const cut = fc
    .tuple(valid, fc.nat(100))
    .map(([value, share]) => toJson(value).slice(0, Math.floor((toJson(value).length * share) / 100)));
  return fc.oneof(
    { weight: 6, arbitrary: valid.map(toJson) },
    { weight: 5, arbitrary: withField },
    { weight: 1, arbitrary: without },
    { weight: 2, arbitrary: withExtra },
    { weight: 1, arbitrary: twice },
    { weight: 1, arbitrary: oddValue.map(toJson) },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', ' ', '[', `{"a":${'['.repeat(3_000)}`, 'x'.repeat(300_000)) },
  );
}

/** The text of an object with one pair more, also when the name is there already. */
function withPair(json: string, name: string, value: unknown): string {
  const pair = `${JSON.stringify(name)}:${toJson(value)}`;
  return json === '{}' || !json.startsWith('{') ? `{${pair}}` : `${json.slice(0, -1)},${pair}}`;
}
