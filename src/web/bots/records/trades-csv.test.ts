import { expect, test } from 'vitest';
import { aBotTrade } from '../../testing/samples/trades.ts';
import { tradesCsv, tradesFileName } from './trades-csv.ts';

test('a line for each trade; money stays a number, and a comment is never a formula', () => {
  const trade = aBotTrade(1, { pnl: -6.04, exit_price: null, exit_time: null, note: '=HYPERLINK("x")' });
  const [head, line, rest] = tradesCsv([trade]).split('\r\n');
  expect(head).toContain('"Entry Price","Exit Price","Volume","PNL","Currency"');
  expect(line).toContain(`"${trade.entry_price}","","${trade.volume}","-6.04","USDT"`);
  expect(line?.endsWith('"\'=HYPERLINK(""x"")"')).toBe(true);
  expect(rest).toBe('');
});

test('a trade that was imported names the program that made it', () => {
  const [head, imported, own] = tradesCsv([aBotTrade(1, { imported_from: 'freqtrade' }), aBotTrade(2)]).split('\r\n');
  expect(head).toContain('"Imported From","Comment"');
  expect([imported, own].map((line) => line?.includes('"freqtrade"'))).toEqual([true, false]);
});

test('the profit is also in per cent of the stake; of an open trade it is not known', () => {
  const column = (changes: object): string | undefined => {
    const [head = '', line = ''] = tradesCsv([aBotTrade(1, changes)]).split('\r\n');
    return line.split(',')[head.split(',').indexOf('"PNL %"')];
  };
  expect(column({ pnl_ratio: -0.01234 })).toBe('"-1.234"');
  expect(column({ pnl_ratio: null })).toBe('""');
});

test('the file is named after the bot and the day', () => {
  const now = Date.UTC(2026, 10, 22, 23);
  expect(tradesFileName('Morning Cross', now)).toBe('trades-morning-cross-2026-11-22.csv');
  expect(tradesFileName('../Ärger €/ 2', now)).toBe('trades-a-rger-2-2026-11-22.csv');
  expect(tradesFileName('夜', now)).toBe('trades-bot-2026-11-22.csv');
});
