import { changeAddress } from '../../address/address.ts';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { decimalsOf, formatPnl, settleOf, toneOf } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { onDemand } from '../../ui/on-demand.tsx';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import { LoadingRows } from '../../ui/skeleton.tsx';
import { DetailsMissing } from './details-missing.tsx';
import type { DetailsState, StrategyDetails } from './use-details.ts';

const EquityChart = onDemand(
  () => import('../../chart/equity-chart.tsx').then((module) => module.EquityChart),
  <div className="strategy-chart" />,
);

type LastBacktest = NonNullable<StrategyDetails['last_backtest']>;

/** The equity of the newest finished backtest of the strategy that the person may see. */
export function LastBacktestSection({ state }: { state: DetailsState }) {
  const { details, isLoading } = state;
  const last = details?.last_backtest ?? null;
  return (
    <CardPanel title="Equity of the Last Backtest" aside={last === null ? '' : `${last.symbol}, ${last.days} days`} flush>
      {last !== null ? (
        <Backtest last={last} />
      ) : details !== undefined ? (
        <EmptyState
          text="No backtest of this strategy yet"
          hint="The newest one that you have run is drawn here."
          minHeight={180}
          action={
            <Button variant="secondary" onClick={() => changeAddress({ tab: 'backtest', run: null })}>
              Run a Backtest
            </Button>
          }
        />
      ) : isLoading ? (
        <LoadingRows label="Loading the last backtest" rows={6} height={60} />
      ) : (
        <DetailsMissing text="No backtest to show" reload={state.reload} minHeight={360} />
      )}
    </CardPanel>
  );
}

function Backtest({ last }: { last: LastBacktest }) {
  const currency = settleOf(last.symbol);
  const trades = `${last.total_trades} ${last.total_trades === 1 ? 'trade' : 'trades'}, ${formatRatio(last.win_rate)} won`;
  return (
    <>
      <p className="strategy-last fl-number">
        <strong className={`fl-${toneOf(last.net_pnl, currency)}`}>
          {formatSignedRatio(last.profit_ratio)} ({formatPnl(last.net_pnl, currency)})
        </strong>
        {`, ${trades}`}
        <span className="strategy-hint">
          {`${last.timeframe} candles of ${last.exchange}, ${last.trading_mode}, finished ${formatMoment(last.finished_at).slice(0, 16)} UTC`}
        </span>
      </p>
      <EquityChart label={`Equity of the last backtest, ${last.symbol}`} first={last.equity} unit="money" decimals={decimalsOf(currency)} />
      <div className="strategy-last-foot">
        <Button variant="ghost" size="small" onClick={() => changeAddress({ tab: 'backtest', run: last.id })}>
          Open the Backtest
        </Button>
      </div>
    </>
  );
}
