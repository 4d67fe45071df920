import type { CallReply } from '#contract/client.ts';
import { Skeleton } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import { AccountSection } from './account-section.tsx';
import type { Reports } from './section-reports.ts';

type Session = CallReply<'listSessions'>[number];

/** Where the person is signed in, and the way to end it elsewhere. */
export function SessionsSection({ onSaved, onFailed }: Reports) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['own-sessions'],
    queryFn: ({ signal }) => api.listSessions({}, { signal }),
    meta: { what: 'sessions' },
  });
  const [busy, setBusy] = useState<string | null>(null); // the id of a session, or 'others'

  const act = async (name: string, call: () => Promise<unknown>) => {
    onFailed(null);
    setBusy(name);
    try {
      await call();
      onSaved();
    } catch (failed) {
      onFailed({ text: 'Failed to end the session. Please try again.', detail: reasonOf(failed) });
    }
    await refetch();
    setBusy(null);
  };
  const hasOthers = data?.some(({ is_current }) => !is_current) === true;

  return (
    <AccountSection title="Sessions">
      <div className="account-section">
        {isError ? <Banner tone="error" text="Failed to load sessions. Please try again." detail={reasonOf(error)} /> : null}
        {data === undefined && !isError ? <Skeleton height={44} aria-label="Loading sessions" role="status" /> : null}
        {data === undefined ? null : (
          <ul className="account-rows" aria-label="Sessions">
            {data.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                busy={busy}
                onEnd={() => void act(session.id, () => api.endOwnSession({ params: { id: session.id } }))}
              />
            ))}
          </ul>
        )}
        {hasOthers ? (
          <div className="account-buttons">
            <Button
              variant="destructive"
              loading={busy === 'others'}
              disabled={busy !== null && busy !== 'others'}
              onClick={() => void act('others', () => api.endOtherSessions({}))}
            >
              End All Others
            </Button>
          </div>
        ) : null}
      </div>
    </AccountSection>
  );
}

function SessionRow({ session, busy, onEnd }: { session: Session; busy: string | null; onEnd: () => void }) {
  const device = session.device ?? 'Unknown device';
  const Icon = /\b(?:Android|iOS)$/u.test(device) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className="account-row">
      <Icon size={16} aria-hidden />
      <div className="account-row-text">
        <span>{device}</span>
        <span className="account-hint">
          {session.address ?? 'Unknown address'}, signed in {formatMoment(session.started_at)} UTC
        </span>
      </div>
      {session.is_current ? (
        <span className="account-on">This session</span>
      ) : (
        <Button
          variant="secondary"
          loading={busy === session.id}
          disabled={busy !== null && busy !== session.id}
          aria-label={`End the session on ${device}, ${session.address ?? 'unknown address'}`}
          onClick={onEnd}
        >
          End
        </Button>
      )}
    </li>
  );
}
