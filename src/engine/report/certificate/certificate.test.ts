import { describe, expect, test } from 'vitest';
import type { Trade } from '../../account/trade.ts';
import { fromText, minus, plus, toNumber, zero } from '../../market/decimal.ts';
import type { Decimal } from '../../market/decimal.ts';
import { dayMs, hourMs, minuteMs } from '../../market/durations.ts';
import { seededRandom } from '../../simulation/seeded-random.ts';
import { certify, exactText } from './certificate.ts';
import { dayTrade, resultOf } from './day-trade.ts';
import type { MadeOrder } from './testing/a-day-of-trades.ts';
import { aDay, aDecision, anInput, candleTime, midnight, tradeOf } from './testing/a-day-of-trades.ts';

const long = { enterLong: true, exitLong: false, enterShort: false, exitShort: false };
const none = { enterLong: false, exitLong: false, enterShort: false, exitShort: false };
const at = (n: number) => `BTC/USDT ${candleTime(n)}`;

/** One entry and one exit of ten coins, in and out within the day, as a backtest makes them; `how` is what the account did otherwise. */
function roundTrip(
  how: { in?: Partial<MadeOrder['fills'][number]>; out?: Partial<MadeOrder['fills'][number]>; price?: number; exit?: string } = {},
): Trade {
  const entry = { price: 100, amount: 10, time: candleTime(1), fee: 1, feeInQuote: 1, ...how.in };
  const exit = { price: 105, amount: 10, time: candleTime(20), fee: 1.05, feeInQuote: 1.05, ...how.out };
  return tradeOf(
    'long',
    [
      { purpose: 'entry', fills: [entry], price: how.price ?? 100, candleTime: candleTime(0) },
      { purpose: 'exit', fills: [exit], price: 105, candleTime: candleTime(19), tag: how.exit ?? 'exit_signal' },
    ],
    true,
  );
}

function certified(account: readonly Trade[], given: Parameters<typeof anInput>[0] = {}) {
  return certify(anInput({ stored: { trades: [roundTrip()] }, trades: account, ...given }));
}

describe('each part is what one thing made of the result', () => {
  test.each([
    ['nothing differs', {}, {}],
    ['a worse fill', { in: { price: 100.1 } }, { 'fill-price': '-1' }],
    ['an order made later, at another price', { in: { price: 100.5 }, price: 100.5 }, { delay: '-5' }],
    ['a fill of less', { in: { amount: 8 }, out: { amount: 8 } }, { amount: '-10' }],
    ['a higher fee', { in: { fee: 1.25, feeInQuote: 1.25 } }, { fee: '-0.25' }],
    ['a person closed it', { out: { price: 105 }, exit: 'force_exit' }, {}],
  ])('%s', (_, how, parts) => {
    const { trades, parts: all } = certified([roundTrip(how)]);
    expect(all).toEqual(parts);
    expect(trades).toHaveLength(1);
  });

  test('a fee in coins counts at the price of its fill, and less is left to sell', () => {
    const { parts, promised, made } = certified([
      roundTrip({ in: { fee: 0.01, feeCurrency: 'BTC', feeInQuote: 1 }, out: { amount: 9.99 } }),
    ]);
    expect(promised).toBe('47.95');
    expect(made).toBe('47.9'); // a hundredth of a coin less made its five dollars
    expect(parts).toEqual({ amount: '-0.05' });
  });

  test('an exit by a person at another price is an intervention, and its fill price is one still', () => {
    const account = tradeOf(
      'long',
      [
        { purpose: 'entry', fills: [{ price: 100, amount: 10, time: candleTime(1), fee: 1, feeInQuote: 1 }] },
        {
          purpose: 'exit',
          fills: [{ price: 101.9, amount: 10, time: candleTime(9), fee: 1.05, feeInQuote: 1.05 }],
          price: 102,
          candleTime: candleTime(8),
          tag: 'force_exit',
        },
      ],
      true,
    );
    const { trades, parts } = certified([account]);
    expect(parts).toEqual({ 'fill-price': '-1', intervention: '-30' });
    expect(trades[0]).toMatchObject({ why: 'closed-by-person', difference: '-31' });
  });

  test('funding and its difference, for a short too', () => {
    const short = (time: number) =>
      tradeOf('short', [{ purpose: 'entry', fills: [{ price: 100, amount: 1, time }] }], false, { marketType: 'futures' });
    const funding = { time: Float64Array.of(midnight + 8 * hourMs), rate: Float64Array.of(0.0001), mark: Float64Array.of(100) };
    const day = aDay({ funding: new Map([['BTC/USDT', funding]]) });
    const result = certify(anInput({ day, stored: { trades: [short(midnight + hourMs)] }, trades: [short(midnight + 9 * hourMs)] }));
    expect(result).toMatchObject({ promised: '-9.99', made: '-10', parts: { funding: '-0.01' } });
  });

  test.each([
    ['long', 105, 49.95, 49.85], // in the quote currency, on the half that is borrowed
    ['short', 90, 99.91, 99.73], // in coins, which are bought at the price of the exit
  ] as const)('interest has cost something, as it was booked: that of a %s, and its difference', (direction, price, promised, made) => {
    const held = (hours: number) =>
      tradeOf(
        direction,
        [
          { purpose: 'entry', fills: [{ price: 100, amount: 10, time: midnight + 3 * hourMs }] },
          { purpose: 'exit', fills: [{ price, amount: 10, time: midnight + (3 + hours) * hourMs }], tag: 'exit_signal' },
        ],
        true,
        { marketType: 'margin', leverage: 2, interest: { scheme: 'binance', ratePerPeriod: 0.0024 } },
      );
    const result = certify(anInput({ stored: { trades: [held(1)] }, trades: [held(3)] }));
    expect([held(1).profit, held(3).profit]).toEqual([promised, made]);
    expect(Number(result.promised)).toBeCloseTo(promised, 8);
    expect(Number(result.made)).toBeCloseTo(made, 8);
    expect(Object.keys(result.parts)).toEqual(['funding']);
    expect(Number(result.parts.funding)).toBeCloseTo(made - promised, 8);
  });
});

