import { alarmsFor } from '../alarms/alarms.ts';
import type { Handlers } from '../calls/call.ts';
import { differencesFor } from '../differences/differences.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { tradingStateFor } from '../trading/trading-states.ts';

/** What every open page must know soon, in one answer: whoever asks sees in it what the calls of the parts show them. */
export function pulseHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'pulse'> {
  return {
    async pulse({ caller }) {
      const [alarms, trading, differences] = await Promise.all([
        alarmsFor(db, caller),
        tradingStateFor(db, caller),
        differencesFor(db, caller),
      ]);
      return { alarms, trading, differences };
    },
  };
}
