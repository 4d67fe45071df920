/** A PDF file that is being written, and its bytes once `doc.end()` was called. */
export interface PdfSheet {
  doc: PDFKit.PDFDocument;
  file: Promise<Buffer>;
}

/** Begins a PDF file of A4 pages. `now`: when it is made. Without margins: every place is given, so nothing begins another page by itself. */
export async function pdfSheet(title: string, now: Date): Promise<PdfSheet> {
  const { default: PDFDocument } = await import('pdfkit'); // loaded when the first one is asked for
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    lang: 'en',
    displayTitle: true,
    info: { Title: title, Creator: 'Flotilla', CreationDate: now },
  });
  const file = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.on('end', () => resolve(Buffer.concat(chunks)));
    doc.on('error', reject);
  });
  return { doc, file };
}
