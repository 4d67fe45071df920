import { CardPanel } from '../../ui/card-panel.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import { formatMoney, formatPnl } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { formatRatio, notAvailable } from '../../ui/ratio.ts';
import { isWhole } from '../run-list.ts';
import { differencesOf } from './run-differences.ts';
import { compareWith } from './portfolio-store.ts';
import type { PortfolioDetails, PortfolioRun } from './use-portfolios.ts';
import { usePortfolio } from './use-portfolios.ts';

/** See `CompareRuns`. */
export interface CompareRunsProps {
  run: PortfolioRun;
  runs: readonly PortfolioRun[];
  comparedId: string | null;
}

/** The run beside another one: what was asked differently, each figure with its difference, and which trades only one of them has. */
export function CompareRuns({ run, runs, comparedId }: CompareRunsProps) {
  const others = runs.filter((each) => each.id !== run.id && isWhole(each));
  const other = others.find(({ id }) => id === comparedId) ?? null;
  const one = usePortfolio(run.id, true).data?.details ?? null;
  const two = usePortfolio(other?.id ?? null, true).data?.details ?? null;
  return (
    <CardPanel title="Compare Two Runs" flush>
      <div className="bp-inside">
        <SelectBox
          label="With"
          placeholder="Choose another run"
          options={[
            { value: 'none', label: 'no other run' },
            ...others.map((each) => ({
              value: each.id,
              label: `${each.strategy_name}, ${each.plan.pairs.length} pairs, run ${formatMoment(each.created_at)}`,
            })),
          ]}
          value={other?.id ?? 'none'}
          onChange={(id) => compareWith(id === 'none' ? null : id)}
        />
      </div>
      {other === null ? null : one === null || two === null ? (
        <p className="bp-inside">Loading...</p>
      ) : (
        <Compared run={run} other={other} one={one} two={two} />
      )}
    </CardPanel>
  );
}

function Compared({ run, other, one, two }: { run: PortfolioRun; other: PortfolioRun; one: PortfolioDetails; two: PortfolioDetails }) {
  const { asked, both, onlyOne, onlyTwo } = differencesOf({ run, details: one }, { run: other, details: two });
  const { currency } = one;
  const money = (amount: number) => formatMoney(amount, currency);
  const pnl = (amount: number) => formatPnl(amount, currency);
  const plain = (decimals: number) => (value: number) => value.toFixed(decimals);
  const rows: [string, number | null, number | null, (value: number) => string][] = [
    ['Net PnL', one.net_pnl, two.net_pnl, pnl],
    ['Max Drawdown', one.max_drawdown, two.max_drawdown, money],
    ['Sharpe Ratio', one.sharpe, two.sharpe, plain(2)],
    ['Profit Factor', one.total.profit_factor, two.total.profit_factor, plain(2)],
    ['Trades', one.total.trades, two.total.trades, plain(0)],
    ['Win Rate', rateOf(one), rateOf(two), (value) => formatRatio(value)],
    ['Fees', one.fees, two.fees, money],
    ['Slippage', one.slippage, two.slippage, money],
  ];
  return (
    <div className="bp-scroll" role="region" aria-label="Compared figures, scrollable" tabIndex={0}>
      <p className="bp-inside">{asked.length === 0 ? 'Both were asked for the same.' : `Asked differently: ${asked.join('; ')}.`}</p>
      <table className="bt-metrics fl-number" aria-label="Compared figures">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">This Run</th>
            <th scope="col">The Other</th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, a, b, text]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{a === null ? notAvailable : text(a)}</td>
              <td>{b === null ? notAvailable : text(b)}</td>
              <td>{a === null || b === null ? notAvailable : `${a - b > 0 && text !== pnl ? '+' : ''}${text(a - b)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="bp-inside fl-number">
        {both} trades in both, {onlyOne} only in this run, {onlyTwo} only in the other.
      </p>
    </div>
  );
}

function rateOf({ total }: PortfolioDetails): number | null {
  return total.trades === 0 ? null : total.wins / total.trades;
}
