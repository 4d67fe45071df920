import { expect, test } from 'vitest';
import { aFreqtradeTrade, anOpenFreqtradeTrade } from '../testing/freqtrade-file.ts';
import type { FreqtradeRow } from './freqtrade-database.ts';
import { freqtradeTrades } from './freqtrade-trades.ts';

const read = (trades: FreqtradeRow[], given: { openOrders?: FreqtradeRow[]; filledOrders?: FreqtradeRow[] } = {}) =>
  freqtradeTrades({ trades, openOrders: [], filledOrders: [], ...given }, { exchange: 'binance', stakeCurrency: 'USDT' });
const faults = (trades: FreqtradeRow[], openOrders: FreqtradeRow[] = []): string[] => {
  try {
    read(trades, { openOrders });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};
const filled = (id: number, side: string, amount: number, price: number): FreqtradeRow => ({ trade: id, side, amount, price });

test('a closed trade keeps every number that freqtrade has stored', () => {
  const { closed } = read([aFreqtradeTrade(1, { close_profit_abs: -2.7391109900000004, close_profit: 1e-7, amount: 0.1 + 0.2 })]);
  expect(closed).toEqual([
    {
      key: 'freqtrade 1 BTC/USDT long 2026-01-01 03:04:05.678901',
      symbol: 'BTC/USDT',
      direction: 'long',
      openedAt: new Date('2026-01-01T03:04:05.678Z'),
      closedAt: new Date('2026-01-01T08:00:00.000Z'),
      amount: '0.30000000000000004',
      stake: '100',
      leverage: '1',
      entryPrice: '200',
      exitPrice: '210.5',
      stopPrice: '180',
      initialStopPrice: '180',
      liquidationPrice: null,
      fees: '0.123150000000000016420',
      funding: '0',
      profit: '-2.7391109900000004',
      profitRatio: '0.0000001',
      entryTag: null,
      exitReason: 'roi',
      priceTick: 0.01,
    },
  ]);
});

test('a short with leverage and funding; its stake is the most that was staked', () => {
  const given = { is_short: 1, leverage: 3, pair: 'ETH/USDT:USDT', funding_fees: -0.3125375941, stake_amount: 10, max_stake_amount: 40 };
  const [now, before] = read([aFreqtradeTrade(1, given), aFreqtradeTrade(2, { ...given, record_version: 1 })]).closed;
  expect(now).toMatchObject({ direction: 'short', leverage: '3', funding: '-0.3125375941', stake: '40' });
  expect(before).toMatchObject({ stake: '10' }); // what it staked most was written with the leverage in it
});

test('fees are those of every entry and exit, also of parts', () => {
  const orders = [
    filled(1, 'buy', 1, 100),
    filled(1, 'buy', 0.5, 90),
    filled(1, 'sell', 0.5, 110),
    filled(1, 'stoploss', 1, 80),
    filled(2, 'sell', 9, 9),
  ];
  const [{ fees } = { fees: '' }] = read([aFreqtradeTrade(1, { fee_open: 0.001, fee_close: 0.002 })], { filledOrders: orders }).closed;
  expect(fees).toBe('0.4150'); // 145 × 0.1 % + 135 × 0.2 %
  const [short] = read([aFreqtradeTrade(1, { is_short: 1, fee_open: 0.01, fee_close: 0 })], { filledOrders: orders }).closed;
  expect(short?.fees).toBe('0.550'); // it is entered by selling
});

test('names of earlier versions are today’s, and prices have the step of their market', () => {
  const { closed } = read([
    aFreqtradeTrade(1, { exit_reason: 'sell_signal', price_precision: 3, precision_mode: 2, precision_mode_price: null }),
    aFreqtradeTrade(2, { exit_reason: 'my reason', price_precision: null }),
    aFreqtradeTrade(3, { exit_reason: null, close_profit_abs: null, close_profit: null, precision_mode_price: 3 }),
  ]);
  expect(closed.map(({ exitReason, priceTick }) => [exitReason, priceTick])).toEqual([
    ['exit_signal', 0.001],
    ['my reason', null],
    [null, null],
  ]);
  expect(closed[2]).toMatchObject({ profit: '0', profitRatio: '0' });
});

test('open trades stand apart, with what waits at the exchange', () => {
  const open = anOpenFreqtradeTrade(7, { leverage: 5, amount: 0.25, strategy: 'Other' });
  const orders = [{ trade: 7, side: 'sell', order_id: '99' }];
  const { closed, open: found, mostLeverage, strategies } = read([aFreqtradeTrade(1), open], { openOrders: orders });
  expect(closed).toHaveLength(1);
  expect(found).toMatchObject([{ id: 7, symbol: 'BTC/USDT', direction: 'long', amount: 0.25, openOrders: ['sell 99'] }]);
  expect([mostLeverage, strategies]).toEqual([5, ['EmaCross', 'Other']]);
});

test('trades that are not those of one bot are refused, each kind in a sentence', () => {
  const rows = [1, 2, 3, 4, 5, 6, 7].map((id) => aFreqtradeTrade(id, { exchange: 'kraken' }));
  expect(faults(rows)).toEqual([
    'Trades 1, 2, 3, 4, 5 and 2 more were made at kraken, and the configuration names binance: take the configuration they were made with.',
  ]);
  expect(faults([aFreqtradeTrade(1), aFreqtradeTrade(2, { stake_currency: 'BTC' })])).toEqual([
    'Trade 2 was made with BTC, and the bot has USDT: amounts of two currencies cannot be added.',
  ]);
  expect(faults([aFreqtradeTrade(1, { stake_currency: null, pair: 'ETH/BTC' })])).toHaveLength(1);
  expect(faults([aFreqtradeTrade(1, { stake_currency: null, pair: 'ETH/USDT:USDT' })])).toEqual([]);
  expect(faults([aFreqtradeTrade(1)], [{ trade: 1, side: 'sell', order_id: '12' }])).toEqual([
    'Trade 1 is closed, and an order still waits at the exchange: start freqtrade, which settles it, and try again.',
  ]);
  expect(faults([aFreqtradeTrade(1)], [{ trade: 1, side: 'sell', order_id: 'dry_run_sell_1' }])).toEqual([]);
});

test('what cannot be a trade is refused with what it lacks', () => {
  const wrong = [
    { pair: 'BTC' },
    { open_date: null },
    { open_date: 'yesterday' },
    { amount: null },
    { open_rate: 'x' },
    { close_date: null },
    { close_date: '2025-12-31 00:00:00.000000' },
    { close_profit_abs: 'much' },
  ];
  expect(faults(wrong.slice(0, 5).map((given, i) => aFreqtradeTrade(i + 1, given)))).toEqual([
    'Trade 1 cannot be imported: it has no pair.',
    'Trade 2 cannot be imported: it has no time of its opening.',
    'Trade 3 cannot be imported: it has no time of its opening.',
    'Trade 4 cannot be imported: its "amount" is not a number.',
    'Trade 5 cannot be imported: its "open_rate" is not a number.',
  ]);
  expect(faults(wrong.slice(5).map((given, i) => aFreqtradeTrade(i + 1, given)))).toEqual([
    'Trade 1 cannot be imported: it is closed and has no time of its end.',
    'Trade 2 cannot be imported: it ends before it begins.',
    'Trade 3 cannot be imported: its "close_profit_abs" is not a number.',
  ]);
  expect(faults(wrong.map((given, i) => aFreqtradeTrade(i + 1, given))).at(-1)).toBe(
    '3 more trades cannot be imported for reasons like these.',
  );
  expect(faults([anOpenFreqtradeTrade(1, { close_date: null })])).toEqual([]);
});
