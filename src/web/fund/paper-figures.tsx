import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { FundOverview } from './overview.ts';

type Paper = FundOverview['paper_trades'];
type Row = Paper['strategy_breakdown'][string] & { strategy: string };

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

/** What paper trades come to, in all and by strategy; apart from real money, and never added to it. */
export function PaperFigures({ paper, leavesOut }: { paper: Paper; leavesOut: boolean }) {
  const rows = Object.entries(paper.strategy_breakdown).map(([strategy, figures]) => ({ strategy, ...figures }));
  return (
    <>
      <section className="fl-panel fund-block" aria-label="Paper">
        <ModeBand mode="paper" />
        <FigureBar
          label="Paper figures"
          figures={[
            { name: 'Total Trades', value: paper.trade_count },
            { name: 'Cumulative PNL', value: formatPnl(paper.cumulative_pnl), tone: toneOf(paper.cumulative_pnl) },
            { name: 'Win Rate', value: formatRatio(paper.win_rate, 2) },
            { name: 'Average PNL per Trade', value: formatPnl(paper.avg_pnl_per_trade), tone: toneOf(paper.avg_pnl_per_trade) },
          ]}
        />
        <DollarNote isNeeded={leavesOut} />
      </section>
      <CardPanel title="Paper Trade Strategy Breakdown" flush>
        {rows.length === 0 ? (
          <EmptyState text="No paper trade data available" hint="Trades of bots in paper mode are counted here." />
        ) : (
          <DataTable
            label="Paper Trade Strategy Breakdown"
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
