import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { MouseEvent, ReactNode } from 'react';
import { Fragment, useMemo, useState } from 'react';
import { RowsInSight } from './rows-in-sight.tsx';
import { sortedRows } from './sorted-rows.ts';
import { useScrollCue } from './use-scroll-cue.ts';

/** One column: what it sorts by and what it shows. */
export interface DataColumn<Row> {
  key: string;
  title: string;
  value: (row: Row) => string | number | null; // null sorts lowest
  show?: (row: Row) => ReactNode; // the value itself when absent
  numeric?: boolean; // right-aligned
  sortable?: boolean; // true when absent
  width?: number; // px at least; where every column has one, they keep their proportion whatever is in the rows
}

/** The column that a table is sorted by, and which way. */
export interface SortedBy {
  key: string;
  descending: boolean;
}

/** See `DataTable`. */
export interface DataTableProps<Row> {
  label: string; // names the table for screen readers
  columns: readonly DataColumn<Row>[]; // the same list at each render
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  sortedBy?: SortedBy; // at first
  onSort?: (by: SortedBy) => void; // a person has sorted, by a click on a header
  maxHeight?: number; // px; beyond it the rows scroll below the header
  long?: boolean; // thousands of rows: only those in sight are drawn. Needs a height, and a width of every column
  rowHeight?: number; // px, of the rows of a long table; 28 when absent
  onSelect?: (row: Row) => void; // a row can be chosen: by a click on it, by a button in its first cell
  selectedKey?: string | null; // the chosen row; brought into sight when it changes
  total?: Row; // the sum of all rows, in a last line that stays in sight
  detail?: (row: Row) => ReactNode; // shown below the chosen row; not for a long table
}

/** The height of a row of a long table without controls in it, in px. */
const plainRowHeight = 28;

/** How much of a long table is assumed to be in sight while its height is not known, in px. */
const assumedHeight = 640;

/** The height of the header, in px, below which rows come into sight. */
const headHeight = 30;

/** A table whose columns sort by a click on their header: ascending first, then descending. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    sortedBy,
    onSort,
    maxHeight,
    long = false,
    rowHeight = plainRowHeight,
    onSelect,
    selectedKey = null,
    detail,
    total,
  } = props;
  const [sorting, setSorting] = useState<SortedBy | null>(sortedBy ?? null);
  const ordered = useMemo(() => {
    const keyed = rows.map((row, index) => ({ key: rowKey(row, index), row }));
    const column = columns.find(({ key }) => key === sorting?.key);
    return sorting === null || column === undefined ? keyed : sortedRows(keyed, (row) => column.value(row), sorting.descending);
    // the keys of rows are made alike at each render
    // oxlint-disable-next-line react/exhaustive-deps
  }, [rows, columns, sorting]);
  const sortBy = (key: string) => {
    const next = { key, descending: sorting?.key === key && !sorting.descending };
    setSorting(next);
    onSort?.(next);
  };
  const scroll = useScrollCue<HTMLDivElement>();

  const drawRow = (place: number) => {
    const keyed = ordered[place];
    if (keyed === undefined) return null;
    const { key, row } = keyed;
    return (
      <Fragment key={key}>
        <tr
          {...(long ? { 'aria-rowindex': place + 2 } : {})}
          {...(onSelect === undefined ? {} : { className: 'fl-pickable', onClick: (event) => isOnControl(event) || onSelect(row) })}
          {...(key === selectedKey ? { 'data-selected': true } : {})}
        >
          {columns.map((column, at) => {
            const shown = column.show === undefined ? column.value(row) : column.show(row);
            return (
              <td key={column.key} className={column.numeric === true ? 'fl-numeric' : ''}>
                {onSelect !== undefined && at === 0 ? (
                  <button type="button" className="fl-pick" aria-pressed={key === selectedKey}>
                    {shown}
                  </button>
                ) : (
                  shown
                )}
              </td>
            );
          })}
        </tr>
        {detail !== undefined && key === selectedKey ? (
          <tr className="fl-detail">
            <td colSpan={columns.length}>{detail(row)}</td>
          </tr>
        ) : null}
      </Fragment>
    );
  };

  const width = columns.reduce((sum, column) => sum + (column.width ?? Number.NaN), 0);
  const isFixed = Number.isFinite(width);
  return (
    <div
      ref={scroll}
      className="fl-table-scroll"
      style={maxHeight === undefined ? undefined : { maxHeight }}
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
    >
      <table
        aria-label={label}
        className={['fl-table', 'fl-data', ...(long ? ['fl-table-long'] : []), ...(maxHeight === undefined ? [] : ['fl-head-stays'])].join(
          ' ',
        )}
        {...(long ? { 'aria-rowcount': ordered.length + 1 } : {})}
        style={{ ...(isFixed ? { tableLayout: 'fixed', minWidth: width } : {}), ...(long ? { '--fl-row-height': `${rowHeight}px` } : {}) }}
      >
        {isFixed ? (
          <colgroup>
            {columns.map((column) => (
              <col key={column.key} style={{ width: `${((column.width ?? 0) / width) * 100}%` }} />
            ))}
          </colgroup>
        ) : null}
        <thead>
          <tr>
            {columns.map(({ key, title, numeric, sortable = true }) => {
              const sorted = sorting?.key === key ? (sorting.descending ? 'descending' : 'ascending') : 'none';
              return (
                <th key={key} scope="col" className={numeric === true ? 'fl-numeric' : ''} aria-sort={sorted}>
                  {sortable ? (
                    <button type="button" className="fl-sort" onClick={() => sortBy(key)}>
                      {title}
                      {sorted === 'ascending' ? <IconArrowUp size={12} aria-hidden /> : null}
                      {sorted === 'descending' ? <IconArrowDown size={12} aria-hidden /> : null}
                    </button>
                  ) : (
                    title
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {long ? (
            <RowsInSight
              scroll={scroll}
              count={ordered.length}
              columns={columns.length}
              rowHeight={rowHeight}
              headHeight={headHeight}
              assumedHeight={maxHeight ?? assumedHeight}
              keyOf={(place) => ordered[place]?.key ?? place}
              chosen={selectedKey === null ? -1 : ordered.findIndex(({ key }) => key === selectedKey)}
              chosenKey={selectedKey}
              draw={(places) => places.map(drawRow)}
            />
          ) : (
            ordered.map((_, place) => drawRow(place))
          )}
        </tbody>
        {total === undefined ? null : (
          <tfoot className="fl-total">
            <tr>
              {columns.map((column) => (
                <td key={column.key} className={column.numeric === true ? 'fl-numeric' : ''}>
                  {column.show === undefined ? column.value(total) : column.show(total)}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** Whether a click was meant for something in the row, such as an entry; the button of the row itself chooses it. */
function isOnControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('form, input, a, button:not(.fl-pick)') !== null;
}
