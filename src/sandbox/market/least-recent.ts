/**
 * A bounded memory of computed values. When the younger half is full the older half is dropped, so a value in use
 * stays, and nothing is moved on each look-up.
 */
export class LeastRecent<Key, Value> {
  readonly #half: number;
  #younger = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(limit: number) {
    this.#half = Math.ceil(limit / 2);
  }

  /** The value of a key, computed when it is not there. */
  get(key: Key, compute: () => Value): Value {
    const young = this.#younger.get(key);
    if (young !== undefined) return young;
    const old = this.#older.get(key);
    const value = old === undefined ? compute() : old;
    if (this.#younger.size >= this.#half) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
    return value;
  }
}
