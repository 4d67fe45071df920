import type { report } from '#contract/reports.ts';
import type { z } from 'zod';
import { drawText } from './draw-text.ts';
import { inkOf, inks, sheet } from './page-style.ts';
import { figureTexts } from './report-text.ts';

/** Draws the figures of a day side by side: those of the screen, in its words and order. */
export function drawFigures(doc: PDFKit.PDFDocument, figures: z.output<typeof report>, top: number): void {
  const width = sheet.inner / 6;
  for (const [place, { name, value, amount }] of figureTexts(figures).entries()) {
    const ink = amount === undefined ? inks.text : inkOf(amount);
    const x = sheet.margin + place * width;
    if (place > 0) {
      doc
        .moveTo(x - 6, top)
        .lineTo(x - 6, top + 30)
        .lineWidth(0.5)
        .stroke(inks.line);
    }
    drawText(doc, name, { x, y: top, width: width - 8, size: 8, ink: inks.dim });
    drawText(doc, value, { x, y: top + 13, width: width - 8, size: 13, ink, isBold: true });
  }
}
