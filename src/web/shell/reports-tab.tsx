import { lazy, Suspense } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { noProfits } from './profits-link.tsx';

const DailyReport = lazy(() => import('../reports/daily-report.tsx').then((module) => ({ default: module.DailyReport })));
const ProfitsPage = lazy(() => import('../profits/profits-page.tsx').then((module) => ({ default: module.ProfitsPage })));

type View = 'daily' | 'profits';

const waiting = <div className="fl-panel shell-waiting" />;

const tabs: readonly Tab<View>[] = [
  {
    value: 'daily',
    label: 'Daily Report',
    panel: (
      <Suspense fallback={waiting}>
        <DailyReport />
      </Suspense>
    ),
  },
  {
    value: 'profits',
    label: 'Profits',
    panel: (
      <Suspense fallback={waiting}>
        <ProfitsPage />
      </Suspense>
    ),
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
