import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeWords } from '../ui/mode-words.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { FundOverview } from './overview.ts';

type Results = FundOverview['paper_trades'];
type Row = Results['strategy_breakdown'][string] & { strategy: string };

const columns: readonly DataColumn<Row>[] = [
  { key: 'strategy', title: 'Strategy', value: (row) => row.strategy },
  { key: 'trades', title: 'Trades', value: (row) => row.trade_count, numeric: true },
  {
    key: 'total_pnl',
    title: 'Total PNL',
    value: (row) => row.total_pnl,
    show: (row) => <span className={`fl-${toneOf(row.total_pnl)}`}>{formatPnl(row.total_pnl)}</span>,
    numeric: true,
  },
  { key: 'wins', title: 'Wins', value: (row) => row.wins, numeric: true },
  { key: 'losses', title: 'Losses', value: (row) => row.losses, numeric: true },
  { key: 'win_rate', title: 'Win Rate', value: (row) => row.win_rate, show: (row) => formatRatio(row.win_rate, 2), numeric: true },
];

const words = {
  paper: { name: 'Paper', money: 'simulated orders', where: 'Trades of bots in paper mode are counted here.' },
  testnet: { name: 'Testnet', money: 'real orders, no real money', where: 'Trades of live bots at test networks are counted here.' },
} as const;

/** What trades without real money come to, in all and by strategy; apart from real money, and never added to it. */
export function ModeFigures({ mode, results }: { mode: keyof typeof words; results: Results }) {
  const rows = Object.entries(results.strategy_breakdown).map(([strategy, figures]) => ({ strategy, ...figures }));
  const { name, money, where } = words[mode];
  const title = `${name} Trade Strategy Breakdown`;
  return (
    <>
      <section className="fl-panel fund-block" aria-label={name}>
        <p className={`fl-mode fl-mode-${mode}`}>
          <ModeWords mode={mode} size={13} />
          <span>{money}</span>
        </p>
        <FigureBar
          label={`${name} figures`}
          figures={[
            { name: 'Total Trades', value: results.trade_count },
            { name: 'Cumulative PNL', value: formatPnl(results.cumulative_pnl), tone: toneOf(results.cumulative_pnl) },
            { name: 'Win Rate', value: formatRatio(results.win_rate, 2) },
            { name: 'Average PNL per Trade', value: formatPnl(results.avg_pnl_per_trade), tone: toneOf(results.avg_pnl_per_trade) },
          ]}
        />
        <DollarNote isNeeded={results.leaves_out === true} />
      </section>
      <CardPanel title={title} flush>
        {rows.length === 0 ? (
          <EmptyState text={`No ${name.toLowerCase()} trade data available`} hint={where} />
        ) : (
          <DataTable
            label={title}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.strategy}
            sortedBy={{ key: 'total_pnl', descending: true }}
          />
        )}
      </CardPanel>
    </>
  );
}
