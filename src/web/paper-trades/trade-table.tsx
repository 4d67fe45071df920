import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { FleetBot } from '../live/joined-fleet.ts';
import { RowsOutOfSight } from '../ui/rows-out-of-sight.tsx';
import { useDrafts } from './drafts-store.ts';
import type { PaperTrade, TradeView } from './trade-list.ts';
import { TradeRow } from './trade-row.tsx';
import type { PaperTradesState } from './use-paper-trades.ts';

/** The height of a row in px, and that of a card on a narrow screen; the style sheet has the same. */
const rowHeight = { wide: 38, narrow: 128 } as const;

const columns = [
  ['Time', 'timestamp'],
  ['Bot', null],
  ['Pair', null],
  ['Dir', 'direction'],
  ['Entry', 'entry_price'],
  ['Outcome', 'outcome'],
  ['PnL', 'pnl'],
  ['Comment', null],
] as const;

/** See `TradeTable`. */
export interface TradeTableProps extends Pick<PaperTradesState, 'saving' | 'saveComment'> {
  trades: readonly PaperTrade[]; // in the order of the view
  view: TradeView;
  bots: readonly FleetBot[] | undefined; // undefined while not loaded
}

/** The paper trades; only those in sight are drawn. */
export function TradeTable({ trades, view, bots, saving, saveComment }: TradeTableProps) {
  const drafts = useDrafts();
  const names = new Map(bots?.map(({ bot_id: id, nickname }) => [id, nickname]));
  const isNarrow = useMediaQuery('(max-width: 56em)', false, { getInitialValueInEffect: false });
  const height = rowHeight[isNarrow ? 'narrow' : 'wide'];
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- its answers are used here only
  const virtual = useVirtualizer({
    count: trades.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    overscan: 8,
    getItemKey: (place) => trades[place]?.trade_id ?? place,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  useEffect(() => {
    scroll.current?.scrollTo({ top: 0 }); // another view is read from its beginning
  }, [view]);
  const inSight = virtual.getVirtualItems();
  const above = inSight[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0);
  return (
    <div ref={scroll} className="paper-scroll" tabIndex={0} role="region" aria-label="Paper Trades, scrollable">
      <table className="paper-table fl-number" aria-label="Paper Trades" aria-rowcount={trades.length + 1}>
        <thead>
          <tr>
            {columns.map(([title, field]) => (
              <th
                key={title}
                scope="col"
                aria-sort={field === view.sortBy ? (view.order === 'asc' ? 'ascending' : 'descending') : undefined}
              >
                {title}
                {field === view.sortBy ? <span aria-hidden> {view.order === 'asc' ? '↑' : '↓'}</span> : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 ? <RowsOutOfSight height={above} columns={columns.length} /> : null}
          {inSight.map(({ index, key }) => {
            const trade = trades[index];
            return trade === undefined ? null : (
              <TradeRow
                key={key}
                trade={trade}
                botName={names.get(trade.bot_id) ?? null}
                place={index}
                draft={drafts[trade.trade_id]}
                isSaving={saving.has(trade.trade_id)}
                onSave={(comment) => saveComment(trade.trade_id, comment)}
              />
            );
          })}
          {below > 0 ? <RowsOutOfSight height={below} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  );
}
