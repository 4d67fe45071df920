import './live-accounts.css';
import { messageOf } from '../api/api-error.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { HealthList } from './health-list.tsx';
import { useLiveAccounts } from './use-live-accounts.ts';

/** How the account of a live bot stands: whether it is reached, compared, protected, and what its trades have left on it. */
export function BotAccount({ botId }: { botId: string }) {
  const { found, error, isLoading, reload } = useLiveAccounts();
  const account = found?.accounts.find(({ bots }) => bots.some(({ id }) => id === botId));
  const others = account?.bots.filter(({ id }) => id !== botId) ?? [];
  return (
    <CardPanel
      title="Account"
      aside={account === undefined ? 'health' : `key ${account.key_label ?? 'without a label'} ****${account.key_hint}`}
      flush
    >
      {found === undefined ? (
        error === null ? (
          <RowsSkeleton rows={9} height={22} />
        ) : (
          <FailedLoad
            text="The account could not be loaded."
            detail={messageOf(error)}
            isLoading={isLoading}
            onRetry={() => void reload()}
          />
        )
      ) : account === undefined ? (
        <EmptyState text="This bot has no key, so it trades with no account." minHeight={64} />
      ) : (
        <>
          <HealthList account={account} now={Date.parse(found.time)} />
          {others.length === 0 ? null : (
            <p className="live-accounts-note">The same account is used by {others.map(({ nickname }) => nickname).join(', ')}.</p>
          )}
        </>
      )}
    </CardPanel>
  );
}
