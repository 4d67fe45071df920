import type { SessionUser } from '#contract/auth.ts';
import type { ReactNode } from 'react';
import { SegmentedControl } from '@mantine/core';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { addressStore, changeAddress } from '../address/address.ts';
import type { Fleet } from '../live/use-fleet.ts';
import { useServerNow } from '../live/use-fleet.ts';
import { Banner } from '../ui/banner.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { canCreateBots, isAdmin } from '../session/permissions.ts';
import type { SortedBy } from '../ui/data-table.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { BotCardsProps } from './bot-cards.tsx';
import { BotCards } from './bot-cards.tsx';
import { BotDialog } from './bot-dialog.tsx';
import { BotFilters } from './bot-filters.tsx';
import type { BotFilter, Whose } from './bot-list.ts';
import { allBots, archived, hasBothKinds, matchesFilter, tagsOf } from './bot-list.ts';
import { useChosenBots } from './bulk/use-chosen-bots.ts';
import type { ListView } from './table/list-view.ts';
import { useListView } from './table/use-list-view.ts';
import { useSortedBots } from './table/use-sorted-bots.ts';
import { ViewChoice } from './table/view-choice.tsx';
import { botTotals } from './bot-totals.ts';
import { TotalsBar } from './totals-bar.tsx';
import { useArchivedBots } from '../api/use-archived-bots.ts';
import { useAskedChange } from './use-asked-change.ts';
import type { BotsState } from './use-bots.ts';
import { useShownBots } from './use-shown-bots.ts';

const BotTable = onDemand(
  () => import('./table/bot-table.tsx').then((module) => module.BotTable),
  <div className="fl-panel">
    <RowsSkeleton rows={8} height={30} />
  </div>,
);
const BulkBar = onDemand(() => import('./bulk/bulk-bar.tsx').then((module) => module.BulkBar));

/** See `BotList`. */
export interface BotListProps extends BotsState {
  fleet: Fleet;
  user: SessionUser | null;
  selectedBotId: string | null;
  firstSteps: ReactNode; // shown while there is no bot
}

const whoseBots = [
  { value: 'mine', label: 'Mine' },
  { value: 'all', label: 'All' },
];

