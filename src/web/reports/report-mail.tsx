import { reportMailHour } from '#contract/reports.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/switch.tsx';
import { useReportMail } from './use-report-mail.ts';

const time = `${String(reportMailHour).padStart(2, '0')}:00 UTC`;

/** A switch for the report by mail, with when it comes and where it goes. */
export function ReportMail() {
  const { isWanted, goesToFiles, hasFailed, isBusy, retry, change } = useReportMail();
  const email = useUser()?.email ?? 'your address';
  if (hasFailed) {
    return (
      <div className="fl-panel reports-mail" role="alert">
        <span>Could not load your mail setting.</span>
        <Button variant="secondary" onClick={retry}>
          Retry
        </Button>
      </div>
    );
  }
  return (
    <section className="fl-panel reports-mail" aria-label="Report by mail" aria-busy={isWanted === undefined}>
      <Switch
        label="Mail me this report each morning"
        checked={isWanted ?? false}
        disabled={isWanted === undefined || isBusy}
        onChange={change}
      />
      <p className="reports-dim">
        Sent soon after {time} for the day before, with its PDF, to {email}.
        {goesToFiles ? ' No mail server is set up: mails are written to files in the mails folder of this installation.' : ''}
      </p>
    </section>
  );
}
