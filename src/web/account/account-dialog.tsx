import { Modal } from '@mantine/core';
import { AccountSettings } from './account-settings.tsx';

/** 'Your Account Settings' over the dashboard, for every role. */
export function AccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Your Account Settings" size="lg" classNames={{ content: 'fl-dialog' }}>
      <AccountSettings />
    </Modal>
  );
}
