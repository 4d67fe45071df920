import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The place of a value that is given each time a statement runs. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const names = new Map<string, string>();

/**
 * A statement that is built once, and parsed and planned once by each connection, for what is asked at every call:
 * building and planning take some ten times as long as answering.
 *
 * `build` is called once, with stand-ins for the values; it may only hand them on. The columns must be named: a `select *`
 * would fail on open connections when a migration adds one.
 */
export function prepared<Values extends object, Row>(
  name: string,
  build: (db: Kysely<Schema>, values: Values) => Compilable<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<Row[]> {
  let built: CompiledQuery<Row> | null = null;
  return async (db, values) => {
    if (built === null) {
      const slots = new Proxy({}, { get: (_, key) => new Slot(String(key)) });
      const compiled = build(db, slots as Values).compile();
      if (/(\bselect |\.)\*/u.test(compiled.sql)) throw new Error(`The prepared statement "${name}" names no columns`);
      names.set(compiled.sql, name);
      built = compiled;
    }
    const given = values as Readonly<Record<string, unknown>>;
    const parameters = built.parameters.map((value) => (value instanceof Slot ? given[value.name] : value));
    return (await db.executeQuery<Row>({ ...built, parameters })).rows;
  };
}

/** The name under which connections keep the plan of a statement; undefined for one that is built each time. */
export function nameOfPrepared(text: string): string | undefined {
  return names.get(text);
}
