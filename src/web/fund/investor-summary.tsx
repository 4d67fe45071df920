import { IconDownload, IconUsers } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { saveFile } from '../ui/save-file.ts';
import { LoadingRows } from '../ui/skeleton.tsx';
import { Switch } from '../ui/switch.tsx';
import { InvestorFilters } from './investor-filters.tsx';
import { InvestorPager } from './investor-pager.tsx';
import { anonymized, pageSize, rowsOfPage, summaryCsv } from './investor-rows.ts';
import { InvestorTable } from './investor-table.tsx';
import { useInvestorSummary } from './use-investor-summary.ts';

/** How each trader did, one row per trader and mode, and the rows as a file. */
export function InvestorSummary() {
  const mayFilter = isAdmin(useUser());
  const summary = useInvestorSummary(mayFilter);
  const [isAnonymous, setAnonymous] = useState(false);
  const [chosenPage, setPage] = useState(1);
  const { rows: loaded, failure } = summary;
  const rows = useMemo(() => (isAnonymous ? anonymized(loaded ?? []) : (loaded ?? [])), [loaded, isAnonymous]);
  const page = Math.min(chosenPage, Math.max(1, Math.ceil(rows.length / pageSize)));
  const exports = {
    disabled: rows.length === 0 || summary.isOfOtherFilter,
    variant: 'secondary',
    icon: <IconDownload size={14} aria-hidden />,
  } as const;
  return (
    <div className="fund">
      <h1 className="fl-visually-hidden">Investor</h1>
      <div className="fl-panel fund-tools">
        <InvestorFilters
          isAdmin={mayFilter}
          isLoading={summary.isLoading}
          onLoad={(filter) => {
            setPage(1);
            summary.load(filter);
          }}
        />
        <div className="fund-exports">
          <Switch label="Anonymize Trader IDs" checked={isAnonymous} onChange={setAnonymous} />
          <Button {...exports} onClick={() => saveFile('summary.json', 'application/json', `${JSON.stringify(rows, null, 2)}\n`)}>
            Export JSON
          </Button>
          <Button {...exports} onClick={() => saveFile('summary.csv', 'text/csv;charset=utf-8', summaryCsv(rows))}>
            Export CSV
          </Button>
        </div>
      </div>
      {failure === null ? null : (
        <FailedLoad text="Failed to load investor summary" detail={failure.detail} isLoading={summary.isLoading} onRetry={summary.reload} />
      )}
      {loaded === undefined && failure !== null ? null : (
        <CardPanel title="Investor Summary" aside="one row per trader and mode, closed trades" flush>
          {loaded === undefined ? (
            <LoadingRows label="Loading the investor summary" rows={pageSize} />
          ) : rows.length === 0 ? (
            <EmptyState icon={<IconUsers size={22} />} text="No trades found" hint="Choose other dates, or all modes." minHeight={320} />
          ) : (
            <div data-late={summary.isOfOtherFilter || undefined} className="fund-rows">
              <InvestorTable rows={rowsOfPage(rows, page)} />
              <DollarNote isNeeded={rows.some((row) => row.leaves_out === true)} />
              <InvestorPager page={page} total={rows.length} onChange={setPage} />
            </div>
          )}
        </CardPanel>
      )}
    </div>
  );
}
