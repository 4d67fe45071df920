import { printable } from './report-text.ts';

/** Where and how a line of text is written; measures in points. */
export interface TextPlace {
  x: number;
  y: number;
  width: number;
  size: number;
  ink: string;
  isBold?: boolean;
  align?: 'left' | 'right';
}

/** Writes one line; what is too wide ends in dots. */
export function drawText(doc: PDFKit.PDFDocument, text: string, place: TextPlace): void {
  const { x, y, width, size, ink, isBold = false, align = 'left' } = place;
  doc
    .font(isBold ? 'Helvetica-Bold' : 'Helvetica')
    .fontSize(size)
    .fillColor(ink);
  const fitted = fit(doc, printable(text), width);
  const left = align === 'right' ? x + width - doc.widthOfString(fitted) : x;
  doc.text(fitted, left, y, { lineBreak: false });
}

function fit(doc: PDFKit.PDFDocument, text: string, width: number): string {
  if (doc.widthOfString(text) <= width) return text;
  let length = text.length;
  while (length > 0 && doc.widthOfString(`${text.slice(0, length)}...`) > width) length -= 1;
  return `${text.slice(0, length)}...`;
}
