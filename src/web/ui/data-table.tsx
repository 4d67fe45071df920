import { Table } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { SortingState } from '@tanstack/react-table';
import { createColumnHelper, createSortedRowModel, rowSortingFeature, sortFns, tableFeatures, useTable } from '@tanstack/react-table';
import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual';
import type { MouseEvent, ReactNode } from 'react';
import { Fragment, useEffect, useMemo } from 'react';
import { RowsOutOfSight } from './rows-out-of-sight.tsx';
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

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

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
  const defs = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map((column) =>
      helper.accessor((row): unknown => column.value(row), {
        id: column.key,
        header: column.title,
        enableSorting: column.sortable ?? true,
        sortFn: 'basic',
        sortDescFirst: false,
      }),
    );
  }, [columns]);
  const data = useMemo(() => [...rows], [rows]);
  const start: SortingState = sortedBy === undefined ? [] : [{ id: sortedBy.key, desc: sortedBy.descending }];
  const table = useTable({
    features,
    columns: defs,
    data,
    getRowId: rowKey,
    enableSortingRemoval: false,
    initialState: { sorting: start },
  });
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const sortedRows = table.getRowModel().rows;

  const scroll = useScrollCue<HTMLDivElement>();
  const virtual = useVirtualizer({
    count: sortedRows.length,
    enabled: long,
    getScrollElement: () => scroll.current,
    // A height that is not known yet, because the page has not been laid out, is not none: the rows that would fit are drawn.
    observeElementRect: (instance, tell) =>
      observeElementRect(instance, (rect) => tell(rect.height === 0 ? { ...rect, height: maxHeight ?? assumedHeight } : rect)),
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  });
  const selectedIndex = long && selectedKey !== null ? sortedRows.findIndex((row) => row.id === selectedKey) : -1;
  useEffect(() => {
    if (selectedIndex !== -1) virtual.scrollToIndex(selectedIndex, { align: 'auto' });
    // only another choice brings a row into sight, not another order
    // oxlint-disable-next-line react/exhaustive-deps
  }, [selectedKey]);
  const inSight = virtual.getVirtualItems();
  const drawn = long ? inSight.flatMap(({ index }) => sortedRows[index] ?? []) : sortedRows;
  const above = long ? (inSight[0]?.start ?? headHeight) - headHeight : 0;
  const below = long ? Math.max(0, sortedRows.length * rowHeight - above - drawn.length * rowHeight) : 0;

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
      <Table
        aria-label={label}
        className={long ? 'fl-table fl-table-long' : 'fl-table'}
        stickyHeader={maxHeight !== undefined}
        {...(isFixed ? { layout: 'fixed', miw: width } : {})}
        {...(long ? { 'aria-rowcount': sortedRows.length + 1, style: { '--fl-row-height': `${rowHeight}px` } } : {})}
      >
        {isFixed ? (
          <colgroup>
            {columns.map((column) => (
              <col key={column.key} style={{ width: `${((column.width ?? 0) / width) * 100}%` }} />
            ))}
          </colgroup>
        ) : null}
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                const className = byKey.get(header.id)?.numeric === true ? 'fl-numeric' : '';
                return (
                  <Table.Th key={header.id} scope="col" className={className} aria-sort={ariaSort(sorted)}>
                    {header.column.getCanSort() ? (
                      <button
                        type="button"
                        className="fl-sort"
                        onClick={(event) => {
                          header.column.getToggleSortingHandler()?.(event);
                          onSort?.({ key: header.id, descending: sorted === 'asc' });
                        }}
                      >
                        {byKey.get(header.id)?.title}
                        {sorted === 'asc' ? <IconArrowUp size={12} aria-hidden /> : null}
                        {sorted === 'desc' ? <IconArrowDown size={12} aria-hidden /> : null}
                      </button>
                    ) : (
                      byKey.get(header.id)?.title
                    )}
                  </Table.Th>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {above > 0 ? <RowsOutOfSight height={above} columns={columns.length} /> : null}
          {drawn.map((row, at) => (
            <Fragment key={row.id}>
              <Table.Tr
                {...(long ? { 'aria-rowindex': (inSight[at]?.index ?? at) + 2 } : {})}
                {...(onSelect === undefined
                  ? {}
                  : { className: 'fl-pickable', onClick: (event) => isOnControl(event) || onSelect(row.original) })}
                {...(row.id === selectedKey ? { 'data-selected': true } : {})}
              >
                {columns.map((column, place) => {
                  const shown = column.show === undefined ? column.value(row.original) : column.show(row.original);
                  return (
                    <Table.Td key={column.key} className={column.numeric === true ? 'fl-numeric' : ''}>
                      {onSelect !== undefined && place === 0 ? (
                        <button type="button" className="fl-pick" aria-pressed={row.id === selectedKey}>
                          {shown}
                        </button>
                      ) : (
                        shown
                      )}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
              {detail !== undefined && row.id === selectedKey ? (
                <Table.Tr className="fl-detail">
                  <Table.Td colSpan={columns.length}>{detail(row.original)}</Table.Td>
                </Table.Tr>
              ) : null}
            </Fragment>
          ))}
          {below > 0 ? <RowsOutOfSight height={below} columns={columns.length} /> : null}
        </Table.Tbody>
        {total === undefined ? null : (
          <Table.Tfoot className="fl-total">
            <Table.Tr>
              {columns.map((column) => (
                <Table.Td key={column.key} className={column.numeric === true ? 'fl-numeric' : ''}>
                  {column.show === undefined ? column.value(total) : column.show(total)}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </div>
  );
}

/** Whether a click was meant for something in the row, such as an entry; the button of the row itself chooses it. */
function isOnControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('form, input, a, button:not(.fl-pick)') !== null;
}

function ariaSort(sorted: false | 'asc' | 'desc'): 'none' | 'ascending' | 'descending' {
  if (sorted === false) return 'none';
  return sorted === 'asc' ? 'ascending' : 'descending';
}
