import type { Month } from './month.ts';
import { Pages } from './pages.ts';
import { minuteText } from './statement-text.ts';
import { inks } from '../../reports/report-pdf/page-style.ts';

/** The PDF file of a month: its title and what it is about, then what `write` writes. `now`: when it is made. */
export async function statementFile(month: Month, about: string, now: Date, write: (pages: Pages) => void): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit'); // loaded when the first one is asked for
  const title = `Statement ${month.name}`;
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0, // every place is given
    lang: 'en',
    displayTitle: true,
    info: { Title: title, Creator: 'Flotilla', CreationDate: now },
  });
  const file = bytesOf(doc);
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

function bytesOf(doc: PDFKit.PDFDocument): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
}
