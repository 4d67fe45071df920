import { IconDownload } from '@tabler/icons-react';
import { Button } from '../ui/button.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatMoney, toneOf } from '../ui/money.ts';
import { formatRatio, formatSignedRatio, notAvailable } from '../ui/ratio.ts';
import { saveFile } from '../ui/save-file.ts';
import type { FundOverview } from './overview.ts';
import { overviewCsv } from './overview.ts';

/** What real money comes to, and the overview as a file. */
export function LiveFigures({ overview }: { overview: FundOverview }) {
  const { total_aum: aum, roi_percent: roi, win_rate: winRate, sharpe_ratio: sharpe, strategy_allocation: allocation } = overview;
  const isEmpty = Object.keys(allocation).length === 0;
  const exports = {
    disabled: isEmpty,
    title: isEmpty ? 'There are no strategy allocations to export' : '',
    variant: 'secondary',
    icon: <IconDownload size={14} aria-hidden />,
  } as const;
  return (
    <section className="fl-panel fund-block" aria-label="Live">
      <ModeBand mode="live" />
      <div className="fund-head">
        <FigureBar
          label="Live figures"
          figures={[
            { name: 'Total AUM', value: formatMoney(aum), isLead: true },
            { name: 'ROI', value: formatSignedRatio(roi / 100), tone: toneOf(roi) },
            { name: 'Win Rate', value: formatRatio(winRate, 2) },
            { name: 'Sharpe Ratio', value: sharpe === null ? notAvailable : sharpe.toFixed(2) },
          ]}
        />
        <div className="fund-exports">
          <Button {...exports} onClick={() => saveFile('overview.json', 'application/json', `${JSON.stringify(overview, null, 2)}\n`)}>
            Export JSON
          </Button>
          <Button {...exports} onClick={() => saveFile('overview.csv', 'text/csv;charset=utf-8', overviewCsv(overview))}>
            Export CSV
          </Button>
        </div>
      </div>
      <p className="fund-note">Only bots that trade with real money count here; test networks and paper are shown below.</p>
      <DollarNote isNeeded={overview.leaves_out === true} />
    </section>
  );
}