describe('what only one side has made', () => {
  test.each([
    ['the kill switch', aDecision({ ...long, gate: 'halted' }), 'intervention', 'halted'],
    ['a limit', aDecision({ ...long, gate: 'limit-daily-loss' }), 'intervention', 'limit-daily-loss'],
    ['a locked pair', aDecision({ ...long, gate: 'pair-locked' }), 'intervention', 'pair-locked'],
    ['another bot of the account', aDecision({ ...long, gate: 'opposite-position' }), 'intervention', 'opposite-position'],
    ['old data', aDecision({ ...long, gate: 'stale-candle' }), 'intervention', 'stale-candle'],
    ['another trade', aDecision({ ...long, gate: 'slots-full' }), 'delay', 'slots-full'],
    ['too little money', aDecision({ ...long, gate: 'insufficient-balance' }), 'amount', 'insufficient-balance'],
    ['an order that was not filled', aDecision({ ...long, action: 'enter', gate: null }), 'amount', 'not-filled'],
    ['no answer of the strategy', aDecision({ gate: 'strategy-failed', failure: 'It threw.' }), 'intervention', 'strategy-failed'],
    ['a bot that did not run', aDecision({ candleTime: candleTime(5) }), 'intervention', 'not-running'],
    ['a signal that the bot did not see', aDecision(), 'decision', 'other-decision'],
  ])('a trade of the backtest alone is explained by its decision: %s', (_, decision, part, why) => {
    const flags = new Map([
      [at(0), long],
      [at(5), none],
    ]);
    const { trades, parts, decisions } = certified([], { stored: { trades: [roundTrip()], flags }, decisions: [decision] });
    expect(parts).toEqual({ [part]: '-47.95' });
    expect(trades).toMatchObject([{ why, promised: '47.95', made: null }]);
    expect(decisions.differing).toHaveLength(part === 'decision' ? 1 : 0);
  });

  test('an entry that the exchange has refused', () => {
    const unfilled = [{ symbol: 'BTC/USDT', direction: 'long' as const, candleTime: candleTime(0), isRefused: true }];
    expect(certified([], { unfilled }).trades).toMatchObject([{ why: 'refused-order' }]);
  });

  test('without decisions on record nothing is guessed', () => {
    expect(certified([])).toMatchObject({ parts: { unexplained: '-47.95' }, trades: [{ why: 'no-record' }] });
  });

  test('a trade of the account alone: by hand, refused in the backtest, or entered without its signal', () => {
    const byHand = tradeOf('long', [{ purpose: 'entry', fills: [{ price: 100, amount: 1, time: candleTime(3) }], tag: 'manual' }], false);
    expect(certified([roundTrip(), byHand]).trades).toMatchObject([
      { why: null },
      { why: 'by-hand', made: '10', parts: { intervention: '10' } },
    ]);
    const refused = [{ time: candleTime(1), candleTime: candleTime(0), symbol: 'BTC/USDT', gate: 'slots-full' as const }];
    expect(certified([roundTrip()], { stored: { refused } }).trades).toMatchObject([{ why: 'slots-full' }]);
    const entered = aDecision({ ...long, action: 'enter', gate: null });
    const alarm = certified([roundTrip()], { stored: { flags: new Map([[at(0), none]]) }, decisions: [entered] });
    expect(alarm).toMatchObject({ parts: { decision: '47.95' }, decisions: { differing: [{ candleTime: candleTime(0) }] } });
  });
});

