import type { PluginTransformResultArgs, QueryResult, UnknownRow } from 'kysely';
import { CamelCasePlugin } from 'kysely';

/**
 * Columns in snake_case as fields in camelCase. Kysely's own plugin converts the name of every field of every row, which takes
 * longer than reading them; here the names of a result are converted once. What is inside a value stays as it is.
 */
export class CamelCaseRows extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const [first] = result.rows;
    if (first === undefined) return result;
    const names = Object.keys(first).map((column) => [column, this.camelCase(column)] as const);
    const rows = result.rows.map((row) => {
      const fields: UnknownRow = {};
      for (const [column, name] of names) fields[name] = row[column];
      return fields;
    });
    return { ...result, rows };
  }
}
