import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CardPanel } from '../../ui/card-panel.tsx';
import type { DataColumn } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { testedExitWords } from '../../ui/exit-words.ts';
import { formatPnl, toneOf } from '../../ui/money.ts';
import { formatRatio, notAvailable } from '../../ui/ratio.ts';
import type { PortfolioDetails, PortfolioGroup } from './use-portfolios.ts';

type SplitName = 'pairs' | 'entry_tags' | 'exit_reasons' | 'directions' | 'weekdays' | 'hours';

const splits: readonly { value: SplitName; label: string; title: string }[] = [
  { value: 'pairs', label: 'Pair', title: 'Pair' },
  { value: 'entry_tags', label: 'Tag', title: 'Entry Tag' },
  { value: 'exit_reasons', label: 'Exit', title: 'Exit Reason' },
  { value: 'directions', label: 'Direction', title: 'Direction' },
  { value: 'weekdays', label: 'Weekday', title: 'Weekday of the Entry' },
  { value: 'hours', label: 'Hour', title: 'Hour of the Entry (UTC)' },
];

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** What the trades of a run came to by what they share; each split has a last line, which is the run. */
export function Splits({ details }: { details: PortfolioDetails }) {
  const [name, setName] = useState<SplitName>('pairs');
  const title = splits.find(({ value }) => value === name)?.title ?? '';
  const columns = useMemo(() => columnsOf(name, title, details.currency), [name, title, details.currency]);
  return (
    <CardPanel
      title="Where It Came From"
      aside={
        <div className="bp-scroll">
          <SegmentedControl
            size="xs"
            aria-label="Split by"
            value={name}
            onChange={(value) => setName(value)}
            data={splits.map(({ value, label }) => ({ value, label }))}
          />
        </div>
      }
      flush
    >
      <DataTable
        key={name}
        label={`By ${title}`}
        columns={columns}
        rows={details[name]}
        rowKey={({ key }) => key}
        total={{ ...details.total, key: name === 'pairs' ? `${details[name].length} pairs` : 'All' }}
        maxHeight={520}
      />
    </CardPanel>
  );
}

function columnsOf(name: SplitName, title: string, currency: string): readonly DataColumn<PortfolioGroup>[] {
  const words = (key: string): string => {
    if (key === '') return 'none';
    if (name === 'exit_reasons') return testedExitWords(key);
    if (name === 'weekdays') return weekdays[Number(key) - 1] ?? key;
    return name === 'hours' && /^\d+$/u.test(key) ? `${key.padStart(2, '0')}:00` : key;
  };
  const money = (value: number) => <span className={`fl-${toneOf(value, currency)}`}>{formatPnl(value, currency)}</span>;
  const isOrdered = name === 'weekdays' || name === 'hours';
  return [
    { key: 'key', title, value: ({ key }) => (isOrdered && /^\d+$/u.test(key) ? Number(key) : words(key)), show: ({ key }) => words(key) },
    { key: 'trades', title: 'Trades', value: ({ trades }) => trades, numeric: true },
    {
      key: 'win_rate',
      title: 'Win Rate',
      value: ({ trades, wins }) => wins / Math.max(1, trades),
      show: ({ trades, wins }) => (trades === 0 ? notAvailable : formatRatio(wins / trades)),
      numeric: true,
    },
    { key: 'pnl', title: 'Net PnL', value: ({ pnl }) => pnl, show: ({ pnl }) => money(pnl), numeric: true },
    {
      key: 'factor',
      title: 'Profit Factor',
      value: ({ profit_factor: factor }) => factor,
      show: ({ profit_factor: factor }) => (factor === null ? notAvailable : factor.toFixed(2)),
      numeric: true,
    },
    {
      key: 'worst',
      title: 'Worst',
      value: ({ worst }) => worst,
      show: ({ worst, trades }) => (trades === 0 ? notAvailable : money(worst)),
      numeric: true,
    },
    {
      key: 'minutes',
      title: 'Time in Trade',
      value: ({ minutes }) => minutes,
      show: ({ minutes, trades }) => (trades === 0 ? notAvailable : hoursText(minutes)),
      numeric: true,
    },
  ];
}

function hoursText(minutes: number): string {
  if (minutes < 60) return `${minutes.toFixed(0)} min`;
  return minutes < 60 * 48 ? `${(minutes / 60).toFixed(1)} h` : `${(minutes / 1_440).toFixed(1)} d`;
}