describe('candles that were corrected after the day', () => {
  test('are a part of their own: the backtest on what the bot saw, against the backtest on what is stored', () => {
    const entered = aDecision({ ...long, action: 'enter', gate: null });
    const result = certify(
      anInput({
        stored: { flags: new Map([[at(0), none]]) },
        seen: { trades: [roundTrip()], refused: [], flags: new Map([[at(0), long]]) },
        trades: [roundTrip({ in: { price: 100.1 } })],
        decisions: [entered],
      }),
    );
    expect(result).toMatchObject({ promised: '0', made: '46.95', parts: { data: '47.95', 'fill-price': '-1' } });
    expect(result.decisions).toEqual({ recorded: 1, same: 0, failed: 0, ofData: 1, differing: [] });
  });

  test('a decision that differs on the very candles it was made on is none of the data', () => {
    const entered = aDecision({ ...long, action: 'enter', gate: null });
    const flags = new Map([[at(0), none]]);
    const result = certify(anInput({ stored: { flags }, seen: { trades: [], refused: [], flags }, decisions: [entered] }));
    expect(result.decisions.differing).toEqual([{ symbol: 'BTC/USDT', candleTime: candleTime(0) }]);
  });
});

/** A random trade over three days around midnight: several entries and exits, fees in three currencies, open or closed. */
function randomTrade(chance: () => number, candle: number): Trade {
  const digits = (value: number, n: number): number => Number(value.toFixed(n));
  const price = (): number => digits(60 + chance() * 80, 1 + Math.floor(chance() * 7));
  let time = midnight - dayMs + chance() * 2.5 * dayMs;
  const next = (): number => Math.floor((time += chance() * 4 * hourMs));
  const fee = (kind: number, amount: number, at: number, purpose: 'entry' | 'exit') => {
    const quote = digits(amount * at * 0.001 * chance(), 10);
    if (kind < 0.2 && purpose === 'entry')
      return { fee: digits(amount * 0.001, 8), feeCurrency: 'BTC', feeInQuote: digits(amount * 0.001, 8) * at };
    if (kind < 0.3) return { fee: 0.01, feeCurrency: 'BNB', feeInQuote: null };
    return kind < 0.5 ? { fee: 0.01, feeCurrency: 'BNB', feeInQuote: quote } : { fee: quote, feeCurrency: 'USDT', feeInQuote: quote };
  };
  const fills = (amount: number, purpose: 'entry' | 'exit') => {
    const parts = 1 + Math.floor(chance() * 3);
    const kind = chance(); // an exchange takes the fees of an order in one currency
    const first = digits(amount / parts, 6);
    return Array.from({ length: parts }, (_, i) => {
      const part = i === parts - 1 ? digits(amount - first * (parts - 1), 8) : first;
      const at = price();
      return { price: at, amount: part, time: next(), ...fee(kind, part, at, purpose) };
    });
  };
  const orders: MadeOrder[] = [];
  const isClosed = chance() < 0.7;
  let held = 0;
  for (let n = 0, count = 1 + Math.floor(chance() * 3); n < count; n++) {
    const amount = digits(0.5 + chance() * 5, 5);
    orders.push({ purpose: 'entry', fills: fills(amount, 'entry'), price: price(), candleTime: candleTime(candle) });
    held += amount;
    if (n < count - 1 && chance() < 0.5) {
      const part = digits(held * 0.3, 5);
      orders.push({ purpose: 'exit', fills: fills(part, 'exit'), price: price(), tag: 'partial_exit' });
      held -= part;
    }
  }
  // What was kept as a fee in coins is not there to be sold.
  if (isClosed)
    orders.push({ purpose: 'exit', fills: fills(digits(held * (1 - 0.001 * chance()), 6), 'exit'), price: price(), tag: 'stop_loss' });
  return tradeOf(chance() < 0.5 ? 'long' : 'short', orders, isClosed);
}

