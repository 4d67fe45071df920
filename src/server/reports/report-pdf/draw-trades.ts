import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import { drawText } from './draw-text.ts';
import { inkOf, inks, sheet } from './page-style.ts';
import { pnlText, priceText } from './report-text.ts';

interface Column {
  title: string;
  width: number; // points
  align?: 'right';
  text: (trade: ClosedOnDay) => string;
  ink?: (trade: ClosedOnDay) => string;
}

const columns: readonly Column[] = [
  { title: 'Closed', width: 44, text: ({ closedAt }) => closedAt.toISOString().slice(11, 19) },
  { title: 'Mode', width: 36, text: ({ mode }) => mode, ink: ({ mode }) => inks[mode] },
  { title: 'Bot', width: 84, text: ({ botName }) => botName },
  { title: 'Symbol', width: 82, text: ({ symbol }) => symbol },
  { title: 'Direction', width: 38, text: ({ direction }) => direction },
  { title: 'Entry', width: 50, align: 'right', text: ({ entryPrice }) => priceText(entryPrice) },
  { title: 'Exit', width: 50, align: 'right', text: ({ exitPrice }) => priceText(exitPrice) },
  { title: 'Exit Reason', width: 68, text: ({ exitReason }) => exitReason ?? 'N/A' },
  {
    title: 'PNL',
    width: 63.28,
    align: 'right',
    text: (trade) => pnlText(Number(trade.profit), { name: trade.stakeCurrency, isDollar: trade.isDollar }),
    ink: ({ profit, isDollar }) => (isDollar ? inkOf(Number(profit)) : inks.text),
  },
];

const rowHeight = 13;
const gap = 6; // between two columns

/** Draws the table of trades down to `bottom`; those that do not fit are counted in its last line. */
export function drawTrades(doc: PDFKit.PDFDocument, trades: readonly ClosedOnDay[], top: number, bottom: number): void {
  drawRow(top, (column) => ({ text: column.title, ink: inks.dim }));
  const fitting = Math.floor((bottom - top) / rowHeight) - 1;
  const shown = trades.length <= fitting ? trades : trades.slice(0, fitting - 1);
  for (const [place, trade] of shown.entries()) {
    drawRow(top + (place + 1) * rowHeight, ({ text, ink }) => ({ text: text(trade), ink: ink?.(trade) ?? inks.text }));
  }
  if (shown.length < trades.length) {
    const text = `and ${trades.length - shown.length} more, which count in the figures and lines above`;
    const y = top + (shown.length + 1) * rowHeight + 3;
    drawText(doc, text, { x: sheet.margin, y, width: sheet.inner, size: 8, ink: inks.dim });
  }

  function drawRow(y: number, cellOf: (column: Column) => { text: string; ink: string }): void {
    let x = sheet.margin;
    for (const column of columns) {
      const { text, ink } = cellOf(column);
      const width = column === columns.at(-1) ? column.width : column.width - gap;
      drawText(doc, text, { x, y: y + 3, width, size: 7.5, ink, align: column.align ?? 'left' });
      x += column.width;
    }
    doc
      .moveTo(sheet.margin, y + rowHeight)
      .lineTo(sheet.margin + sheet.inner, y + rowHeight)
      .lineWidth(0.4)
      .stroke(inks.line);
  }
}
