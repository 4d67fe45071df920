import './mails.css';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { MailRow } from './mail-row.tsx';
import { TestMail } from './test-mail.tsx';
import type { MailFilter } from './use-mails.ts';
import { useMails } from './use-mails.ts';

const filters = [
  { value: '', label: 'All Mails' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
] as const satisfies readonly { value: MailFilter; label: string }[];

const emptyTexts: Readonly<Record<MailFilter, string>> = {
  '': 'No mails yet',
  waiting: 'No mail is waiting',
  sent: 'No mail was sent',
  failed: 'No mail has failed',
};

/** The mails that the server sends, for admins: a test mail, and the outbox with what was not sent and why. */
export function MailOutbox() {
  const [filter, setFilter] = useState<MailFilter>('');
  const list = useMails(filter);
  const { mails, failure } = list;
  return (
    <div className="mails">
      <h1 className="fl-visually-hidden">Mail</h1>
      <TestMail goesTo={list.goesTo} counts={list.counts} />
      <section className="fl-panel" aria-label="Outbox" data-late={list.isOfOtherFilter || undefined}>
        <div className="fl-panel-head">
          <h2>Outbox</h2>
          <SelectBox<MailFilter> className="mails-filter" label="State" hideLabel options={filters} value={filter} onChange={setFilter} />
        </div>
        {failure === null ? null : (
          <div className="mails-failure">
            <Banner tone="error" text="Failed to load the mails. Please try again." detail={failure.detail} />
            <Button variant="secondary" onClick={() => void list.reload()}>
              Try Again
            </Button>
          </div>
        )}
        {mails === undefined ? (
          failure === null ? (
            <LoadingRows label="Loading mails" rows={6} className="mails-loading" />
          ) : null
        ) : mails.length === 0 ? (
          <EmptyState
            icon={<IconMail size={22} />}
            text={emptyTexts[filter]}
            hint={
              filter === ''
                ? 'News about accounts, API keys and bots appear here; codes are sent at once and do not.'
                : 'Choose all mails to see the others.'
            }
            minHeight={200}
          />
        ) : (
          <>
            <table className="mails-table fl-number" aria-label="Outbox">
              <thead>
                <tr>
                  <th scope="col" className="mails-time">
                    Written (UTC)
                  </th>
                  <th scope="col" className="mails-to">
                    To
                  </th>
                  <th scope="col" className="mails-subject">
                    Subject
                  </th>
                  <th scope="col" className="mails-state">
                    State
                  </th>
                  <th scope="col" className="mails-action">
                    <span className="fl-visually-hidden">Action</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {mails.map((mail) => (
                  <MailRow key={mail.id} mail={mail} onTriedAgain={list.reload} />
                ))}
              </tbody>
            </table>
            <div className="mails-foot">
              <span className="mails-dim fl-number" role="status">
                {mails.length === 1 ? '1 mail' : `${mails.length} mails`}
                {list.hasOlder ? ', older ones not loaded' : ''}
              </span>
              {list.hasOlder ? (
                <Button variant="secondary" loading={list.isLoadingOlder} onClick={list.loadOlder}>
                  Older
                </Button>
              ) : null}
            </div>
          </>
        )}
      </section>
    </div>
  );
}
