import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import { tradesClosedOn } from '#storage/reports/day-report.ts';
import { setReportReader, wantsReports } from '#storage/reports/report-readers.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { seesAllBots } from '../calls/caller.ts';
import { dayFigures } from './day-figures.ts';
import { dayTrades } from './day-trades.ts';
import { FileAnswer } from '../calls/file-answer.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { HttpError } from '../http/http-error.ts';
import { newestDueDay } from './morning-report.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { reportPdf } from './report-pdf/report-pdf.ts';

/** The report of a day: what the trades that were closed on it come to, as figures, as a file, and by mail each morning. */
export function reportHandlers({
  db,
  mailer,
}: ServerDependencies): Pick<Handlers, 'report' | 'reportTrades' | 'reportPdf' | 'getReportMail' | 'setReportMail'> {
  const files = new OneAtATime(); // each takes the processor for some time
  return {
    getReportMail: async ({ caller }) => ({ wanted: await wantsReports(db, caller.id), goes_to: mailer.goesTo }),

    async setReportMail(call) {
      const { wanted } = call.body;
      await db.transaction().execute(async (trx) => {
        if (!(await setReportReader(trx, call.caller.id, wanted, newestDueDay(call.now)))) return;
        await audit(trx, call, call.caller, 'report-mail', 'ok', {
          detail: wanted ? { from: 'off', to: 'on' } : { from: 'on', to: 'off' },
        });
      });
      return { wanted, goes_to: mailer.goesTo };
    },

    report: async ({ caller, params }) => dayFigures(await tradesOf(caller, params.id)),

    reportTrades: async ({ caller, params }) => dayTrades(await tradesOf(caller, params.id)),

    async reportPdf({ caller, params, now }) {
      const file = await files.do(caller.id, async () => reportPdf(params.id, await tradesOf(caller, params.id), now));
      return new FileAnswer(`report_${params.id}.pdf`, file);
    },
  };

  async function tradesOf(caller: Caller, day: string): Promise<ClosedOnDay[]> {
    const trades = await tradesClosedOn(db, day, seesAllBots(caller) ? null : caller.id);
    if (trades.length === 0) throw new HttpError(404, 'No report data available for the date.');
    return trades;
  }
}
