import type { DayCurve } from './day-curves.ts';
import { drawText } from './draw-text.ts';
import { inks, sheet } from './page-style.ts';
import { pnlText } from './report-text.ts';

const height = 140;
const labelWidth = 58; // of the amounts at the right
const dollars = { name: 'USD', isDollar: true };

/** Draws the curves of a day as steps between its hours, with the sum that each comes to. */
export function drawCurves(doc: PDFKit.PDFDocument, curves: readonly DayCurve[], top: number): void {
  const profits = [0, ...curves.flatMap(({ points }) => points.map(({ profit }) => profit))];
  const [low, high] = [Math.min(...profits), Math.max(...profits)];
  const room = (high - low || 1) * 0.08;
  const [bottomValue, topValue] = [low - room, high + room];
  const left = sheet.margin;
  const width = sheet.inner - labelWidth;
  const xOf = (share: number) => left + share * width;
  const yOf = (profit: number) => top + ((topValue - profit) / (topValue - bottomValue)) * height;

  for (const hour of [0, 6, 12, 18, 24]) {
    const x = xOf(hour / 24);
    doc
      .moveTo(x, top)
      .lineTo(x, top + height)
      .lineWidth(0.4)
      .stroke(inks.line);
    const text = `${String(hour).padStart(2, '0')}:00`;
    drawText(doc, text, { x: hour === 24 ? x - 22 : x, y: top + height + 4, width: 40, size: 7, ink: inks.dim });
  }
  doc
    .moveTo(left, yOf(0))
    .lineTo(left + width, yOf(0))
    .lineWidth(0.6)
    .dash(2, { space: 2 })
    .stroke(inks.dim)
    .undash();

  for (const { mode, points } of curves) {
    for (const [place, { share, profit }] of points.entries()) {
      if (place === 0) doc.moveTo(xOf(share), yOf(profit));
      else doc.lineTo(xOf(share), yOf(profit));
    }
    doc.lineWidth(1.4).lineJoin('round').stroke(inks[mode]);
  }
  for (const { y, text, ink } of apart(labels(curves, yOf), top, top + height)) {
    drawText(doc, text, { x: left + width + 4, y: y - 4, width: labelWidth - 4, size: 8, ink, isBold: true });
  }
}

/** Draws which colour means which mode, ending at the right margin. */
export function drawLegend(doc: PDFKit.PDFDocument, curves: readonly DayCurve[], y: number): void {
  let x = sheet.margin + sheet.inner;
  for (const { mode } of curves.toReversed()) {
    const width = doc.font('Helvetica').fontSize(8).widthOfString(mode);
    x -= width;
    drawText(doc, mode, { x, y, width: width + 1, size: 8, ink: inks.dim });
    doc
      .moveTo(x - 18, y + 4)
      .lineTo(x - 4, y + 4)
      .lineWidth(1.6)
      .stroke(inks[mode]);
    x -= 30;
  }
}

interface Label {
  y: number;
  text: string;
  ink: string;
}

function labels(curves: readonly DayCurve[], yOf: (profit: number) => number): Label[] {
  const zero = { y: yOf(0), text: '$0.00', ink: inks.dim };
  const sums = curves.map(({ mode, points }) => {
    const profit = points.at(-1)?.profit ?? 0;
    return { y: yOf(profit), text: pnlText(profit, dollars), ink: inks[mode] };
  });
  return [zero, ...sums];
}

/** The labels from top to bottom with room between them, none above or below the chart. */
function apart(all: readonly Label[], top: number, bottom: number): Label[] {
  const sorted = all.toSorted((a, b) => a.y - b.y);
  const lineHeight = 10;
  let next = top + 4;
  return sorted.map((label, place) => {
    const lowest = bottom - 4 - (sorted.length - 1 - place) * lineHeight;
    const y = Math.min(Math.max(label.y, next), lowest);
    next = y + lineHeight;
    return { ...label, y };
  });
}
