import { Modal } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { RowsSkeleton } from '../ui/skeleton.tsx';

const AccountSettings = lazy(() => import('./account-settings.tsx').then((module) => ({ default: module.AccountSettings })));

/** 'Your Account Settings' over the dashboard, for every role. */
export function AccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Your Account Settings" size="lg" classNames={{ content: 'fl-dialog' }}>
      <Suspense fallback={<RowsSkeleton rows={8} height={32} />}>
        <AccountSettings />
      </Suspense>
    </Modal>
  );
}
