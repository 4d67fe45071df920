import { Fact } from '../ui/fact.tsx';
import { formatMoney, formatPnl, settleOf, toneOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { BacktestDetails, BacktestRun } from './run-list.ts';

const unknown = '—';

/** Whose rules fill the orders of a run. */
const fillsTexts: Readonly<Record<BacktestDetails['mode'], string>> = { parity: 'as freqtrade', realistic: 'realistic' };

/** The figures of a run in a row. Those of the details keep their room until they have come. */
export function Figures({ run, details }: { run: BacktestRun; details: BacktestDetails | undefined }) {
  const { metrics } = run;
  const currency = settleOf(run.symbol);
  return (
    <dl className="bt-figures fl-number">
      <Fact name="Total Trades">{metrics?.total_trades ?? unknown}</Fact>
      <Fact name="Win Rate">{metrics === null ? unknown : formatRatio(metrics.win_rate)}</Fact>
      <Fact name={`Net PnL (${currency})`}>
        {metrics === null ? (
          unknown
        ) : (
          <span className={`fl-${toneOf(metrics.net_pnl, currency)}`}>{formatPnl(metrics.net_pnl, currency)}</span>
        )}
      </Fact>
      <Fact name="Stake, Max Open Trades">
        {formatMoney(run.stake_amount, currency)} × {run.max_open_trades}
      </Fact>
      <Fact name="Market Change">
        {details === undefined ? unknown : `${details.market_change < 0 ? '' : '+'}${formatRatio(details.market_change, 2)}`}
      </Fact>
      <Fact name="Signals Taken">{signalsText(details)}</Fact>
      <Fact name="Fees">{feesText(details, currency)}</Fact>
      <Fact name="Period (UTC)">
        {details === undefined ? unknown : `${formatMoment(details.from).slice(0, 16)} to ${formatMoment(details.to).slice(0, 16)}`}
      </Fact>
      <Fact name="Fills">{details === undefined ? unknown : fillsTexts[details.mode]}</Fact>
    </dl>
  );
}

/** '3 of 12'; of a run before signals were counted nothing can be said. */
function signalsText(details: BacktestDetails | undefined): string {
  const entries = details?.entries ?? null;
  return entries === null ? unknown : `${entries.entered} of ${entries.signals}`;
}

/** '$12.40, 0.1% of each fill'. */
function feesText(details: BacktestDetails | undefined, currency: string): string {
  const paid = details?.metric_sets[0]?.metrics.find(({ name }) => name === 'Fees')?.value ?? null;
  const ratio = details?.fee_ratio ?? null;
  if (paid === null || ratio === null) return unknown;
  return `${formatMoney(paid, currency)}, ${Number((ratio * 100).toPrecision(6))}% of each fill`;
}
