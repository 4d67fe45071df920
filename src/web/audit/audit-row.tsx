import { IconAlertTriangle, IconCheck, IconChevronRight, IconQuestionMark, IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { actionText } from './action-text.ts';
import { AuditDetail } from './audit-detail.tsx';
import type { AuditRecord } from './record-text.ts';
import { nothing, resultText, targetText, timeText, whoText } from './record-text.ts';

const icons: Readonly<Record<string, typeof IconCheck>> = { ok: IconCheck, refused: IconX, failed: IconAlertTriangle };

/** See `AuditRow`. */
export interface AuditRowProps {
  record: AuditRecord;
  isOpen: boolean;
  onToggle: () => void;
}

/** One record of the table; opened it shows all that the record says. */
export function AuditRow({ record, isOpen, onToggle }: AuditRowProps) {
  const detailId = useId();
  const who = whoText(record);
  const what = actionText(record.action, record.result);
  const target = targetText(record);
  const from = record.address ?? nothing;
  const Icon = icons[record.result] ?? IconQuestionMark;
  return (
    <>
      <tr className="audit-row" data-open={isOpen || undefined} onClick={onToggle}>
        <td className="audit-time">
          {/* A click on the button reaches the row, from the keyboard too. */}
          <button type="button" className="audit-toggle" aria-expanded={isOpen} aria-controls={detailId}>
            <IconChevronRight size={14} aria-hidden />
            {timeText(record.time)}
          </button>
        </td>
        <td className={record.actor === null ? 'audit-who audit-dim' : 'audit-who'} title={who}>
          {who}
        </td>
        <td className="audit-what" title={what}>
          {what}
        </td>
        <td className={target === nothing ? 'audit-target audit-dim' : 'audit-target'} title={target}>
          {target}
        </td>
        <td className={from === nothing ? 'audit-from audit-dim' : 'audit-from'} title={from}>
          {from}
        </td>
        <td className="audit-result">
          <span className={record.result === 'ok' ? 'audit-word' : 'audit-word audit-bad'} data-result={record.result}>
            <Icon size={14} aria-hidden />
            {resultText(record.result)}
          </span>
        </td>
      </tr>
      {isOpen ? (
        <tr className="audit-opened" id={detailId}>
          <td colSpan={6}>
            <AuditDetail record={record} />
          </td>
        </tr>
      ) : null}
    </>
  );
}
