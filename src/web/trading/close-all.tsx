import { closeAllWords } from '#contract/trading-states.ts';
import { IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ConfirmWords } from './confirm-words.tsx';
import { closeAllText, count } from './trading-words.ts';
import type { SwitchTarget } from './use-switch.ts';
import { useSwitch } from './use-switch.ts';

/** See `CloseAll`. */
export interface CloseAllProps {
  target: SwitchTarget;
  subject: string;
  openTrades: number | null; // null: not known here
  isLarge?: boolean;
}

/** The button of the last step of the kill switch: a halt, and the end of all open trades, once its words are typed. */
export function CloseAll({ target, subject, openTrades, isLarge = false }: CloseAllProps) {
  const [isOpen, setOpen] = useState(false);
  const [words, setWords] = useState('');
  const { isBusy, failure, clearFailure, cancel, closeAll } = useSwitch();
  const close = () => {
    clearFailure();
    setWords('');
    setOpen(false);
  };
  return (
    <>
      <Button
        variant={isLarge ? 'destructive' : 'secondary'}
        size={isLarge ? 'medium' : 'small'}
        icon={isLarge ? <IconPlayerStop size={14} aria-hidden /> : undefined}
        aria-label={isLarge ? 'Close all' : `Close all: ${subject}`}
        onClick={() => setOpen(true)}
      >
        Close all
      </Button>
      <ConfirmDialog
        opened={isOpen}
        destructive
        title="Close All Trades"
        message={`${subject}${openTrades === null ? '' : ` (${count(openTrades, 'open trade')})`}: ${closeAllText}`}
        confirmLabel="Close All Trades"
        confirmDisabled={words !== closeAllWords}
        loading={isBusy}
        onConfirm={() => void closeAll(target).then((done) => (done ? close() : undefined))}
        onCancel={() => {
          cancel();
          close();
        }}
      >
        <ConfirmWords value={words} onChange={setWords} />
        {failure === null ? null : <Banner tone="error" text="Nothing was closed." detail={failure} />}
      </ConfirmDialog>
    </>
  );
}
