import './paper-trades.css';
import { texts } from '#contract/errors.ts';
import { IconLock, IconNotebook } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useFleet } from '../live/use-fleet.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { PaperSummary } from './paper-summary.tsx';
import { firstView, orders, outcomes, sortFields, tradesOf } from './trade-list.ts';
import { TradeTable } from './trade-table.tsx';
import { usePaperSum } from './use-paper-sum.ts';
import { usePaperTrades } from './use-paper-trades.ts';

/** The review of paper trades: how they went, and a comment on each. For admins. */
export function PaperTrades() {
  const user = useUser();
  return isAdmin(user) ? (
    <Review />
  ) : (
    <div className="fl-panel">
      <EmptyState icon={<IconLock size={22} />} text={texts.adminRequired} minHeight={360} />
    </div>
  );
}

function Review() {
  const list = usePaperTrades();
  const fleet = useFleet();
  const [view, setView] = useState(firstView);
  const { trades, failure } = list;
  const sum = usePaperSum(trades);
  const shown = useMemo(() => tradesOf(trades ?? [], view), [trades, view]);
  return (
    <div className="paper">
      <h1 className="fl-visually-hidden">Paper Trades</h1>
      {failure === null ? null : (
        <FailedLoad text="Failed to load paper trades" detail={failure.detail} isLoading={list.isLoading} onRetry={list.reload} />
      )}
      <PaperSummary sum={sum} listed={trades?.length ?? 0} />
      <div className="paper-tools">
        <SelectBox
          className="paper-choice"
          label="Sort By"
          options={sortFields}
          value={view.sortBy}
          onChange={(sortBy) => setView({ ...view, sortBy })}
        />
        <SelectBox
          className="paper-choice"
          label="Order"
          options={orders}
          value={view.order}
          onChange={(order) => setView({ ...view, order })}
        />
        <SelectBox
          className="paper-choice"
          label="Outcome"
          options={outcomes}
          value={view.outcome}
          onChange={(outcome) => setView({ ...view, outcome })}
        />
        <span className="paper-dim fl-number" role="status">
          {trades === undefined || trades.length === 0 ? '' : `Showing ${shown.length} of ${trades.length}`}
        </span>
      </div>
      <section className="fl-panel" aria-label="Paper Trades">
        {trades === undefined ? (
          failure === null ? (
            <LoadingRows label="Loading paper trades" rows={10} />
          ) : null
        ) : shown.length === 0 ? (
          <EmptyState
            icon={<IconNotebook size={22} />}
            text="No paper trades found"
            hint={trades.length === 0 ? 'Trades of bots in paper mode appear here.' : 'Choose another outcome to see the others.'}
            minHeight={320}
            {...(trades.length === 0
              ? {}
              : {
                  action: (
                    <Button variant="secondary" onClick={() => setView({ ...view, outcome: 'all' })}>
                      Show All
                    </Button>
                  ),
                })}
          />
        ) : (
          <TradeTable trades={shown} view={view} bots={fleet.bots} saving={list.saving} saveComment={list.saveComment} />
        )}
      </section>
    </div>
  );
}
