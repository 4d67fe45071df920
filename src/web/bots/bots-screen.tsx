import './bots.css';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { useFleet } from '../live/use-fleet.ts';
import { canControlBot } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { NotBuilt } from '../ui/not-built.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { BotList } from './bot-list-panel.tsx';
import { seesBotTabs } from './bot-list.ts';
import { SelectedBot } from './selected-bot.tsx';
import { useBots } from './use-bots.ts';

type View = 'list' | 'configure' | 'trades' | 'pnl';

const status = { label: 'Open Status', tab: 'status' };

/** The tabs about one bot. Their screens are those of a later version. */
const ofOneBot: readonly Tab<View>[] = [
  {
    value: 'configure',
    label: 'Configure Bot',
    panel: (
      <NotBuilt
        text="Bots cannot be created or edited on screen yet."
        meanwhile="Pause, activate and stop a bot on its card; the card shows what it trades with."
      />
    ),
  },
  {
    value: 'trades',
    label: 'Trades',
    panel: (
      <NotBuilt
        text="The list of a bot's trades with notes is not built yet."
        meanwhile="The Order Log on Status lists its newest trades, pair by pair."
        link={status}
      />
    ),
  },
  {
    value: 'pnl',
    label: 'PNL',
    panel: (
      <NotBuilt
        text="The table of PnL snapshots is not built yet."
        meanwhile="The PnL chart on Status shows a day, a week, a month or a year of each pair."
        link={status}
      />
    ),
  },
];

/** The Bots tab: the list of all bots, and the tabs about the selected one for those who may use them. A person without a bot sees `firstSteps`. */
export function BotsScreen({ firstSteps }: { firstSteps: ReactNode }) {
  const user = useUser();
  const state = useBots();
  const fleet = useFleet();
  const botId = useAddressValue('bot');
  const wanted = useAddressValue('view');
  const selected = useMemo(
    () => state.bots?.find((bot) => bot.id === botId && canControlBot(user, bot)) ?? null,
    [state.bots, botId, user],
  );
  const list: Tab<View> = {
    value: 'list',
    label: 'Bots',
    panel: <BotList {...state} fleet={fleet} user={user} selectedBotId={selected?.id ?? null} firstSteps={firstSteps} />,
  };
  const tabs = seesBotTabs(user, selected) ? [list, ...ofOneBot] : [list];
  const value = tabs.find((tab) => tab.value === wanted)?.value ?? 'list';
  return (
    <TabStrip
      label="Bots"
      tabs={tabs}
      value={value}
      onChange={(view) => changeAddress({ view: view === 'list' ? null : view })}
      aside={<SelectedBot bot={selected} />}
    />
  );
}
