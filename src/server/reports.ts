import type { ClosedOnDay } from '#storage/day-report.ts';
import { tradesClosedOn } from '#storage/day-report.ts';
import type { Handlers } from './call.ts';
import type { Caller } from './caller.ts';
import { seesAllBots } from './caller.ts';
import { dayFigures } from './day-figures.ts';
import { FileAnswer } from './file-answer.ts';
import { HttpError } from './http-error.ts';
import type { ServerParts } from './parts.ts';
import { reportPdf } from './report-pdf/report-pdf.ts';

/** The report of a day: what the trades that were closed on it come to, as figures and as a file. */
export function reportHandlers({ db }: ServerParts): Pick<Handlers, 'report' | 'reportPdf'> {
  return {
    report: async ({ caller, params }) => dayFigures(await tradesOf(caller, params.id)),

    async reportPdf({ caller, params, now }) {
      const trades = await tradesOf(caller, params.id);
      return new FileAnswer(`report_${params.id}.pdf`, await reportPdf(params.id, trades, now));
    },
  };

  async function tradesOf(caller: Caller, day: string): Promise<ClosedOnDay[]> {
    const trades = await tradesClosedOn(db, day, seesAllBots(caller) ? null : caller.id);
    if (trades.length === 0) throw new HttpError(404, 'No report data available for the date.');
    return trades;
  }
}
