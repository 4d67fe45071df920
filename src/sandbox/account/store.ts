import { type Change, Journal } from './journal.ts';

/** The rows of one kind, by key, in the sequence they came. A row is never changed in place. */
export interface Table<Row extends object> {
  get(key: string): Readonly<Row> | undefined;
  /** Writes a row; null removes it. With 'later' it goes to the disk with the next commit, and no rollback takes it back. */
  put(key: string, row: Row | null, when?: 'later'): void;
  rows(): Iterable<Readonly<Row>>;
  readonly size: number;
}

/**
 * The books of all accounts: tables in memory, and on disk when there is a folder. What was put is not final before `commit`;
 * `rollback` takes it back.
 */
export class Store {
  readonly #tables = new Map<string, Map<string, object>>();
  readonly #journal: Journal | null;
  readonly #waiting = new Map<string, { table: string; key: string }>();
  #changed: { table: string; key: string; before: object | undefined }[] = [];

  /** Fails: Error when the folder cannot be read or written */
  constructor(folder: string | null, journalBytes?: number) {
    this.#journal =
      folder === null ? null : new Journal(folder, ([table, key, row]) => this.#set(table, key, row ?? undefined), journalBytes);
  }

  table<Row extends object>(name: string): Table<Row> {
    const rows = this.#rowsOf(name) as Map<string, Row>;
    return {
      get: (key) => rows.get(key),
      put: (key, row, when) => {
        if (when === 'later') this.#waiting.set(`${name}\n${key}`, { table: name, key });
        else this.#changed.push({ table: name, key, before: rows.get(key) });
        this.#set(name, key, row ?? undefined);
      },
      rows: () => rows.values(),
      get size() {
        return rows.size;
      },
    };
  }

  /** Makes what was put final: it is on the disk when this returns. */
  commit(): void {
    if (this.#changed.length === 0) return;
    const touched = new Map([...this.#waiting, ...this.#changed.map(({ table, key }) => [`${table}\n${key}`, { table, key }] as const)]);
    const changes = [...touched.values()].map(({ table, key }): Change => [table, key, this.#rowsOf(table).get(key) ?? null]);
    this.#journal?.append(changes);
    this.#changed = [];
    this.#waiting.clear();
    if (this.#journal?.isLong === true) this.#journal.snapshot(this.#everything());
  }

  /** Undoes what was put since the last commit. */
  rollback(): void {
    for (const { table, key, before } of this.#changed.toReversed()) this.#set(table, key, before);
    this.#changed = [];
  }

  close(): void {
    this.#journal?.close();
  }

  #rowsOf(table: string): Map<string, object> {
    let rows = this.#tables.get(table);
    if (rows === undefined) {
      rows = new Map();
      this.#tables.set(table, rows);
    }
    return rows;
  }

  #set(table: string, key: string, row: object | undefined): void {
    if (row === undefined) this.#rowsOf(table).delete(key);
    else this.#rowsOf(table).set(key, row);
  }

  *#everything(): Iterable<Change> {
    for (const [table, rows] of this.#tables) for (const [key, row] of rows) yield [table, key, row];
  }
}
