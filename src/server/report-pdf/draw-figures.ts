import type { report } from '#contract/reports.ts';
import type { z } from 'zod';
import { drawText } from './draw-text.ts';
import { inkOf, inks, sheet } from './page-style.ts';
import { moneyText, percentText, pnlText } from './report-text.ts';

const dollars = { name: 'USD', isDollar: true };

/** Draws the figures of a day side by side: those of the screen, in its words and order. */
export function drawFigures(doc: PDFKit.PDFDocument, figures: z.output<typeof report>, top: number): void {
  const { average_confidence: confidence } = figures;
  const cells: (readonly [name: string, value: string, ink: string])[] = [
    ['Trades', String(figures.total_trades), inks.text],
    ['Net PNL', pnlText(figures.net_pnl, dollars), inkOf(figures.net_pnl)],
    ['Win Rate', percentText(figures.win_rate, 2), inks.text],
    ['Max Drawdown', moneyText(figures.max_drawdown), inks.text],
    ['Avg Stop Size', `${figures.avg_stop_size.toFixed(2)}%`, inks.text],
    ...(confidence === undefined ? [] : ([['Average Confidence', percentText(confidence, 1), inks.text]] as const)),
  ];
  const width = sheet.inner / 6;
  for (const [place, [name, value, ink]] of cells.entries()) {
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
