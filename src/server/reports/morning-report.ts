import { reportMailHour } from '#contract/reports.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { mails } from '#mail/texts.ts';
import { tradesClosedOn } from '#storage/reports/day-report.ts';
import type { Database } from '#storage/database.ts';
import type { NewMail } from '#storage/mails/mail-outbox.ts';
import { leaveReport, listReadersWithout } from '#storage/reports/report-readers.ts';
import { seesAllBots } from '../calls/caller.ts';
import { dayFigures } from './day-figures.ts';
import { reportPdf } from './report-pdf/report-pdf.ts';
import { figureTexts, otherCurrencies } from './report-pdf/report-text.ts';

/** What leaving reports needs. */
export interface ReportMailing {
  db: Database;
  pageUrl: string;
  now: () => Date;
  onError: (error: unknown) => void;
}

/** The newest UTC day whose report is due at a moment: the day before, from six in the morning on. */
export function newestDueDay(now: Date): string {
  return new Date(now.getTime() - reportMailHour * hourMs - dayMs).toISOString().slice(0, 10);
}

/**
 * Leaves the report of the day before in the outbox for everybody who wants it and has not had it, from six in the morning until
 * midnight: a server that was down at six sends it later that day, one that was down all day does not.
 */
export async function leaveDueReports({ db, pageUrl, now, onError }: ReportMailing): Promise<void> {
  const time = now();
  if (time.getUTCHours() < reportMailHour) return;
  const day = newestDueDay(time);
  const page = new URL('/?tab=reports', pageUrl).href;
  let ofAllBots: Promise<DayReport> | null = null; // the same for everybody who sees them
  for (const reader of await listReadersWithout(db, day)) {
    try {
      const report = await (seesAllBots(reader) ? (ofAllBots ??= dayReport(db, day, null, time)) : dayReport(db, day, reader.id, time));
      await leaveReport(db, reader, day, reportMail(reader.email, day, report, page));
    } catch (error) {
      if (seesAllBots(reader)) ofAllBots = null; // the next is not refused because of this one
      onError(error); // the others get theirs; the next round tries this one again
    }
  }
}

/** The report of a day as it is mailed; null when no trade was closed. */
type DayReport = { lines: string[]; file: Buffer } | null;

async function dayReport(db: Database, day: string, ownerId: string | null, now: Date): Promise<DayReport> {
  const trades = await tradesClosedOn(db, day, ownerId);
  if (trades.length === 0) return null;
  const figures = figureTexts(dayFigures(trades)).map(({ name, value }) => `${name}: ${value}`);
  const leavesOut = trades.some(({ isDollar }) => !isDollar);
  return { lines: leavesOut ? [...figures, otherCurrencies] : figures, file: await reportPdf(day, trades, now) };
}

function reportMail(recipient: string, day: string, report: DayReport, page: string): NewMail {
  if (report === null) return mails.emptyDailyReport(recipient, day, page);
  return { ...mails.dailyReport(recipient, day, report.lines, page), attachment: { name: `report_${day}.pdf`, content: report.file } };
}
