import { Button } from '../ui/button.tsx';
import { pageSize } from './investor-rows.ts';

/** Which rows are shown of how many, and the way to the page before and after. */
export function InvestorPager({ page, total, onChange }: { page: number; total: number; onChange: (page: number) => void }) {
  const last = Math.max(1, Math.ceil(total / pageSize));
  return (
    <nav className="fl-pager" aria-label="Pages of the investor summary">
      <span className="fl-number" role="status">
        Showing {(page - 1) * pageSize + 1} to {Math.min(page * pageSize, total)} of {total}
      </span>
      <div>
        <Button variant="secondary" disabled={page === 1} onClick={() => onChange(page - 1)}>
          Previous
        </Button>
        <Button variant="secondary" disabled={page === last} onClick={() => onChange(page + 1)}>
          Next
        </Button>
      </div>
    </nav>
  );
}
