import './trading.css';
import { closeAllWords } from '#contract/trading-states.ts';
import { Radio } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useState } from 'react';
import type { TradingView } from '../live/use-trading-state.ts';
import { useTradingState } from '../live/use-trading-state.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ConfirmWords } from './confirm-words.tsx';
import { closeAllText, count, stateTexts } from './trading-words.ts';
import { useSwitch } from './use-switch.ts';

/** The button of the header that stops entries of all bots, for everybody who owns bots, and for admins. */
export function StopAll() {
  const { view } = useTradingState();
  // Its question is gone with it, and does not come back by itself.
  return view === undefined || (view.own_bots === 0 && view.all_bots === null) ? null : <StopButton view={view} />;
}

function StopButton({ view }: { view: TradingView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="secondary"
        className="trading-stop-all"
        icon={<IconHandStop size={15} aria-hidden />}
        onClick={() => setOpen(true)}
        aria-label="Stop all"
      >
        Stop all
      </Button>
      {isOpen ? <StopDialog view={view} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function StopDialog({ view, onClose }: { view: TradingView; onClose: () => void }) {
  const isAdmin = view.all_bots !== null;
  const [level, setLevel] = useState<'server' | 'user'>(isAdmin ? 'server' : 'user');
  const [state, setState] = useState<'reducing' | 'halted' | 'closed'>('reducing');
  const [words, setWords] = useState('');
  const { isBusy, failure, cancel, stop, closeAll } = useSwitch();
  const confirm = async () => {
    if (state === 'closed' ? await closeAll({ level }) : await stop({ level }, state)) onClose();
  };
  const scopes = [
    { value: 'server', label: 'Whole server', bots: view.all_bots ?? 0, trades: view.all_open_trades ?? 0 },
    { value: 'user', label: 'Your bots', bots: view.own_bots, trades: view.own_open_trades },
  ];
  return (
    <ConfirmDialog
      opened
      destructive
      title="Stop All"
      message={
        isAdmin
          ? 'Trading stops until it is re-armed with your password.'
          : `Trading of your bots (${count(view.own_bots, 'bot')}, ${count(view.own_open_trades, 'open trade')}) stops until you re-arm it with your password.`
      }
      confirmLabel={{ reducing: 'Stop Entries', halted: 'Halt', closed: 'Close All Trades' }[state]}
      confirmDisabled={state === 'closed' && words !== closeAllWords}
      loading={isBusy}
      onConfirm={() => void confirm()}
      onCancel={() => {
        cancel();
        onClose();
      }}
    >
      <div className="trading-choices">
        {isAdmin ? (
          <Radio.Group label="Whose bots" value={level} onChange={(value) => setLevel(value === 'user' ? 'user' : 'server')}>
            {scopes.map(({ value, label, bots, trades }) => (
              <Radio key={value} value={value} label={label} description={`${count(bots, 'bot')}, ${count(trades, 'open trade')}`} />
            ))}
          </Radio.Group>
        ) : null}
        <Radio.Group label="What stops" value={state} onChange={(value) => setState(value)}>
          <Radio value="reducing" label="Entries" description={stateTexts.reducing} />
          <Radio value="halted" label="Everything but stops" description={stateTexts.halted} />
          <Radio value="closed" label="Everything, and all open trades are closed" description={closeAllText} />
        </Radio.Group>
        {state === 'closed' ? <ConfirmWords value={words} onChange={setWords} /> : null}
        {failure === null ? null : <Banner tone="error" text="Trading was not stopped. Please try again." detail={failure} />}
      </div>
    </ConfirmDialog>
  );
}
