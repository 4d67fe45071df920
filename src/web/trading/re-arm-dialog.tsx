import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Pulse } from '../live/use-pulse.ts';
import { pulseKey } from '../live/use-pulse.ts';
import type { TradingSwitch } from '../live/use-trading-state.ts';
import { Banner } from '../ui/banner.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { formatMoment } from '../ui/moment.ts';
import { count, isAre, setterOf } from './trading-words.ts';
import { targetOf, useSwitch } from './use-switch.ts';

/** Asks before a switch is lifted, and says what is; the password is asked for when it was not entered lately. */
export function ReArmDialog({ of, subject, onClose }: { of: TradingSwitch; subject: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [seen, setSeen] = useState(of); // what is shown, and what is lifted: a press of somebody else since it was opened is not
  const { isBusy, failure, cancel, set } = useSwitch();
  const reArm = async () => {
    let isSetAgain = false;
    const isDone = await set(async (signal) => {
      try {
        await api.reArmTrading({ body: { ...targetOf(seen), state: 'active', set_at: seen.set_at } }, { signal });
      } catch (error) {
        isSetAgain = error instanceof ApiError && error.status === 409;
        throw error;
      }
      return 'Trading is re-armed.';
    });
    if (isDone) onClose();
    if (!isSetAgain) return;
    // What it says now has been loaded again, and is decided about with another press.
    const now = queryClient.getQueryData<Pulse>(pulseKey)?.trading.switches;
    setSeen(now?.find(({ level, id }) => level === seen.level && id === seen.id) ?? seen);
  };
  return (
    <ConfirmDialog
      opened
      title="Re-arm Trading"
      message={`${subject}: bots that are active make entries again. Bots that are paused or stopped stay as they are.`}
      confirmLabel="Re-arm"
      loading={isBusy}
      onConfirm={() => void reArm()}
      onCancel={() => {
        cancel();
        onClose();
      }}
    >
      {liftedTexts(seen).map((text) => (
        <p key={text} className="trading-lifted fl-number">
          {text}
        </p>
      ))}
      {failure === null ? null : <Banner tone="error" text="Trading was not re-armed." detail={failure} />}
    </ConfirmDialog>
  );
}

/** What is lifted: what is stopped, since when and by whom, what else is behind it, and which trades are not closed then. */
function liftedTexts(of: TradingSwitch): string[] {
  const what = of.state === 'halted' ? 'Trading is halted' : 'Entries are stopped';
  const by = setterOf(of, of.may_re_arm ? 'a deleted account' : 'an administrator');
  const stopped = [`${what} since ${formatMoment(of.since)} UTC by ${by}.`, ...of.behind];
  if (of.closing_all === null || of.closing_all.open === 0) return stopped;
  const { closed, open } = of.closing_all;
  const [they, their] = open === 1 ? ['It stays', 'its'] : ['They stay', 'their'];
  return [
    ...stopped,
    `CLOSE ALL is under way: ${open} of ${count(closed + open, 'trade')} ${isAre(open)} not closed yet. ${they} open when you re-arm, unless ${their} exit is already at the exchange.`,
  ];
}
