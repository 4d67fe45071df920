import type { Bot } from '#contract/bots.ts';
import { IconChartLine } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { DayField } from '../../ui/day-field.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import type { PnlSnapshot } from '../use-bot-details.ts';
import { pnlColumns } from './pnl-columns.tsx';
import { PnlOverview } from './pnl-overview.tsx';

const newestFirst = { key: 'timestamp', descending: true };

/** See `PnlPanel`. */
export interface PnlPanelProps {
  bot: Pick<Bot, 'stake_currency'>;
  snapshots: readonly PnlSnapshot[] | undefined;
  isFailed: boolean; // the reason is shown above
}

/** The newest balance snapshots of a bot, of all days or of one. */
export function PnlPanel({ bot, snapshots, isFailed }: PnlPanelProps) {
  const [date, setDate] = useState('');
  const columns = useMemo(() => pnlColumns(bot.stake_currency), [bot.stake_currency]);
  const shown = useMemo(() => (snapshots ?? []).filter(({ timestamp }) => timestamp.includes(date)), [snapshots, date]);
  return (
    <div className="bots">
      {snapshots === undefined || snapshots.length === 0 ? null : <PnlOverview snapshots={snapshots} currency={bot.stake_currency} />}
      <CardPanel
        title="PNL Snapshots"
        flush
        aside={
          <>
            <span className="fl-number">{snapshots === undefined ? '' : `${shown.length} of ${snapshots.length}, times in UTC`}</span>
            <DayField label="Date" hideLabel value={date} onChange={setDate} />
            <Button variant="secondary" disabled={date === ''} onClick={() => setDate('')}>
              All Dates
            </Button>
          </>
        }
      >
        {snapshots === undefined && !isFailed ? <RowsSkeleton rows={12} /> : null}
        {snapshots !== undefined && shown.length === 0 ? (
          <EmptyState
            icon={<IconChartLine size={22} />}
            text="No PNL snapshots found"
            hint={
              snapshots.length === 0
                ? 'One is taken at every closed trade, and every full hour while the bot is active.'
                : 'There is none of this day.'
            }
            minHeight={240}
          />
        ) : null}
        {shown.length > 0 ? (
          <DataTable
            label="PNL Snapshots"
            long
            maxHeight={Math.min(640, 32 + shown.length * 28)}
            columns={columns}
            rows={shown}
            rowKey={({ timestamp }, index) => `${timestamp} ${index}`}
            sortedBy={newestFirst}
          />
        ) : null}
      </CardPanel>
    </div>
  );
}
