import './fund.css';
import { texts } from '#contract/errors.ts';
import { IconLock } from '@tabler/icons-react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { FundOverviewPanel } from './fund-overview.tsx';
import { InvestorSummary } from './investor-summary.tsx';

type View = 'overview' | 'investor';

const tabs: readonly Tab<View>[] = [
  { value: 'overview', label: 'Fund Overview', panel: <FundOverviewPanel /> },
  { value: 'investor', label: 'Investor', panel: <InvestorSummary /> },
];

/** The Fund tab: all money under management, and how each trader did. For admins. */
export function FundScreen() {
  const user = useUser();
  const view = useAddressValue('view');
  if (!isAdmin(user)) {
    return (
      <div className="fl-panel">
        <EmptyState icon={<IconLock size={22} />} text={texts.adminRequired} minHeight={360} />
      </div>
    );
  }
  return (
    <TabStrip
      label="Fund"
      tabs={tabs}
      value={view === 'investor' ? view : 'overview'}
      onChange={(next) => changeAddress({ view: next === 'overview' ? null : next })}
    />
  );
}
