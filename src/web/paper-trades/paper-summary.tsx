import { DollarNote } from '../ui/dollar-note.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { PaperSum } from './use-paper-sum.ts';
import { newestMax } from './use-paper-sum.ts';

/** What all paper trades come to; a dash for each figure until they are known. `listed`: how many of them the list has. */
export function PaperSummary({ sum, listed }: { sum: PaperSum | null; listed: number }) {
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
            ...(sum !== null && listed >= newestMax ? { note: `the newest ${newestMax} are listed` } : {}),
          },
          { name: 'PnL', value: sum === null ? dash : formatPnl(sum.pnl), isLead: true, tone: toneOf(sum?.pnl ?? 0) },
          { name: 'Win Rate', value: sum === null ? dash : formatRatio(sum.winRate) },
          { name: 'Open', value: sum?.open ?? dash, note: 'count as neutral' },
          { name: 'Comments', value: sum?.commented ?? dash, ...(listed >= newestMax ? { note: 'of those listed' } : {}) },
        ]}
      />
      <DollarNote isNeeded={sum?.leavesOut === true} />
    </section>
  );
}
