import type { Month } from './month.ts';
import { Pages } from './pages.ts';
import { minuteText } from './statement-text.ts';
import { pdfSheet } from '../../reports/report-pdf/pdf-sheet.ts';
import { inks } from '../../reports/report-pdf/page-style.ts';

/** The PDF file of a month: its title and what it is about, then what `write` writes. `now`: when it is made. */
export async function statementFile(month: Month, about: string, now: Date, write: (pages: Pages) => void): Promise<Buffer> {
  const title = `Statement ${month.name}`;
  const { doc, file } = await pdfSheet(title, now);
  const pages = new Pages(doc, title);
  pages.line(title, { size: 18, isBold: true });
  const isRunning = now < month.end;
  pages.line(`${about}, ${month.firstDay} to ${month.lastDay} (UTC)${isRunning ? ': the month is still running' : ''}.`, {
    size: 9,
    ink: inks.dim,
  });
  pages.line(`Made ${minuteText(now)} UTC by Flotilla. Different modes and currencies are never added.`, { size: 9, ink: inks.dim });
  write(pages);
  doc.end();
  return file;
}
