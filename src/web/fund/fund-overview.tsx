import { FailedLoad } from '../ui/failed-load.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { AllocationTable } from './allocation-table.tsx';
import { LiveFigures } from './live-figures.tsx';
import { allocationsOf } from './overview.ts';
import { ModeFigures } from './mode-figures.tsx';
import { PnlByDate } from './pnl-by-date.tsx';
import { Traders } from './traders.tsx';
import { useFundOverview } from './use-fund-overview.ts';

/** All money under management: live first, test networks and paper apart below it. */
export function FundOverviewPanel() {
  const { overview, failure, isLoading, reload } = useFundOverview();
  return (
    <div className="fund">
      <h1 className="fl-visually-hidden">Fund Overview</h1>
      {failure === null ? null : (
        <FailedLoad text={failure.detail ?? 'An unexpected error occurred'} isLoading={isLoading} onRetry={reload} />
      )}
      {overview === undefined ? (
        failure === null ? (
          <LoadingRows label="Loading the fund overview" rows={16} className="fl-panel" />
        ) : null
      ) : (
        <>
          <LiveFigures overview={overview} />
          <div className="fund-middle">
            <PnlByDate history={overview.pnl_history} />
            <div className="fund">
              <Traders title="Top Traders" traders={overview.top_traders} emptyText="No top traders available" />
              <Traders title="Bottom Traders" traders={overview.bottom_traders} emptyText="No bottom traders available" />
            </div>
          </div>
          <AllocationTable rows={allocationsOf(overview)} />
          {overview.testnet_trades.trade_count === 0 ? null : <ModeFigures mode="testnet" results={overview.testnet_trades} />}
          <ModeFigures mode="paper" results={overview.paper_trades} />
        </>
      )}
    </div>
  );
}
