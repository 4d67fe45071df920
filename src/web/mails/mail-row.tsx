import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Button } from '../ui/button.tsx';
import { formatMoment, formatTimeOfDay } from '../ui/moment.ts';
import { showToast } from '../ui/toast.ts';
import type { OutboxMail } from './use-mails.ts';

const icons = { waiting: IconClock, sent: IconCheck, failed: IconAlertTriangle } as const;

/** See `MailRow`. */
export interface MailRowProps {
  mail: OutboxMail;
  onTriedAgain: () => Promise<unknown>; // the list is another one now
}

/** One mail: to whom, about what, where it is on its way, and for one that was not sent why, with another try. */
export function MailRow({ mail, onTriedAgain }: MailRowProps) {
  const [isBusy, setBusy] = useState(false);
  const Icon = icons[mail.state];
  const tryAgain = async () => {
    setBusy(true);
    try {
      await api.retryMail({ params: { id: mail.id } });
      showToast('success', `The mail to ${mail.recipient} is tried again within seconds`);
    } catch (error) {
      showToast('error', `The mail could not be tried again: ${reasonOf(error) ?? 'Something went wrong. Please try again.'}`);
    }
    await onTriedAgain();
    setBusy(false);
  };
  const reason = reasonText(mail);
  return (
    <tr className="mails-row" data-state={mail.state}>
      <td className="mails-time">{formatMoment(mail.created_at)}</td>
      <td className="mails-to" title={mail.recipient}>
        {mail.recipient}
      </td>
      <td className="mails-subject" title={mail.subject}>
        {mail.subject}
      </td>
      <td className="mails-state">
        <span className="mails-word">
          <Icon size={14} aria-hidden />
          {mail.state}
        </span>
        {reason === null ? null : <span className="mails-reason">{reason}</span>}
      </td>
      <td className="mails-action">
        {mail.state === 'sent' ? null : (
          <Button
            variant="secondary"
            size="small"
            loading={isBusy}
            aria-label={`Try Again: mail to ${mail.recipient}`}
            onClick={() => void tryAgain()}
          >
            Try Again
          </Button>
        )}
      </td>
    </tr>
  );
}

/** What became of the tries of a mail that was not sent; null for others. */
function reasonText({ state, tries, last_error: lastError, next_try_at: nextTryAt }: OutboxMail): string | null {
  if (state === 'sent' || tries === 0) return null;
  const count = `${tries} ${tries === 1 ? 'try' : 'tries'}`;
  const next = nextTryAt === null ? '' : ` Next try at ${formatTimeOfDay(nextTryAt)} UTC.`;
  return `${count}: ${lastError ?? 'Being sent.'}${next}`;
}
