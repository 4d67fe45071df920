import { IconArrowDown } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { AuditRow } from './audit-row.tsx';
import type { AuditRecord } from './record-text.ts';

/** See `AuditTable`. */
export interface AuditTableProps {
  records: readonly AuditRecord[];
  isBusy: boolean;
  takesFocus: boolean; // when it appears
}

/** A page of records, the newest first. */
export function AuditTable({ records, isBusy, takesFocus }: AuditTableProps) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    // The button that led to this page may be disabled now; reading continues at the top of the page.
    if (takesFocus) table.current?.focus();
  }, [takesFocus]);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpenIds((before) => (before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id])));
  return (
    <table ref={table} className="audit-table fl-number" aria-label="Audit Log" aria-busy={isBusy} tabIndex={-1}>
      <thead>
        <tr>
          <th scope="col" aria-sort="descending" className="audit-time">
            Time (UTC) <IconArrowDown size={12} aria-hidden />
          </th>
          {['Who', 'What', 'Target', 'From', 'Result'].map((title) => (
            <th key={title} scope="col" className={`audit-${title.toLowerCase()}`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <AuditRow key={record.id} record={record} isOpen={openIds.has(record.id)} onToggle={() => toggle(record.id)} />
        ))}
      </tbody>
    </table>
  );
}
