import { lazy, Suspense } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';

const AccountSettings = lazy(() => import('./account-settings.tsx').then((module) => ({ default: module.AccountSettings })));

/** 'Your Account Settings' over the dashboard, for every role. */
export function AccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Your Account Settings" size="lg" classNames={{ content: 'fl-dialog' }}>
      <Suspense fallback={<RowsSkeleton rows={8} height={32} />}>
        <AccountSettings />
      </Suspense>
    </Dialog>
  );
}
