import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** How many elements of a long list are in a part. */
const partLength = 500;

/** A kept result in parts, as JSON: whoever reads one of many megabytes as a whole does nothing else meanwhile. */
export interface ResultParts {
  rest: string; // the result with its long lists empty
  lists: ReadonlyMap<string, readonly string[]>; // those lists by the name of their field: parts of 500 elements, lists themselves
}

/** What a finished run looks like in full, in parts; or null. Of its long lists those named, or all. */
export async function findResultParts(db: Database, id: string, lists: readonly string[] | 'all' = 'all'): Promise<ResultParts | null> {
  const isWanted = lists === 'all' ? sql`is_long` : sql`is_long and field.key = any(${lists}::text[])`;
  const { rows } = await sql<{ field: string | null; text: string }>`
    with kept as materialized (select result from backtests where id = ${id} and result is not null),
      field as materialized (
        select each.key, each.value, jsonb_typeof(each.value) = 'array' and jsonb_array_length(each.value) > ${partLength} as is_long
        from kept, jsonb_each(case jsonb_typeof(kept.result) when 'object' then kept.result else '{}' end) each)
    select null as field, 0 as part,
      coalesce((select jsonb_object_agg(key, case when is_long then '[]' else value end) from field), '{}')::text as text
    from kept
    union all
    select field.key, part, jsonb_path_query_array(field.value, ('$[' || part || ' to ' || part + ${partLength - 1} || ']')::jsonpath)::text
    from field, generate_series(0, case when ${isWanted} then jsonb_array_length(field.value) - 1 else -1 end, ${partLength}) part
    order by 1 nulls first, 2`.execute(db);
  const [rest, ...parts] = rows;
  if (rest === undefined) return null;
  const found = new Map<string, string[]>();
  for (const { field, text } of parts) {
    const list = found.get(field ?? '') ?? [];
    found.set(field ?? '', list);
    list.push(text);
  }
  return { rest: rest.text, lists: found };
}