const sumOfTexts = (texts: readonly (string | undefined)[]): Decimal => texts.reduce((sum, text) => plus(sum, fromText(text ?? '0')), zero);

test('of random fills the parts add up to the difference to the last decimal, in each trade and over the day', () => {
  const chance = seededRandom(22);
  for (let round = 0; round < 400; round++) {
    const trades = (): Trade[] => Array.from({ length: 1 + Math.floor(chance() * 4) }, (_, n) => randomTrade(chance, n));
    const [stored, seen, account] = [trades(), trades(), trades()];
    const result = certify(anInput({ stored: { trades: stored }, seen: { trades: seen, refused: [], flags: new Map() }, trades: account }));
    expect(exactText(sumOfTexts(Object.values(result.parts)))).toBe(exactText(minus(fromText(result.made), fromText(result.promised))));
    for (const { parts, difference, promised, made } of result.trades) {
      expect(exactText(sumOfTexts(Object.values(parts)))).toBe(difference);
      expect(difference).toBe(exactText(minus(fromText(made ?? '0'), fromText(promised ?? '0'))));
    }
    expect(exactText(sumOfTexts(result.trades.map(({ made }) => made ?? undefined)))).toBe(result.made);
  }
});

test('a trade within a day brings what was booked, and the days of a longer one add up to it', () => {
  const chance = seededRandom(7);
  const whole = aDay({ from: midnight - 10 * dayMs, to: midnight + 10 * dayMs });
  for (let round = 0; round < 400; round++) {
    const trade = randomTrade(chance, 0);
    if (trade.isOpen) continue;
    const all = resultOf(dayTrade(trade, whole)!);
    // A bot rounds each exit to eight decimals, and an exchange the coins that it keeps.
    expect(Math.abs(toNumber(all) - trade.profit!)).toBeLessThan(1e-5);
    const cuts = [-10, -1, 0, 1, 10].map((n) => midnight + n * dayMs);
    const prices = cuts.map(() => new Map([['BTC/USDT', 50 + Math.floor(chance() * 1e4) / 100]]));
    const parts = cuts
      .slice(1)
      .map((to, i) => dayTrade(trade, aDay({ from: cuts[i], to, startPrices: prices[i], endPrices: prices[i + 1] })));
    const sum = parts.reduce((total, part) => (part === null ? total : plus(total, resultOf(part))), zero);
    expect(Math.abs(toNumber(minus(sum, all)))).toBeLessThan(1e-5 + leftOver(trade));
  }
});

/** What coins too small to be sold may come to: on the day they are left they count at what that day has cost. */
function leftOver(trade: Trade): number {
  const held = trade.orders.reduce((sum, order) => sum + (order.purpose === 'entry' ? order.filled - order.baseFee : -order.filled), 0);
  return Math.abs(held) * 200;
}

test('a trade that was open over midnight begins with the first price of the day, one that stays open ends with the last', () => {
  const carried = tradeOf(
    'long',
    [{ purpose: 'entry', fills: [{ price: 90, amount: 2, time: midnight - minuteMs, fee: 5, feeInQuote: 5 }] }],
    false,
  );
  expect(certify(anInput({ stored: { trades: [carried] }, trades: [carried] }))).toMatchObject({
    promised: '20', // from 100 to 110; the entry and its fee were of the day before
    made: '20',
    parts: {},
    trades: [{ isCarried: true, isOpen: true }],
  });
});
