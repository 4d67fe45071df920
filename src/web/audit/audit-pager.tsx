import { Button } from '../ui/button.tsx';

/** The number of records on a page, but for the last one. */
const pageSize = 100;

/** See `AuditPager`. */
export interface AuditPagerProps {
  page: number; // from 0
  shown: number; // records on this page
  total: number;
  hasOlder: boolean;
  isBusy: boolean;
  onNewer: () => void;
  onOlder: () => void;
  onReload: () => void;
}

/** Which records are shown of how many, and the way to the others. */
export function AuditPager({ page, shown, total, hasOlder, isBusy, onNewer, onOlder, onReload }: AuditPagerProps) {
  const first = page * pageSize;
  const records = total === 1 ? 'record' : 'records';
  return (
    <nav className="fl-pager" aria-label="Pages of records">
      <span className="fl-number" role="status">
        {page === 0 ? `Newest ${shown} of ${total} ${records}` : `${first + 1} to ${first + shown} of ${total} ${records}, newest first`}
      </span>
      <div>
        {page === 0 ? (
          <Button variant="ghost" disabled={isBusy} onClick={onReload}>
            Refresh
          </Button>
        ) : (
          <Button variant="secondary" disabled={isBusy} onClick={onNewer}>
            Newer
          </Button>
        )}
        <Button variant="secondary" disabled={!hasOlder} loading={isBusy} onClick={onOlder}>
          Older
        </Button>
      </div>
    </nav>
  );
}
