/** A row with its key, as a table draws it. */
export interface KeyedRow<Row> {
  key: string;
  row: Row;
}

type Value = string | number | null;

/** Rows in the order of a value, those of the same value as they were. Null is the lowest. */
export function sortedRows<Row>(rows: readonly KeyedRow<Row>[], valueOf: (row: Row) => Value, isDescending: boolean): KeyedRow<Row>[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((keyed) => ({ keyed, value: valueOf(keyed.row) }))
    .toSorted((one, other) => sign * compared(one.value, other.value))
    .map(({ keyed }) => keyed);
}

function compared(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one > other ? 1 : -1;
}
