import { IconArrowDown } from '@tabler/icons-react';
import { useState } from 'react';
import { AuditRow } from './audit-row.tsx';
import type { AuditRecord } from './record-text.ts';

/** A page of records, the newest first. */
export function AuditTable({ records, isBusy }: { records: readonly AuditRecord[]; isBusy: boolean }) {
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpenIds((before) => (before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id])));
  return (
    <table className="audit-table fl-number" aria-label="Audit Log" aria-busy={isBusy} tabIndex={-1}>
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
