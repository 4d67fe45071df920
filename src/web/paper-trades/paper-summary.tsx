import { DollarNote } from '../ui/dollar-note.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { PaperTrade } from './trade-list.ts';
import { summaryOf } from './trade-list.ts';

/** How many trades the server gives at most. */
const newestMax = 1000;

/** What the paper trades come to; a dash for each figure until they are loaded. */
export function PaperSummary({ trades }: { trades: readonly PaperTrade[] | undefined }) {
  const sum = trades === undefined ? null : summaryOf(trades);
  const dash = '—';
  return (
    <section className="fl-panel paper-summary" aria-label="Summary">
      <ModeBand mode="paper" />
      <FigureBar
        label="Summary of paper trades"
        figures={[
          {
            name: 'Trade Count',
            value: sum?.count ?? dash,
            isLead: true,
            ...(sum !== null && sum.count >= newestMax ? { note: 'the newest ones' } : {}),
          },
          { name: 'PnL', value: sum === null ? dash : formatPnl(sum.pnl), isLead: true, tone: toneOf(sum?.pnl ?? 0) },
          { name: 'Win Rate', value: sum === null ? dash : formatRatio(sum.winRate) },
          { name: 'Open', value: sum?.open ?? dash, note: 'count as neutral' },
          { name: 'Comments', value: sum?.commented ?? dash },
        ]}
      />
      <DollarNote isNeeded={sum?.leavesOut === true} />
    </section>
  );
}
