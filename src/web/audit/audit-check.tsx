import { Loader } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import { timeText } from './record-text.ts';
import { useAuditCheck } from './use-audit-check.ts';

/** Whether the log is as it was written. */
export function AuditCheck() {
  const check = useAuditCheck();
  if (check.step === 'checking') {
    return (
      <div className="audit-check" role="status">
        <Loader size={16} aria-hidden />
        <p>Checking the log...</p>
      </div>
    );
  }
  const again = (
    <Button variant="secondary" onClick={() => void check.again()}>
      Check Again
    </Button>
  );
  if (check.step === 'failed') {
    return (
      <div className="audit-message">
        <Banner tone="warning" text="The log could not be checked. Whether it is complete is not known." detail={check.detail} />
        {again}
      </div>
    );
  }
  const { broken, records, checked_at: checkedAt } = check.found;
  if (broken !== null) {
    return (
      <div className="audit-message">
        <Banner
          tone="error"
          text={`The log is damaged: record ${broken.id} of ${timeText(broken.time)} UTC is not as it was written.`}
          detail={`${records === 1 ? 'The record before it is' : `The ${records} records before it are`} as written; do not rely on this one or on later ones. Compare the log with a backup from before ${formatMoment(broken.time)} UTC, and find out who can write to the database. Checked ${formatMoment(checkedAt)} UTC.`}
        />
        {again}
      </div>
    );
  }
  return (
    <div className="audit-check audit-complete" role="status">
      <IconLink size={16} aria-hidden />
      <div>
        <p>
          <b>
            Log intact: {records} {records === 1 ? 'record' : 'records'}, each bound to the one before.
          </b>
        </p>
        <p className="audit-dim fl-number">Checked {formatMoment(checkedAt)} UTC. Records cannot be changed or removed from here.</p>
      </div>
      {again}
    </div>
  );
}
