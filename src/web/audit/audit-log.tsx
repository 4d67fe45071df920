import './audit.css';
import { IconDownload, IconListSearch } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { AuditCheck } from './audit-check.tsx';
import type { AuditFilter } from './audit-filter.ts';
import { firstFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditPager } from './audit-pager.tsx';
import { AuditTable } from './audit-table.tsx';
import { ExportProgressLine } from './export-progress.tsx';
import { useAuditExport } from './use-audit-export.ts';
import { useAuditLog } from './use-audit-log.ts';

/** The audit log, for admins: whether it is complete, its records by filters, and all that match as a file. */
export function AuditLog() {
  const [filter, setFilter] = useState(firstFilter);
  const [chosenPage, setPage] = useState(0);
  const list = useAuditLog(filter);
  const file = useAuditExport();
  const [isPaged, setPaged] = useState(false); // by Older and Newer

  const changeFilter = useCallback((next: AuditFilter) => {
    setPaged(false);
    setPage(0);
    setFilter(next);
  }, []);
  const { pages, failure } = list;
  const page = Math.min(chosenPage, Math.max(0, (pages?.length ?? 0) - 1)); // loaded again, there may be fewer
  const goTo = (next: number) => {
    setPaged(true);
    setPage(next);
  };
  const older = async () => {
    if (pages !== undefined && page + 1 >= pages.length && !(await list.loadOlder())) return;
    goTo(page + 1);
  };
  const records = pages?.[page] ?? [];

  return (
    <div className="audit">
      <h1 className="fl-visually-hidden">Audit Log</h1>
      <AuditCheck />
      <div className="audit-filters" role="search" aria-label="Records">
        <AuditFilters filter={filter} onChange={changeFilter} />
        <Button
          variant="secondary"
          icon={<IconDownload size={14} aria-hidden />}
          disabled={file.progress !== null || list.total === 0}
          onClick={() => void file.start(filter)}
        >
          Export CSV
        </Button>
      </div>
      {file.progress === null ? null : <ExportProgressLine progress={file.progress} onCancel={file.cancel} />}
      {file.failure === null ? null : <Banner tone="error" text="The export failed. No file was made." detail={file.failure.detail} />}
      <section className="fl-panel" aria-label="Records" data-late={list.isOfOtherFilter || undefined}>
        {failure === null ? null : (
          <div className="audit-message audit-failure">
            <Banner tone="error" text="Failed to load the audit log. Please try again." detail={failure.detail} />
            <Button variant="secondary" onClick={() => void (failure.isOfOlder && pages !== undefined ? older() : list.reload())}>
              Try Again
            </Button>
          </div>
        )}
        {pages === undefined ? (
          failure === null ? (
            <LoadingRows label="Loading records" rows={10} className="audit-loading" />
          ) : null
        ) : records.length === 0 ? (
          <EmptyState
            icon={<IconListSearch size={22} />}
            text="No records match your filters"
            hint={filter.period === 'all' ? 'Search for fewer words, or choose all actions and results.' : 'A longer period may have some.'}
            minHeight={240}
          />
        ) : (
          <>
            <AuditTable key={page} records={records} isBusy={list.isLoading} takesFocus={isPaged} />
            <AuditPager
              page={page}
              shown={records.length}
              total={list.total}
              hasOlder={list.hasOlder || page + 1 < pages.length}
              isBusy={list.isLoading}
              onNewer={() => goTo(page - 1)}
              onOlder={() => void older()}
              onReload={() => void list.reload()}
            />
          </>
        )}
      </section>
    </div>
  );
}
