import { drawText } from '../../reports/report-pdf/draw-text.ts';
import { printable } from '../../reports/report-pdf/report-text.ts';
import { inks, sheet } from '../../reports/report-pdf/page-style.ts';

/** A column of a table: its title, its width in points, and what a row shows in it. */
export interface PageColumn<Row> {
  title: string;
  width: number;
  align?: 'right';
  text: (row: Row) => string;
  ink?: (row: Row) => string;
}

const rowHeight = 13;
const gap = 6; // between two columns
const footer = 24; // points at the bottom for the number of the page

/** Pages that are written from top to bottom; what does not fit is put on the next one. */
export class Pages {
  readonly #doc: PDFKit.PDFDocument;
  readonly #title: string;
  #y = 40;
  #page = 1;

  constructor(doc: PDFKit.PDFDocument, title: string) {
    this.#doc = doc;
    this.#title = title;
    this.#foot();
  }

  /** A line of text; `space` points of room above it. */
  line(
    text: string,
    { size, ink = inks.text, isBold = false, space = 0 }: { size: number; ink?: string; isBold?: boolean; space?: number },
  ) {
    this.#room(size + 6 + space);
    this.#y += space;
    drawText(this.#doc, text, { x: sheet.margin, y: this.#y, width: sheet.inner, size, ink, isBold });
    this.#y += size + 6;
  }

  /** Sentences on as many lines as they take. */
  paragraph(text: string, { size, ink = inks.text }: { size: number; ink?: string }) {
    const sentences = printable(text);
    const height = this.#doc.font('Helvetica').fontSize(size).heightOfString(sentences, { width: sheet.inner });
    this.#room(height + 6);
    // Another page has written its foot meanwhile.
    this.#doc.font('Helvetica').fontSize(size).fillColor(ink).text(sentences, sheet.margin, this.#y, { width: sheet.inner });
    this.#y += height + 6;
  }

  /** Figures side by side, each under its name. */
  figures(figures: readonly { name: string; value: string; ink?: string }[]) {
    this.#room(40);
    const width = sheet.inner / figures.length;
    for (const [place, { name, value, ink = inks.text }] of figures.entries()) {
      const x = sheet.margin + place * width;
      drawText(this.#doc, name, { x, y: this.#y, width: width - 8, size: 8, ink: inks.dim });
      drawText(this.#doc, value, { x, y: this.#y + 12, width: width - 8, size: 11, ink, isBold: true });
    }
    this.#y += 36;
  }

  /** A table; its head is repeated on each page it reaches. */
  table<Row>(columns: readonly PageColumn<Row>[], rows: readonly Row[]) {
    this.#room(rowHeight * 2); // a head is not left alone
    const head = () => this.#row(columns, ({ title }) => ({ text: title, ink: inks.dim }));
    head();
    for (const row of rows) {
      if (this.#room(rowHeight)) head();
      this.#row(columns, ({ text, ink }) => ({ text: text(row), ink: ink?.(row) ?? inks.text }));
    }
    this.#y += 6;
  }

  #row<Row>(columns: readonly PageColumn<Row>[], cellOf: (column: PageColumn<Row>) => { text: string; ink: string }) {
    let x = sheet.margin;
    for (const column of columns) {
      const { text, ink } = cellOf(column);
      const width = column === columns.at(-1) ? column.width : column.width - gap;
      drawText(this.#doc, text, { x, y: this.#y + 3, width, size: 7.5, ink, align: column.align ?? 'left' });
      x += column.width;
    }
    this.#y += rowHeight;
    this.#doc
      .moveTo(sheet.margin, this.#y)
      .lineTo(sheet.margin + sheet.inner, this.#y)
      .lineWidth(0.4)
      .stroke(inks.line);
  }

  /** Begins another page when so many points do not fit on this one. Whether it did. */
  #room(points: number): boolean {
    if (this.#y + points <= sheet.height - sheet.margin - footer) return false;
    this.#doc.addPage();
    this.#page += 1;
    this.#y = 40;
    this.#foot();
    return true;
  }

  #foot() {
    const place = { x: sheet.margin, y: sheet.height - sheet.margin, width: sheet.inner, size: 7.5, ink: inks.dim };
    drawText(this.#doc, this.#title, place);
    drawText(this.#doc, `Page ${this.#page}`, { ...place, align: 'right' });
  }
}