/** The list of bots: filters, totals, cards, and the dialog before anything is changed. */
export function BotList({ fleet, user, selectedBotId, firstSteps, ...state }: BotListProps) {
  const { exchanges, isLoading, isBusy, cancelled, reload, apply, cancel } = state;
  const [filter, setFilter] = useState(() =>
    addressStore.getState().values.view === archived ? { ...allBots, status: archived } : allBots,
  );
  const shownFilter = useDeferredValue(filter);
  const { asked, ask, close } = useAskedChange();
  const now = useServerNow(fleet);
  const live = useMemo(() => new Map(fleet.bots?.map((bot) => [bot.bot_id, bot])), [fleet.bots]);
  const { bots, sortAgain } = useShownBots(state, fleet);
  const showsArchived = shownFilter.status === archived;
  const putAway = useArchivedBots(showsArchived);
  const error = state.error ?? putAway.error;
  const userId = user?.userId ?? null;
  const [chosen, setWhose] = useState<Whose>('mine');
  const hasChoice = useMemo(() => hasBothKinds(bots ?? [], userId), [bots, userId]);
  const whose = hasChoice ? chosen : 'all';
  const listed = useMemo(() => (whose === 'all' ? bots : bots?.filter((bot) => bot.user_id === userId)), [bots, whose, userId]);
  const ofFilter = showsArchived ? putAway.bots : listed;
  const shown = useMemo(() => (ofFilter ?? []).filter((bot) => matchesFilter(bot, shownFilter)), [ofFilter, shownFilter]);
  const tags = useMemo(() => tagsOf(ofFilter ?? []), [ofFilter]);
  const names = useMemo(() => new Map(exchanges.map(({ id, name }) => [id, name])), [exchanges]);
  const exchangeName = useCallback((id: string) => names.get(id) ?? id, [names]);
  const totals = useMemo(() => botTotals(listed ?? [], live), [listed, live]);

  const [view, changeView] = useListView();
  const several = useChosenBots(shown, user);
  const [sortedAt, setSortedAt] = useState(0);

  /** The archived bots have an address of their own. */
  const choose = (wanted: BotFilter) => {
    setFilter(wanted);
    changeAddress({ view: wanted.status === archived ? archived : null }, 'replace');
  };
  const showAll = () => {
    choose(allBots);
    setWhose('all');
  };
  const refresh = async () => {
    await reload();
    sortAgain();
    setSortedAt((times) => times + 1);
  };
  const confirm = async () => {
    if (asked !== null) await apply(asked).finally(() => close(asked));
  };
  const cancelAsked = () => {
    if (asked !== null) cancel(asked);
    close(asked);
  };

  if (bots === undefined && error !== null) {
    return <FailedLoad text={error} isLoading={isLoading} onRetry={() => void refresh()} />;
  }
  return (
    <div className="bots">
      <div className="bot-choices">
        {hasChoice ? (
          <SegmentedControl
            className="bot-whose"
            size="xs"
            aria-label="Whose bots"
            data={whoseBots}
            value={whose}
            onChange={(value) => setWhose(value as Whose)}
          />
        ) : null}
        {(bots ?? []).length === 0 ? null : (
          <ViewChoice
            view={view}
            isAdmin={isAdmin(user)}
            mayChoose={several.mayChoose}
            isChoosing={several.isChoosing}
            onChange={changeView}
            onChoosing={several.start}
          />
        )}
      </div>
      <BotFilters
        filter={filter}
        exchanges={exchanges}
        tags={tags}
        isLoading={isLoading}
        mayCreate={canCreateBots(user) && (bots ?? []).length > 0}
        onChange={choose}
        onRefresh={() => void refresh()}
      />
      {error === null ? null : <Banner tone="error" text={error} />}
      {cancelled === null ? null : <Banner tone="error" text={cancelled} />}
      {fleet.bots?.length === 0 ? firstSteps : null}
      <TotalsBar totals={totals} />
      {ofFilter === undefined ? (
        <div className="bot-cards">
          {[1, 2, 3].map((card) => (
            <div key={card} className="fl-panel">
              <RowsSkeleton rows={8} />
            </div>
          ))}
        </div>
      ) : (
        <BotRows
          bots={shown}
          filter={shownFilter}
          isNarrowed={showsArchived || (bots ?? []).length > 0}
          live={live}
          now={now}
          exchangeName={exchangeName}
          user={user}
          selectedBotId={selectedBotId}
          isChoosing={several.isChoosing}
          chosen={several.chosen}
          view={view}
          sortedAt={sortedAt}
          onView={changeView}
          onChoose={several.choose}
          onSelect={select}
          onChange={ask}
          onShowAll={showAll}
        />
      )}
      {several.isChoosing ? (
        <BulkBar bots={several.bots} choosable={several.choosable} live={live} chooseOnly={several.chooseOnly} onChanged={reload} />
      ) : null}
      <BotDialog
        change={asked}
        openTrades={asked === null ? undefined : live.get(asked.bot.id)?.open_trades}
        exchangeName={exchangeName}
        isBusy={isBusy}
        onConfirm={() => void confirm()}
        onCancel={cancelAsked}
      />
    </div>
  );
}

interface BotRowsProps extends BotCardsProps {
  view: ListView;
  sortedAt: number;
  onView: (changes: Partial<ListView>) => void;
}

/** The bots as the person wants them: cards, or a table. Where there is none, both say so in the same words. */
function BotRows({ view, sortedAt, onView, ...cards }: BotRowsProps) {
  const onSort = useCallback((sortedBy: SortedBy) => onView({ sortedBy }), [onView]);
  const columns = useMemo(() => view.columns.filter((key) => key !== 'owner' || isAdmin(cards.user)), [view.columns, cards.user]);
  const sorted = useSortedBots({ ...cards, sortedBy: view.sortedBy, sortedAt });
  if (view.layout === 'cards' || cards.bots.length === 0) return <BotCards {...cards} bots={sorted} />;
  return <BotTable {...cards} columns={columns} sortedBy={view.sortedBy} sortedAt={sortedAt} onSort={onSort} />;
}

/** The bot of the address is that of the Status tab too, so its pair goes with the one before. */
function select(botId: string): void {
  changeAddress({ bot: botId, pair: null });
}
