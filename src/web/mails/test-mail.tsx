import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ChannelCounts } from './channel-counts.tsx';
import type { MailsState } from './use-mails.ts';

type Result = { isSent: true; recipient: string } | { isSent: false; reason: string | null };

/** Where mails go, how many are in which state, and a test mail to the person's own address with what became of it. */
export function TestMail({ goesTo, counts }: Pick<MailsState, 'goesTo' | 'counts'>) {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const send = async () => {
    setBusy(true);
    setResult(null);
    try {
      const { recipient, error } = await api.sendTestMail({});
      setResult(error === null ? { isSent: true, recipient } : { isSent: false, reason: error });
    } catch (error) {
      setResult({ isSent: false, reason: reasonOf(error) });
    }
    setBusy(false);
  };
  return (
    <>
      <section className="mails-head" aria-label="Mail server">
        <div>
          <p className="mails-where">{whereText(goesTo)}</p>
          {counts === undefined ? null : (
            <p className="mails-dim fl-number">
              Of the last 30 days: {counts.sent} sent, {counts.waiting} waiting,{' '}
              <span className={counts.failed > 0 ? 'mails-bad' : undefined}>{counts.failed} failed</span>
            </p>
          )}
          <ChannelCounts />
        </div>
        <Button variant="secondary" icon={<IconSend size={14} aria-hidden />} loading={isBusy} onClick={() => void send()}>
          {isBusy ? 'Sending...' : 'Send Test Mail'}
        </Button>
      </section>
      {result === null ? null : result.isSent ? (
        <Banner
          tone="success"
          text={
            goesTo === 'files'
              ? `The test mail to ${result.recipient} was written to a file.`
              : `The mail server has taken the test mail to ${result.recipient}.`
          }
          detail={goesTo === 'files' ? null : 'If it does not arrive, check the spam folder and the log of the mail server.'}
        />
      ) : (
        <Banner tone="error" text="The test mail was not sent." detail={result.reason} />
      )}
    </>
  );
}

function whereText(goesTo: MailsState['goesTo']): string {
  if (goesTo === undefined) return 'Mail';
  return goesTo === 'server'
    ? 'Mails go to the mail server of this installation.'
    : 'No mail server is set up: mails are written to files in the mails folder of this installation.';
}
