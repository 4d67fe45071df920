import { IconHandStop, IconSquare } from '@tabler/icons-react';
import { useState } from 'react';
import type { TradingState } from '../live/use-trading-state.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { stateTexts } from './trading-words.ts';
import type { SwitchTarget } from './use-switch.ts';
import { useSwitch } from './use-switch.ts';

/** See `Press`. */
export interface PressProps {
  state: 'reducing' | 'halted';
  from: TradingState; // what holds now
  target: SwitchTarget;
  subject: string;
  isLarge?: boolean;
}

/** The button of a step of the kill switch, after one confirmation; nothing where a stop at least as strict holds already. */
export function Press({ from, ...props }: PressProps) {
  // Its question is gone with it, and does not come back by itself when trading is re-armed.
  return from === props.state || from === 'halted' ? null : <Step {...props} />;
}

function Step({ state, target, subject, isLarge = false }: Omit<PressProps, 'from'>) {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, failure, cancel, stop } = useSwitch();
  const isHalt = state === 'halted';
  const label = `${isHalt ? 'Halt' : 'Reduce'}${isLarge ? ' all' : ''}`;
  return (
    <>
      <Button
        variant={isLarge && isHalt ? 'destructive' : 'secondary'}
        size={isLarge ? 'medium' : 'small'}
        icon={isLarge ? isHalt ? <IconSquare size={14} aria-hidden /> : <IconHandStop size={14} aria-hidden /> : undefined}
        aria-label={isLarge ? label : `${label}: ${subject}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        destructive
        title={isHalt ? 'Halt Trading' : 'Stop Entries'}
        message={`${subject}: ${stateTexts[state]}`}
        confirmLabel={isHalt ? 'Halt' : 'Stop Entries'}
        loading={isBusy}
        onConfirm={() => void stop(target, state).then((done) => (done ? setOpen(false) : undefined))}
        onCancel={() => {
          cancel();
          setOpen(false);
        }}
      >
        {failure === null ? null : <Banner tone="error" text="Trading was not stopped. Please try again." detail={failure} />}
      </ConfirmDialog>
    </>
  );
}
