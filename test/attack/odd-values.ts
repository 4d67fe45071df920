/** A piece of JSON text that no value of JavaScript would be written as. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Names that mean something to JavaScript, to PostgreSQL or to a template. */
export const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'toJSON',
  'then',
  '__defineGetter__',
  '__lookupSetter__',
  'length',
  'name',
  'role',
  'id',
  'user_id',
  'is_admin',
  'constructor.prototype',
  '$ref',
  '',
] as const;

/** Texts that no column can hold: with a NUL character, or half a surrogate pair. */
export const unstorableTexts = ['\u0000', 'a\u0000b', 'a\u0000b@attack.example', '\ud800', 'a\udc00b', '\ud83d@attack.example'] as const;

/** Texts that have broken programs before. */
export const oddTexts = [
  ...oddNames,
  ...unstorableTexts,
  '\u202Etxt.exe',
  '\uFEFF',
  '𝕳😀é',
  'e\u0301'.repeat(80),
  "' or 1=1 --",
  "'; drop table users; --",
  '{{7*7}}',
  '${7*7}',
  '%00',
  '%s%n',
  '../../etc/passwd',
  '<img src=x onerror=alert(1)>',
  'a\r\nSet-Cookie: sid=1',
  ' ',
  '\t\n',
  'NaN',
  'null',
  '0x10',
  '1e309',
  '-0',
  'x'.repeat(300),
  'y'.repeat(9_000),
  '9'.repeat(400),
  'a@' + '.'.repeat(240) + ' ',
] as const;

/** Numbers at and beyond the edges, as JSON writes them. */
export const oddNumbers = [
  '1e309',
  '-1e309',
  '-0',
  '0',
  '9007199254740993',
  '1e-400',
  '1e20',
  '-1',
  '0.1',
  '1.0000000000000002',
  '2147483648',
].map((text) => new RawJson(text));

/** Values of every type that JSON has. */
export const oddJson = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  ['x'],
  { length: 1 },
  new RawJson('{"__proto__":{"polluted":true}}'),
  new RawJson('{"constructor":{"prototype":{"polluted":true}}}'),
  new RawJson('"\\ud800"'),
  new RawJson('"\\u0000"'),
  new RawJson(`${'['.repeat(60)}${']'.repeat(60)}`),
  ...oddNumbers,
] as const;

/** Pieces of an address that are not what they seem. */
export const oddPathParts = [
  'a%00b',
  '%00',
  '%zz',
  '%',
  '%ED%A0%80',
  '%2e%2e%2f',
  '..%2f..',
  '%2F',
  '__proto__',
  'constructor',
  'a'.repeat(600),
  '%F0%9F%98%80',
  '%20',
  "'",
  '-1',
];

/** JSON of a value that may hold `RawJson`. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}:${toJson(inner)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}
