import { inflateSync } from 'node:zlib';

/** The drawing of the file: its streams, unpacked. A carriage return before the end of one is the last byte of what is packed. */
export function drawingOf(file: Buffer): string {
  const text = file.toString('latin1');
  return [...text.matchAll(/stream\r?\n([\s\S]*?)\nendstream/gu)]
    .map(([, data = '']) => Buffer.from(data, 'latin1'))
    .map((data) => {
      try {
        return inflateSync(data).toString('latin1');
      } catch {
        return '';
      }
    })
    .join('\n');
}

/** The lines that are written on the page, in the order of drawing. */
export function linesOf(file: Buffer): string[] {
  return [...drawingOf(file).matchAll(/\[((?:<[0-9a-f]*>|[-\d. ])*)\] TJ/gu)].map(([, parts = '']) =>
    [...parts.matchAll(/<([0-9a-f]*)>/gu)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
  );
}
