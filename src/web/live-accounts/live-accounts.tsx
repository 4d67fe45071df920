import './live-accounts.css';
import { messageOf } from '../api/api-error.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { accountHealth } from './account-health.ts';
import { HealthList } from './health-list.tsx';
import { useLiveAccounts } from './use-live-accounts.ts';

/** The accounts that live bots trade with, for admins: those that need somebody are open, the others open at a press. */
export function LiveAccounts() {
  const { found, error, isLoading, reload } = useLiveAccounts();
  return (
    <CardPanel title="Live Accounts" aside="health of the accounts that live bots trade with" flush>
      {found === undefined ? (
        error === null ? (
          <RowsSkeleton rows={3} height={32} />
        ) : (
          <FailedLoad
            text="The accounts could not be loaded."
            detail={messageOf(error)}
            isLoading={isLoading}
            onRetry={() => void reload()}
          />
        )
      ) : found.accounts.length === 0 ? (
        <EmptyState text="No bot trades live." minHeight={64} />
      ) : (
        found.accounts.map((account) => {
          const now = Date.parse(found.time);
          const wrong = accountHealth(account, now).filter(({ tone }) => tone === 'bad').length;
          return (
            <details key={`${account.account_id} ${account.market_type}`} className="live-accounts-one" open={wrong > 0}>
              <summary>
                <ModeTag mode="live" exchangeId={account.exchange_id} />
                <b>{account.bots.map(({ nickname }) => nickname).join(', ')}</b>
                <span>
                  {account.market_type}, key {account.key_label ?? 'without a label'} ****{account.key_hint}
                  {account.owner === null ? '' : `, ${account.owner}`}
                </span>
                <span className={wrong > 0 ? 'live-accounts-bad' : 'live-accounts-good'}>
                  {wrong === 0 ? 'no problem' : `${wrong} ${wrong === 1 ? 'problem' : 'problems'}`}
                </span>
              </summary>
              <HealthList account={account} now={now} />
            </details>
          );
        })
      )}
    </CardPanel>
  );
}
