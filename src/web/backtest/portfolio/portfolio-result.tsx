import { Menu } from '@mantine/core';
import { IconDownload, IconFlask } from '@tabler/icons-react';
import { useMemo } from 'react';
import { changeAddress } from '../../address/address.ts';
import { chartHeight } from '../../chart/chart-style.ts';
import { useExchanges } from '../../api/use-exchanges.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FigureBar } from '../../ui/figure-bar.tsx';
import { decimalsOf, formatMoney, formatPnl, quoteOf, toneOf } from '../../ui/money.ts';
import { onDemand } from '../../ui/on-demand.tsx';
import { formatRatio, formatSignedRatio, notAvailable } from '../../ui/ratio.ts';
import { saveFile } from '../../ui/save-file.ts';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import { removedDetail, removedText } from '../run-list.ts';
import { SignalCounts } from '../signal-counts.tsx';
import { DaysAndMonths } from './days-map.tsx';
import { planWords, verdictOf } from './plan-words.ts';
import { portfolioCsv, portfolioFileName, portfolioFiles, portfolioJson } from './portfolio-files.ts';
import { fieldsOfPlan } from './plan-of-run.ts';
import { fillPlan } from './portfolio-store.ts';
import { Splits } from './splits.tsx';
import type { PortfolioDetails, PortfolioRun } from './use-portfolios.ts';
import { isOpen, usePortfolio } from './use-portfolios.ts';

const EquityChart = onDemand(
  () => import('../../chart/equity-chart.tsx').then((module) => module.EquityChart),
  <div style={{ minHeight: chartHeight }} />,
);

/** How a run over several pairs went. */
export function PortfolioResult({ run }: { run: PortfolioRun }) {
  const { data, isError, refetch, isFetching } = usePortfolio(run.id, run.status === 'done');
  const details = data?.details ?? null;
  return (
    <>
      <CardPanel
        title={`${run.strategy_name}${run.code_version === null ? '' : `, version ${run.code_version}`}`}
        aside={
          details === null ? null : (
            <>
              <Button
                variant="secondary"
                icon={<IconFlask size={14} aria-hidden />}
                title="Replays this run with other settings"
                onClick={() => changeAddress({ view: 'what-if', run: run.id, bot: null, compare: null, trade: null })}
              >
                What If
              </Button>
              <Export run={run} details={details} />
            </>
          )
        }
        flush
      >
        <p className="bp-band">
          <b>REPLAY</b> stored candles, no orders were sent
        </p>
        <p className="bp-asked">{planWords(run)}</p>
        {run.status === 'failed' ? (
          <div className="bp-inside">
            <Banner tone={run.is_cancelled ? 'warning' : 'error'} text={run.error ?? 'Failed to run backtest'} />
          </div>
        ) : isOpen(run) ? (
          <EmptyState text="The result will appear here." minHeight={120} />
        ) : run.details_removed_at !== null ? (
          <Removed run={run} removedAt={run.details_removed_at} />
        ) : details !== null ? (
          <Figures run={run} details={details} />
        ) : isError || data !== undefined ? (
          <div className="bp-inside">
            <Banner tone="error" text="Failed to load the details of the run" />
            <Button variant="secondary" loading={isFetching} onClick={() => void refetch()}>
              Try Again
            </Button>
          </div>
        ) : (
          <RowsSkeleton rows={3} height={48} />
        )}
      </CardPanel>
      {details === null ? null : <Details run={run} details={details} />}
    </>
  );
}

