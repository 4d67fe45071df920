import { Table } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { SortingState } from '@tanstack/react-table';
import { createColumnHelper, createSortedRowModel, rowSortingFeature, sortFns, tableFeatures, useTable } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { useMemo } from 'react';

/** One column: what it sorts by and what it shows. */
export interface DataColumn<Row> {
  key: string;
  title: string;
  value: (row: Row) => string | number | null; // null sorts lowest
  show?: (row: Row) => ReactNode; // the value itself when absent
  numeric?: boolean; // right-aligned
  sortable?: boolean; // true when absent
}

/** See `DataTable`. */
export interface DataTableProps<Row> {
  label: string; // names the table for screen readers
  columns: readonly DataColumn<Row>[]; // the same list at each render
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  sortedBy?: { key: string; descending: boolean };
  maxHeight?: number; // px; beyond it the rows scroll below the header
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

/** A table whose columns sort by a click on their header: ascending first, then descending. */
export function DataTable<Row extends object>({ label, columns, rows, rowKey, sortedBy, maxHeight }: DataTableProps<Row>) {
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
  return (
    <div
      className="fl-table-scroll"
      style={maxHeight === undefined ? undefined : { maxHeight }}
      tabIndex={0}
      role="region"
      aria-label={`${label}, scrollable`}
    >
      <Table aria-label={label} className="fl-table" stickyHeader={maxHeight !== undefined}>
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                const className = byKey.get(header.id)?.numeric === true ? 'fl-numeric' : '';
                return (
                  <Table.Th key={header.id} scope="col" className={className} aria-sort={ariaSort(sorted)}>
                    {header.column.getCanSort() ? (
                      <button type="button" className="fl-sort" onClick={header.column.getToggleSortingHandler()}>
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
          {table.getRowModel().rows.map((row) => (
            <Table.Tr key={row.id}>
              {columns.map((column) => (
                <Table.Td key={column.key} className={column.numeric === true ? 'fl-numeric' : ''}>
                  {column.show === undefined ? column.value(row.original) : column.show(row.original)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function ariaSort(sorted: false | 'asc' | 'desc'): 'none' | 'ascending' | 'descending' {
  if (sorted === false) return 'none';
  return sorted === 'asc' ? 'ascending' : 'descending';
}
