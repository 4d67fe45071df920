import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import { dayFigures } from '../day-figures.ts';
import { dayCurves } from './day-curves.ts';
import { drawCurves, drawLegend } from './draw-curves.ts';
import { drawFigures } from './draw-figures.ts';
import { drawText } from './draw-text.ts';
import { drawTrades } from './draw-trades.ts';
import { inks, sheet } from './page-style.ts';
import { pdfSheet } from './pdf-sheet.ts';
import { otherCurrencies } from './report-text.ts';

const left = { x: sheet.margin, width: sheet.inner };

/**
 * The report of a UTC day as a PDF file of one page: the figures of the screen, the profit over the day, and the trades.
 * `trades` in the order of closing, at least one. `now`: when it is made.
 */
export async function reportPdf(day: string, trades: readonly ClosedOnDay[], now: Date): Promise<Buffer> {
  const title = `Daily Report ${day}`;
  const { doc, file } = await pdfSheet(title, now);
  drawText(doc, title, { ...left, y: 40, size: 18, ink: inks.text, isBold: true });
  const made = `Trades closed on this UTC day, all modes. Made ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC by Flotilla.`;
  drawText(doc, made, { ...left, y: 64, size: 8.5, ink: inks.dim });

  const figures = dayFigures(trades);
  drawFigures(doc, figures, 90);
  if (figures.leaves_out === true) drawText(doc, otherCurrencies, { ...left, y: 127, size: 8, ink: inks.dim });

  const curves = dayCurves(day, trades, now.getTime());
  drawText(doc, 'Net PNL over the Day', { ...left, y: 152, size: 10, ink: inks.text, isBold: true });
  if (curves.length > 0) {
    drawLegend(doc, curves, 153);
    drawCurves(doc, curves, 170);
  } else {
    drawText(doc, 'No trade in dollars.', { ...left, y: 170, size: 8, ink: inks.dim });
  }

  drawText(doc, 'Trades of the Day', { ...left, y: 342, size: 10, ink: inks.text, isBold: true });
  drawTrades(doc, trades, 358, sheet.height - sheet.margin);
  doc.end();
  return file;
}
