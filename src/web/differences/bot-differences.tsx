import './differences.css';
import { messageOf } from '../api/api-error.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { formatMoment } from '../ui/moment.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { amountText } from './amount-text.ts';
import type { Differences } from '../live/use-differences.ts';
import { useDifferences } from '../live/use-differences.ts';

const outcomes: Readonly<Record<Differences['ended'][number]['outcome'], string>> = {
  gone: 'gone by itself',
  left: 'the bot left the account',
  ignored: 'ignored',
  adopted: 'adopted',
  closed: 'closed',
};

/** Whether the account of a live bot holds what its trades say, and the differences that have ended. */
export function BotDifferences({ botId }: { botId: string }) {
  const { found, error, isLoading, reload } = useDifferences();
  return (
    <CardPanel title="Account and Trades" aside="compared every minute" flush>
      {found === undefined ? (
        error === null ? (
          <RowsSkeleton rows={2} height={32} />
        ) : (
          <FailedLoad
            text="The comparison could not be loaded."
            detail={messageOf(error)}
            isLoading={isLoading}
            onRetry={() => void reload()}
          />
        )
      ) : (
        <Compared found={found} botId={botId} />
      )}
    </CardPanel>
  );
}

function Compared({ found, botId }: { found: Differences; botId: string }) {
  const open = found.open.filter((each) => each.bot_id === botId);
  const ended = found.ended.filter((each) => each.bot_id === botId);
  return (
    <>
      {open.length === 0 && ended.length === 0 ? <EmptyState text="No difference was found so far." minHeight={64} /> : null}
      <ul className="differences-ended fl-number">
        {open.map(({ id, symbol }) => (
          <li key={id}>
            <b>{symbol}</b>
            <span>differs now; decide at the top of this page</span>
          </li>
        ))}
        {ended.map(({ id, symbol, expected, actual, ended_at: at, outcome, is_done: isDone }) => (
          <li key={id}>
            <b>{symbol}</b>
            <span>
              trades {amountText(expected, symbol)}, account {amountText(actual, symbol)}
            </span>
            <span>
              {isDone
                ? `${outcomes[outcome]} ${formatMoment(at)}`
                : `to be ${outcomes[outcome]} since ${formatMoment(at)}: its bot has not done it yet`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