function Figures({ run, details }: { run: PortfolioRun; details: PortfolioDetails }) {
  const { currency, total } = details;
  const losing = details.days.filter(({ pnl }) => pnl < 0).length;
  const pnl = (amount: number) => ({ value: formatPnl(amount, currency), tone: toneOf(amount, currency) });
  return (
    <FigureBar
      label="Figures of the run"
      figures={[
        { name: 'Net PnL', ...pnl(details.net_pnl), isLead: true, note: formatSignedRatio(details.net_ratio) },
        { name: `Holding the ${run.plan.pairs.length === 1 ? 'pair' : `${run.plan.pairs.length} pairs`}`, ...pnl(details.hold_pnl) },
        { name: 'Max Drawdown', value: formatMoney(details.max_drawdown, currency), note: formatRatio(details.max_drawdown_ratio, 2) },
        { name: 'Sharpe Ratio', value: details.sharpe === null ? notAvailable : details.sharpe.toFixed(2), note: 'of daily equity' },
        { name: 'Profit Factor', value: total.profit_factor === null ? notAvailable : total.profit_factor.toFixed(2) },
        { name: 'Losing Days', value: losing, note: `of ${details.days.length}` },
        { name: 'Trades', value: total.trades, note: `${(total.trades / Math.max(1, details.days.length)).toFixed(1)} a day` },
        { name: 'Win Rate', value: total.trades === 0 ? notAvailable : formatRatio(total.wins / total.trades) },
        { name: 'Fees', value: formatMoney(details.fees, currency) },
        { name: 'Slippage', value: formatMoney(details.slippage, currency) },
        ...(details.funding === null ? [] : [{ name: 'Funding', ...pnl(details.funding) }]),
        { name: 'Final Balance', value: formatMoney(details.final_balance, currency) },
        { name: 'Tries on This Range', value: run.tries },
        { name: 'Fingerprint', value: `${details.fingerprint.slice(0, 4)} ${details.fingerprint.slice(4, 8)}` },
      ]}
    />
  );
}

/** An old run of which only the figures of its row are kept, and the way to run it again. */
function Removed({ run, removedAt }: { run: PortfolioRun; removedAt: string }) {
  const exchanges = useExchanges().data ?? [];
  const exchangeId = exchanges.find(({ name }) => name === run.exchange_name)?.id;
  const currency = quoteOf(run.plan.pairs[0] ?? '');
  const { metrics } = run;
  return (
    <>
      {metrics === null ? null : (
        <FigureBar
          label="Figures of the run"
          figures={[
            { name: 'Net PnL', value: formatPnl(metrics.net_pnl, currency), tone: toneOf(metrics.net_pnl, currency), isLead: true },
            { name: 'Trades', value: metrics.total_trades },
            { name: 'Win Rate', value: metrics.total_trades === 0 ? notAvailable : formatRatio(metrics.win_rate) },
            { name: 'Tries on This Range', value: run.tries },
          ]}
        />
      )}
      <div className="bp-inside">
        <Banner tone="warning" text={removedText(removedAt)} detail={removedDetail} />
        <Button
          variant="secondary"
          title="Fills in the form with what this run was asked for"
          onClick={() =>
            fillPlan({
              strategyId: run.strategy_id,
              botId: run.bot?.id ?? null,
              ...(exchangeId === undefined ? {} : { exchangeId }),
              ...fieldsOfPlan(run.plan),
            })
          }
        >
          Run Again
        </Button>
      </div>
    </>
  );
}

function Details({ run, details }: { run: PortfolioRun; details: PortfolioDetails }) {
  const verdict = useMemo(() => verdictOf(run, details), [run, details]);
  return (
    <>
      <CardPanel title="Equity and Drawdown" aside={<span>closed trades; thin: holding the pairs</span>} flush>
        <EquityChart
          label="Equity of the run"
          first={details.equity}
          hold={details.hold}
          drawdown={details.drawdown}
          unit="money"
          decimals={decimalsOf(details.currency)}
        />
      </CardPanel>
      <div className="bp-columns">
        <DaysAndMonths details={details} />
        <SignalCounts entries={details.entries} />
      </div>
      <Splits details={details} />
      {details.without_candles.length === 0 ? null : (
        <Banner tone="warning" text={`Without candles in this range: ${details.without_candles.join(', ')}.`} />
      )}
      {details.notes.map((note) => (
        <Banner key={note} tone="warning" text={note} />
      ))}
      {verdict === null ? null : <Banner tone="warning" text={verdict.text} detail={verdict.detail} />}
    </>
  );
}

function Export({ run, details }: { run: PortfolioRun; details: PortfolioDetails }) {
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button variant="secondary" icon={<IconDownload size={14} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(portfolioFiles) as (keyof typeof portfolioFiles)[]).map((name) => (
          <Menu.Item key={name} onClick={() => saveFile(portfolioFileName(run, name, 'csv'), 'text/csv', portfolioCsv(name, details))}>
            {portfolioFiles[name].title}, CSV
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => saveFile(portfolioFileName(run, 'all', 'json'), 'application/json', portfolioJson(run, details))}>
          Everything, JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
