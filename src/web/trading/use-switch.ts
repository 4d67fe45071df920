import { closeAllWords } from '#contract/trading-states.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import type { TradingState, TradingSwitch } from '../live/use-trading-state.ts';
import { cancelledText, isAbort } from '../live/until-aborted.ts';
import { pulseKey } from '../live/use-pulse.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import { count, isAre } from './trading-words.ts';

const cancelledWords = `${cancelledText} It may have been done already: check what the kill switch says.`;

/** Which switch is set. */
export interface SwitchTarget {
  level: TradingSwitch['level'];
  id?: string; // of the user or bot; without it, the caller's own
}

/** The one that was set. */
export function targetOf({ level, id }: TradingSwitch): SwitchTarget {
  return id === null ? { level } : { level, id };
}

/**
 * Sets switches: `stop` needs no password, `closeAll` asks for it where it is needed, `set` makes any call that gives what to say of it. All
 * say how it went; true when it was done. By then what the switches say is loaded again. What is cancelled while it is sent is not sent again.
 */
export function useSwitch() {
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const sending = useSending();
  const set = async (call: (signal: AbortSignal) => Promise<string>): Promise<boolean> => {
    setBusy(true);
    setFailure(null);
    try {
      showToast('success', await sending.send(call));
      return true;
    } catch (error) {
      if (isAbort(error)) showToast('error', cancelledWords);
      else setFailure(reasonOf(error) ?? 'Nothing was changed.');
      return false;
    } finally {
      setBusy(false);
      await queryClient.invalidateQueries({ queryKey: pulseKey });
    }
  };
  return {
    isBusy,
    failure,
    clearFailure: () => setFailure(null),
    cancel: sending.cancel,
    set,
    stop: (target: SwitchTarget, state: 'reducing' | 'halted') =>
      set(async (signal) => {
        const done = await api.stopTrading({ body: { ...target, state } }, { signal });
        return doneText(done.state, done.open_trades);
      }),
    closeAll: (target: SwitchTarget) =>
      set(async (signal) => {
        const done = await api.closeAll({ body: { ...target, confirm: closeAllWords } }, { signal });
        return done.open_trades === 0
          ? 'Trading is halted. No trade is open.'
          : `Trading is halted. ${count(done.open_trades, 'trade')} ${isAre(done.open_trades)} being closed.`;
      }),
  };
}

function doneText(state: TradingState, openTrades: number): string {
  const what = state === 'halted' ? 'Trading is halted.' : 'Entries are stopped.';
  if (openTrades === 0) return `${what} No trade is open.`;
  const verb = openTrades === 1 ? 'stays' : 'stay';
  return `${what} ${count(openTrades, 'trade')} ${verb} open and ${verb === 'stay' ? 'keep their' : 'keeps its'} stops${state === 'halted' ? '' : ' and exits'}.`;
}
