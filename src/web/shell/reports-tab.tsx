import { changeAddress, useAddressValue } from '../address/address.ts';
import { onDemand } from '../ui/on-demand.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { noProfits } from './profits-link.tsx';

const waiting = <div className="fl-panel shell-waiting" />;

const DailyReport = onDemand(() => import('../reports/daily-report.tsx').then((module) => module.DailyReport), waiting);
const ProfitsPage = onDemand(() => import('../profits/profits-page.tsx').then((module) => module.ProfitsPage), waiting);

type View = 'daily' | 'profits';

const tabs: readonly Tab<View>[] = [
  {
    value: 'daily',
    label: 'Daily Report',
    panel: <DailyReport />,
  },
  {
    value: 'profits',
    label: 'Profits',
    panel: <ProfitsPage />,
  },
];

/** The Reports tab: the report of a day, and what any range of days came to. */
export function ReportsTab() {
  const view = useAddressValue('view');
  return (
    <TabStrip
      label="Reports"
      tabs={tabs}
      value={view === 'profits' ? view : 'daily'}
      onChange={(next) => changeAddress({ view: next === 'daily' ? null : next, ...noProfits })}
    />
  );
}
