import { isObject, type JsonObject } from './json-object.ts';

/**
 * Reads the fields of an object one by one, and notes everything that is wrong in place of ending at the first fault.
 * What nobody has asked for is unknown.
 */
export class ConfigReader {
  readonly #object: JsonObject;
  readonly #path: string; // 'exchange.' inside exchange
  readonly #asked = new Set<string>();
  readonly faults: string[];
  readonly unused: string[];

  constructor(object: JsonObject, path = '', faults: string[] = [], unused: string[] = []) {
    this.#object = object;
    this.#path = path;
    this.faults = faults;
    this.unused = unused;
  }

  /** A finite number; undefined when it is left out or null. */
  number(key: string): number | undefined {
    return this.#value(key, 'a number', (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined));
  }

  /** A whole number of at least 0. */
  count(key: string): number | undefined {
    return this.#value(key, 'a whole number of at least 0', (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined,
    );
  }

  boolean(key: string): boolean | undefined {
    return this.#value(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  text(key: string): string | undefined {
    return this.#value(key, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  /** One of some texts. */
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const wanted = choices.map((choice) => `"${choice}"`).join(' or ');
    return this.#value(key, wanted, (value) => choices.find((choice) => choice === value));
  }

  texts(key: string): string[] | undefined {
    return this.#value(key, 'a list of texts', (value) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined,
    );
  }

  /** A value of any shape that the given function accepts. */
  value<Result>(key: string, wanted: string, accept: (value: unknown) => Result | undefined): Result | undefined {
    return this.#value(key, wanted, accept);
  }

  /** An object inside this one. */
  section(key: string): ConfigReader | undefined {
    const object = this.#value(key, 'an object', (value) => (isObject(value) ? value : undefined));
    return object === undefined ? undefined : new ConfigReader(object, `${this.#path}${key}.`, this.faults, this.unused);
  }

  /** The objects of a list inside this one. */
  sections(key: string): ConfigReader[] | undefined {
    const list = this.#value(key, 'a list of objects', (value) => (Array.isArray(value) && value.every(isObject) ? value : undefined));
    return list?.map((object, i) => new ConfigReader(object, `${this.#path}${key}[${i}].`, this.faults, this.unused));
  }

  /** The keys this object has. */
  keys(): string[] {
    return Object.keys(this.#object);
  }

  has(key: string): boolean {
    return this.#object[key] !== undefined && this.#object[key] !== null;
  }

  /** Keys that may be there and say nothing to a backtest; those that are there are noted. */
  allow(keys: readonly string[]): void {
    for (const key of keys) {
      if (Object.hasOwn(this.#object, key) && !this.#asked.has(key)) this.unused.push(this.#path + key);
      this.#asked.add(key);
    }
  }

  /** Notes what must be there and is not. */
  refuse(reason: string): void {
    this.faults.push(reason);
  }

  /** Notes the keys that nobody has asked for; to be called last. */
  end(): void {
    for (const key of Object.keys(this.#object)) {
      if (this.#asked.has(key)) continue;
      const near = [...this.#asked].find((known) => isNear(known, key));
      this.faults.push(
        `The key "${this.#path}${key}" is not known${near === undefined ? '' : `; is "${this.#path}${near}" meant?`}`.replace(
          /([^?])$/u,
          '$1.',
        ),
      );
    }
  }

  #value<Result>(key: string, wanted: string, accept: (value: unknown) => Result | undefined): Result | undefined {
    this.#asked.add(key);
    const value = Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
    if (value === undefined || value === null) return undefined;
    const accepted = accept(value);
    if (accepted === undefined) this.faults.push(`"${this.#path}${key}" must be ${wanted}, and is ${JSON.stringify(value).slice(0, 80)}.`);
    return accepted;
  }
}

/** Whether two keys differ in case, underscores, or one letter only. */
function isNear(known: string, given: string): boolean {
  const bare = (key: string): string => key.replaceAll('_', '').toLowerCase();
  const [a, b] = [bare(known), bare(given)];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 1 || a.length < 4) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const tail = (text: string, skip: number): string => text.slice(same + skip);
  return tail(a, 1) === tail(b, 1) || tail(a, 0) === tail(b, 1) || tail(a, 1) === tail(b, 0);
}
