import { IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { saveFile } from '../ui/save-file.ts';
import { SelectBox } from '../ui/select-box.tsx';
import { exportCsv, exportJson, exportName } from './exports.ts';
import { wonText } from './figure-words.ts';
import type { Grouping, Ledger, ProfitGroup } from './ledgers.ts';
import { groupings, isOfTime } from './ledgers.ts';
import type { ProfitRange } from './profit-range.ts';

/** See `GroupTable`. */
export interface GroupTableProps {
  ledger: Ledger;
  grouping: Grouping;
  range: ProfitRange;
  isLate: boolean;
  onGroup: (grouping: Grouping) => void;
}

const rowHeight = 28;

/** What each group of trades came to, the highest profit first, and their sum; as a file too. */
export function GroupTable({ ledger, grouping, range, isLate, onGroup }: GroupTableProps) {
  const { groups, figures, currency } = ledger;
  const title = groupings.find(({ value }) => value === grouping)?.label ?? '';
  const columns = useMemo(() => columnsOf(title, currency), [title, currency]);
  const of = { ledger, grouping, range };
  const button = {
    variant: 'secondary',
    size: 'small',
    disabled: groups.length === 0 || isLate,
    icon: <IconDownload size={14} aria-hidden />,
  } as const;
  return (
    <CardPanel
      title="Profits by Group"
      flush
      aside={
        <span className="profits-groups">
          <SelectBox<Grouping> label="Group by" hideLabel options={groupings} value={grouping} onChange={onGroup} />
          <Button {...button} onClick={() => saveFile(`${exportName(of)}.csv`, 'text/csv;charset=utf-8', exportCsv(of))}>
            CSV
          </Button>
          <Button {...button} onClick={() => saveFile(`${exportName(of)}.json`, 'application/json', exportJson(of))}>
            JSON
          </Button>
        </span>
      }
    >
      {groups.length === 0 ? (
        <EmptyState text="No trade was closed in this range" minHeight={120} />
      ) : (
        <div data-late={isLate || undefined}>
          <DataTable
            key={grouping}
            label={`Profits by ${title}`}
            long
            maxHeight={Math.min(560, 32 + (groups.length + 1) * rowHeight + 2)}
            columns={columns}
            rows={groups}
            rowKey={({ key }) => key}
            sortedBy={{ key: isOfTime(grouping) ? 'name' : 'profit', descending: true }}
            total={{ key: 'total', name: 'Total', detail: null, ...figures }}
          />
        </div>
      )}
    </CardPanel>
  );
}

function columnsOf(title: string, currency: string): DataColumn<ProfitGroup>[] {
  const money = (key: 'profit' | 'funding', name: string, width: number): DataColumn<ProfitGroup> => ({
    key,
    title: name,
    value: (group) => Number(group[key]),
    show: (group) => <span className={`fl-${toneOf(Number(group[key]), currency)}`}>{formatPnl(Number(group[key]), currency)}</span>,
    numeric: true,
    width,
  });
  return [
    { key: 'name', title, value: ({ name, detail }) => `${name} ${detail ?? ''}`, show: (group) => <GroupName {...group} />, width: 220 },
    money('profit', 'Net Profit', 112),
    { key: 'trades', title: 'Trades', value: ({ trades }) => trades, numeric: true, width: 80 },
    {
      key: 'won',
      title: 'Won',
      value: ({ wins, trades }) => (trades === 0 ? null : wins / trades),
      show: wonText,
      numeric: true,
      width: 80,
    },
    {
      key: 'fees',
      title: 'Fees',
      value: ({ fees }) => Number(fees),
      show: ({ fees }) => formatMoney(Number(fees), currency),
      numeric: true,
      width: 100,
    },
    money('funding', 'Funding', 100),
  ];
}

function GroupName({ name, detail }: Pick<ProfitGroup, 'name' | 'detail'>) {
  return (
    <span className="profits-name" title={detail === null ? name : `${name}, ${detail}`}>
      {name}
      {detail === null ? null : <small>{detail}</small>}
    </span>
  );
}
