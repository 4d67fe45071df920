/** What a cell of a CSV file may hold. */
export type CsvCell = string | number | null | { decimal: string }; // decimal: a number with more digits than a number of JavaScript keeps

/** Says to a spreadsheet that the file is UTF-8. */
const byteOrderMark = '\uFEFF';

/** The text of a CSV file: a line for each row, every cell in quotes. */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return byteOrderMark + rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * One cell in quotes. Text that a spreadsheet would take for a formula gets a leading apostrophe, because whoever chooses an
 * e-mail or a nickname would else run formulas on the computer of the person who opens the file. A number stays a number.
 *
 * Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvCell(value: CsvCell): string {
  if (value !== null && typeof value === 'object') return `"${value.decimal}"`;
  const text = typeof value === 'string' && isFormula(value) ? `'${value}` : String(value ?? '');
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Whether the first character that can be seen begins a formula. Normalizing turns full-width and small forms into plain
 * ones, as some spreadsheets do; the last character is the mathematical minus sign.
 */
function isFormula(text: string): boolean {
  return /^[\p{Z}\p{C}]*[=+\-@\u2212]/u.test(text.normalize('NFKC'));
}
