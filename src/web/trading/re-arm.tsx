import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import type { SwitchTarget } from './use-switch.ts';
import { useSwitch } from './use-switch.ts';

/** The button that lets trading continue, after a confirmation; the password is asked for when it was not entered lately. */
export function ReArm({ target, subject, label = 'Re-arm' }: { target: SwitchTarget; subject: string; label?: string }) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, failure, clearFailure, reArm } = useSwitch();
  const close = () => {
    clearFailure();
    setOpen(false);
  };
  return (
    <>
      <Button
        variant="secondary"
        size="small"
        icon={<IconLock size={13} aria-hidden />}
        aria-label={`${label}: ${subject}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        title="Re-arm Trading"
        message={`${subject}: bots that are active make entries again. Bots that are paused or stopped stay as they are.`}
        confirmLabel="Re-arm"
        loading={isBusy}
        onConfirm={() => void reArm(target).then((done) => (done ? close() : undefined))}
        onCancel={close}
      >
        {failure === null ? null : <Banner tone="error" text="Trading was not re-armed." detail={failure} />}
      </ConfirmDialog>
    </>
  );
}
