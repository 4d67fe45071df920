import { expect, test } from 'vitest';
import { csvCell, csvText } from './csv.ts';

test.each([
  ['=1+1', `"'=1+1"`],
  ['+1+1', `"'+1+1"`],
  ['-1+1', `"'-1+1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  [' =1+1', `"' =1+1"`],
  ['   +1', `"'   +1"`],
  ['\t=1+1', `"'\t=1+1"`],
  ['\r=1+1', `"'\r=1+1"`],
  ['\n-1', `"'\n-1"`],
  ['\r\n \t@x', `"'\r\n \t@x"`],
  ['\u00A0=1', `"'\u00A0=1"`], // no-break space
  ['\u3000=1', `"'\u3000=1"`], // ideographic space
  ['\u200B=1', `"'\u200B=1"`], // zero-width space
  ['\uFEFF=1', `"'\uFEFF=1"`], // byte order mark
  ['\u0000=1', `"'\u0000=1"`],
  ['\uFF1D1+1', `"'\uFF1D1+1"`], // full-width =
  ['\uFF0B1', `"'\uFF0B1"`], // full-width +
  ['\uFF0D1', `"'\uFF0D1"`], // full-width -
  ['\uFF20SUM', `"'\uFF20SUM"`], // full-width @
  [' \uFF1D1', `"' \uFF1D1"`],
  ['\uFE621', `"'\uFE621"`], // small +
  ['\u22121', `"'\u22121"`], // minus sign
  ['-12.5', `"'-12.5"`], // text, though it looks like a number
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
])('text %j, which a spreadsheet would take for a formula, is written %j', (text, written) => {
  expect(csvCell(text)).toBe(written);
});

test.each([
  ['plain', '"plain"'],
  ['', '""'],
  ['a=b', '"a=b"'],
  ['mira@harbour.example', '"mira@harbour.example"'],
  ['2026-11-22', '"2026-11-22"'],
  ['say "yes"', '"say ""yes"""'],
  ['a,b;c', '"a,b;c"'],
  ['two\nlines', '"two\nlines"'],
  ["'=1", `"'=1"`],
  ['{"to":-1}', '"{""to"":-1}"'],
  ['Ünïcødé 船', '"Ünïcødé 船"'],
  [-12.5, '"-12.5"'],
  [0, '"0"'],
  [1e21, '"1e+21"'],
  [null, '""'],
])('%j is written %j', (value, written) => {
  expect(csvCell(value)).toBe(written);
});

test('a file begins with the byte order mark and ends each row', () => {
  expect(
    csvText([
      ['Name', 'PnL'],
      ['=x', -1],
    ]),
  ).toBe(`\uFEFF"Name","PnL"\r\n"'=x","-1"\r\n`);
  expect([...new TextEncoder().encode(csvText([]))]).toEqual([0xef, 0xbb, 0xbf]);
});
