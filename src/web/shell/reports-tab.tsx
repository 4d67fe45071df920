import { changeAddress, useAddressValue } from '../address/address.ts';
import { onDemand } from '../ui/on-demand.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { useUser } from '../session/use-session.ts';
import { noProfits } from './profits-link.tsx';

const waiting = <div className="fl-panel shell-waiting" />;

const DailyReport = onDemand(() => import('../reports/daily-report.tsx').then((module) => module.DailyReport), waiting);
const ProfitsPage = onDemand(() => import('../profits/profits-page.tsx').then((module) => module.ProfitsPage), waiting);

const CertificatesPage = onDemand(() => import('../certificates/certificates-page.tsx').then((module) => module.CertificatesPage), waiting);

type View = 'daily' | 'profits' | 'certificates';

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
  {
    value: 'certificates',
    label: 'Certificates',
    panel: <CertificatesPage />,
  },
];

/** The Reports tab: the report of a day, what any range of days came to, and how much of a backtest's promise reached the account. */
export function ReportsTab() {
  const view = useAddressValue('view');
  // Investors have no bots.
  const isInvestor = useUser()?.role === 'investor';
  const offered = isInvestor ? tabs.filter(({ value }) => value !== 'certificates') : tabs;
  return (
    <TabStrip
      label="Reports"
      tabs={offered}
      value={offered.find(({ value }) => value === view)?.value ?? 'daily'}
      onChange={(next) => changeAddress({ view: next === 'daily' ? null : next, ...noProfits, day: null })}
    />
  );
}
