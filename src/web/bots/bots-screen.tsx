import './bots.css';
import type { Bot } from '#contract/bots.ts';
import type { ReactNode } from 'react';
import { useEffect, useMemo } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { useFleet } from '../live/use-fleet.ts';
import { canControlBot, isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { ArchivedNote } from './archived-note.tsx';
import { BotList } from './bot-list-panel.tsx';
import { seesBotTabs } from './bot-list.ts';
import { ConfigurePanel } from './configure/configure-panel.tsx';
import { keepDraftOf } from './configure/draft-store.ts';
import { useKnownEmails, useLimits } from './configure/use-offered.ts';
import { NeedsBot } from './needs-bot.tsx';
import { PnlPanel } from './records/pnl-panel.tsx';
import { TradesPanel } from './records/trades-panel.tsx';
import { SelectedBot } from './selected-bot.tsx';
import { useArchivedBots } from '../api/use-archived-bots.ts';
import { useBotDetails } from './use-bot-details.ts';
import { useBots } from './use-bots.ts';
import { useListOfMode } from './use-list-of-mode.ts';

type View = 'list' | 'configure' | 'trades' | 'pnl';

/**
 * The Bots tab: the list of all bots, and the tabs about the selected one for those who may use them. A person without a bot sees
 * `firstSteps`; `tradingOf` is the kill switch of a bot.
 */
export function BotsScreen({ firstSteps, tradingOf }: { firstSteps: ReactNode; tradingOf: (bot: Bot) => ReactNode }) {
  const user = useUser();
  const state = useBots();
  const fleet = useFleet();
  const botId = useAddressValue('bot');
  const wanted = useAddressValue('view');
  const isOther = botId !== null && state.bots?.every((bot) => bot.id !== botId) === true;
  const putAway = useArchivedBots(isOther);
  const selected = useMemo(
    () => (isOther ? putAway.bots : state.bots)?.find((bot) => bot.id === botId && canControlBot(user, bot)) ?? null,
    [isOther, putAway.bots, state.bots, botId, user],
  );
  useListOfMode(state, fleet);
  const details = useBotDetails(selected, wanted ?? 'list');
  const { limits, error: limitsError } = useLimits();
  const known = useKnownEmails(isAdmin(user));
  const selectedId = selected?.id ?? null;
  const isLoaded = state.bots !== undefined && (!isOther || putAway.bots !== undefined || putAway.error !== null);
  useEffect(() => {
    if (isLoaded) keepDraftOf(selectedId);
  }, [isLoaded, selectedId]);
  const isWaiting = selected === null ? !isLoaded && botId !== null : details.config === undefined;
  const isFailed = details.error !== null;
  const list: Tab<View> = {
    value: 'list',
    label: 'Bots',
    panel: <BotList {...state} fleet={fleet} user={user} selectedBotId={selected?.id ?? null} firstSteps={firstSteps} />,
  };
  const ofOneBot: readonly Tab<View>[] = [
    {
      value: 'configure',
      label: 'Configure Bot',
      panel: isWaiting ? (
        <div className="fl-panel">{isFailed ? null : <RowsSkeleton rows={12} height={32} />}</div>
      ) : (
        <ConfigurePanel
          key={selected?.id ?? 'new'}
          bot={selected}
          config={details.config ?? null}
          emails={known.emails}
          limits={limits}
          state={state}
          openTrades={fleet.bots?.find(({ bot_id: id }) => id === selected?.id)?.open_trades}
          tradingOf={tradingOf}
        />
      ),
    },
    {
      value: 'trades',
      label: 'Trades',
      panel:
        selected === null ? (
          <NeedsBot what="trades" />
        ) : (
          <TradesPanel key={selected.id} bot={selected} trades={details.trades} isFailed={isFailed} />
        ),
    },
    {
      value: 'pnl',
      label: 'PNL',
      panel:
        selected === null ? (
          <NeedsBot what="PNL snapshots" />
        ) : (
          <PnlPanel key={selected.id} bot={selected} snapshots={details.snapshots} isFailed={isFailed} />
        ),
    },
  ];
  const tabs = seesBotTabs(user, selected) ? [list, ...ofOneBot] : [list];
  const value = tabs.find((tab) => tab.value === wanted)?.value ?? 'list';
  return (
    <div className="bots">
      <h1 className="fl-visually-hidden">Bots</h1>
      {[details.error, limitsError, known.error, putAway.error, value === 'list' ? null : state.listError].map((text) =>
        text === null ? null : <Banner key={text} tone="error" text={text} />,
      )}
      {selected !== null && value !== 'list' ? <ArchivedNote bot={selected} mayChange /> : null}
      <TabStrip
        label="Bots"
        tabs={tabs}
        value={value}
        onChange={(view) => changeAddress({ view: view === 'list' ? null : view })}
        aside={tabs.length > 1 ? <SelectedBot bot={selected} /> : null}
      />
    </div>
  );
}
