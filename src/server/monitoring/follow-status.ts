import type { Handlers } from '../calls/call.ts';
import { LinesAnswer } from '../calls/lines-answer.ts';
import { chartHandlers } from '../chart/chart.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { pulseHandlers } from './pulse.ts';
import { systemHandlers } from './system.ts';

/** How often the live state and the pulse are looked at, in ms. The page has asked for both when it begins to follow. */
const restEveryMs = 10_000;

/**
 * What an open Status page shows, followed. Each part is what its own call answers to whoever the caller is by then, and is left out where that is
 * what was sent last.
 */
export function followHandlers(dependencies: ServerDependencies): Pick<Handlers, 'followStatus'> {
  const { chartCandles } = chartHandlers(dependencies);
  const { liveStatus } = systemHandlers(dependencies);
  const { pulse } = pulseHandlers(dependencies);

  return {
    async followStatus(call) {
      const sent = new Map<string, string>();
      const changed = <Part>(name: string, part: Part): Record<string, Part> => {
        const text = JSON.stringify(part);
        if (sent.get(name) === text) return {};
        sent.set(name, text);
        return { [name]: part };
      };
      let { after } = call.query;
      let restAt = call.now.getTime() + restEveryMs;
      return new LinesAnswer(async (caller, now) => {
        const asked = { ...call, caller, now };
        const chart = await chartCandles({ ...asked, query: { ...call.query, ...(after === undefined ? {} : { after }) } });
        after = chart.cursor ?? after;
        if (now.getTime() < restAt) return changed('chart', chart);
        restAt = now.getTime() + restEveryMs;
        const [live, felt] = await Promise.all([liveStatus({ ...asked, query: {} }), pulse({ ...asked, query: undefined })]);
        return { ...changed('chart', chart), ...changed('live', live), ...changed('pulse', felt) };
      });
    },
  };
}
