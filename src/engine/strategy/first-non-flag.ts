/** The first row of a column whose flag is neither 0 nor 1; -1 when there is none. */
export function firstNonFlag(column: ArrayLike<unknown>): number {
  let row = 0;
  if (column instanceof Uint8Array && column.byteOffset % 4 === 0) {
    // Four flags at a time: no bit but the lowest of each may be set.
    const words = new Uint32Array(column.buffer, column.byteOffset, column.length >> 2);
    let word = 0;
    while (word < words.length && (words[word] & 0xfefefefe) === 0) word++;
    row = word * 4;
  }
  for (; row < column.length; row++) if (column[row] !== 0 && column[row] !== 1) return row;
  return -1;
}
