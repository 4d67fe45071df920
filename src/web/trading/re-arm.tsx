import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import type { TradingSwitch } from '../live/use-trading-state.ts';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';

const ReArmDialog = onDemand(() => import('./re-arm-dialog.tsx').then((module) => module.ReArmDialog));

/** The button that lets trading continue, after a confirmation. Nothing where the viewer may not re-arm. */
export function ReArm({ of, subject, label = 'Re-arm' }: { of: TradingSwitch; subject: string; label?: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!of.may_re_arm && !isOpen) return null;
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
      {isOpen ? <ReArmDialog of={of} subject={subject} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
