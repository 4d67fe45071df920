import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { changeAddress } from '../../address/address.ts';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { heldData } from '../../api/outage.ts';
import { canControlBot } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { SelectBox } from '../../ui/select-box.tsx';
import { isWhole, newestFirst } from '../run-list.ts';

/** What to replay is chosen here: a backtest that has ended, or a bot. */
export function ChooseSubject() {
  const runs = useQuery({
    queryKey: ['backtests'],
    queryFn: async ({ signal }) => newestFirst((await api.backtestResults({ query: {} }, { signal })).results),
    meta: { what: 'backtests' },
  });
  const bots = useQuery({
    queryKey: ['what-if-bots'],
    queryFn: ({ signal }) => api.listBots({ query: {} }, { signal }),
    staleTime: 10_000,
    meta: { what: 'bots' },
  });
  const user = useUser();
  const own = (bots.data ?? []).filter((bot) => canControlBot(user, bot)); // others see of a bot what it trades, and cannot replay it
  const failed = runs.isError ? runs : bots.isError ? bots : null;
  const done = (heldData(runs) ?? []).filter(isWhole);
  return (
    <CardPanel title="What If">
      <EmptyState
        icon={<IconFlask size={22} />}
        text="Nothing is chosen to be replayed."
        hint="Choose a backtest that has ended or a bot: then turn its settings and see the same candles with others."
        minHeight={160}
      />
      {failed === null ? null : (
        <FailedLoad
          text="Failed to load what can be chosen"
          detail={messageOf(failed.error)}
          isLoading={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      )}
      <div className="wi-choice">
        <SelectBox
          label="Backtest"
          searchable
          value={null}
          placeholder={runs.isPending ? 'Loading' : done.length === 0 ? 'No backtest has ended yet' : 'Choose a backtest'}
          disabled={done.length === 0}
          options={done.map((run) => ({
            value: run.id,
            label: `${run.strategy_name}, ${run.symbol}, ${run.timeframe}, ${run.days} days, ${formatMoment(run.created_at).slice(0, 16)}`,
          }))}
          onChange={(run) => changeAddress({ run, bot: null })}
        />
        <SelectBox
          label="Bot"
          searchable
          value={null}
          placeholder={bots.isPending ? 'Loading' : own.length === 0 ? 'There is no bot yet' : 'Choose a bot'}
          disabled={own.length === 0}
          options={own.map(({ id, nickname, strategy_name: strategy }) => ({ value: id, label: `${nickname}, ${strategy}` }))}
          onChange={(bot) => changeAddress({ bot, run: null })}
        />
      </div>
    </CardPanel>
  );
}
