import { Button } from '../ui/button.tsx';
import { pageCount, pageText, pageWindow } from './user-list.ts';

/** Which users are shown of how many, and the way to the others. */
export function Pager({ page, total, onChange }: { page: number; total: number; onChange: (page: number) => void }) {
  const pages = pageCount(total);
  return (
    <nav className="fl-pager users-pager" aria-label="Pages of users">
      <span className="fl-number" role="status">
        {pageText(page, total)}
      </span>
      <div>
        <Button variant="secondary" disabled={page === 1} onClick={() => onChange(page - 1)}>
          Previous
        </Button>
        {pageWindow(page, pages).map((number) => (
          <Button
            key={number}
            variant={number === page ? 'primary' : 'ghost'}
            aria-label={`Page ${number}`}
            aria-current={number === page ? 'page' : undefined}
            onClick={() => onChange(number)}
          >
            {number}
          </Button>
        ))}
        <Button variant="secondary" disabled={page === pages} onClick={() => onChange(page + 1)}>
          Next
        </Button>
      </div>
    </nav>
  );
}
