import { tradesClosedOn } from '#storage/day-report.ts';
import type { Handlers } from './call.ts';
import { seesAllBots } from './caller.ts';
import { dayFigures } from './day-figures.ts';
import { HttpError } from './http-error.ts';
import type { ServerParts } from './parts.ts';

/** The report of a day: what the trades that were closed on it come to. */
export function reportHandlers({ db }: ServerParts): Pick<Handlers, 'report'> {
  return {
    async report({ caller, params }) {
      const trades = await tradesClosedOn(db, params.id, seesAllBots(caller) ? null : caller.id);
      if (trades.length === 0) throw new HttpError(404, 'No report data available for the date.');
      return dayFigures(trades);
    },
  };
}
