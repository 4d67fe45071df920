import './portfolio.css';
import { useEffect, useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { useUser } from '../../session/use-session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { isWhole } from '../run-list.ts';
import { useChoicesToRun } from '../use-backtests.ts';
import { CompareRuns } from './compare-runs.tsx';
import { PortfolioResult } from './portfolio-result.tsx';
import { openPlanFormOf, showPortfolio, shownPortfolioNow, useShownPortfolio } from './portfolio-store.ts';
import { RunPlan } from './run-plan.tsx';
import { RunRows } from './run-rows.tsx';
import { usePortfolio, usePortfolios } from './use-portfolios.ts';

/** Backtests as people mean them: any pairs over any range of days, with slots, costs and protections. */
export function PortfolioTab() {
  const { strategies, exchanges, choicesFailure } = useChoicesToRun();
  const userId = useUser()?.userId ?? '';
  useEffect(() => openPlanFormOf(userId), [userId]);
  const portfolios = usePortfolios();
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const { shownId, comparedId } = useShownPortfolio();
  const { runs, open } = portfolios;
  const openId = open?.id ?? null;
  useEffect(() => {
    if (openId !== null && shownPortfolioNow() === null) showPortfolio(openId, 'replace');
  }, [openId]);
  const listed = runs?.find(({ id }) => id === shownId);
  // One that only the address names is older than the list.
  const linked = usePortfolio(runs === undefined || listed !== undefined ? null : shownId, true).data?.run;
  const shown = listed ?? linked;
  return (
    <div className="bp">
      <h1 className="fl-visually-hidden">Portfolio Backtest</h1>
      {choicesFailure === null ? null : (
        <Banner tone="error" text="Failed to load strategies or exchanges" detail={choicesFailure.detail} />
      )}
      <div className="bp-columns-top">
        <div className="bp-side">
          <RunPlan portfolios={portfolios} strategies={strategies ?? []} exchanges={exchanges ?? []} today={today} />
          <RunRows portfolios={portfolios} shownId={shownId} />
        </div>
        <div className="bp-result">
          {shown === undefined ? (
            <CardPanel title="Result">
              <EmptyState
                text="No portfolio backtest is chosen."
                hint="Fill in the form and run one, or choose an earlier run."
                minHeight={220}
              />
            </CardPanel>
          ) : (
            <>
              <PortfolioResult key={shown.id} run={shown} />
              {isWhole(shown) ? <CompareRuns run={shown} runs={runs ?? []} comparedId={comparedId} /> : null}
            </>
          )}
        </div>
      </div>
    </div>
  );
}
