import { Dialog } from '../ui/dialog.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';

const AccountSettings = onDemand(
  () => import('./account-settings.tsx').then((module) => module.AccountSettings),
  <RowsSkeleton rows={8} height={32} />,
);

/** 'Your Account Settings' over the dashboard, for every role. */
export function AccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Your Account Settings" size="lg" classNames={{ content: 'fl-dialog' }}>
      <AccountSettings />
    </Dialog>
  );
}
