import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { advance } from './advance.ts';
import type { BotEvent } from './event.ts';
import type { BotContext, BotState } from './state.ts';
import { botState } from './state.ts';
import { step } from './step.ts';

const symbols = ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'XRP/USDT:USDT'];
const start = Date.UTC(2024, 0, 1);
const minute = 60_000;
const tier = { minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 };
const instruments = new Map(
  symbols.map((symbol) => [
    symbol,
    anInstrument({ symbol, marketType: 'futures', maxLeverage: 50, leverageTiers: [tier], minCost: 5, makerFee: 0.0002, takerFee: 0.0005 }),
  ]),
);
const context: BotContext = { instruments, callbacks: {}, execution: 'simulated' };

const stateWith = (settings: Partial<SettingsInput>): BotState =>
  botState({
    botId: 'bot-1',
    timeframe: '5m',
    status: 'active',
    settings: requireSettings({
      marketType: 'futures',
      canShort: true,
      liquidationFormula: 'binance',
      leverage: 5,
      stakeAmount: 300,
      maxOpenTrades: 3,
      startingBalance: 1000,
      tradableBalanceRatio: 1,
      stoploss: -0.2,
      trailingStop: true,
      minimalRoi: { 0: 0.05, 30: 0.01 },
      unfilledTimeout: { entryMs: 4 * minute, exitMs: 4 * minute, exitTimeoutCount: 2 },
      maxConsecutiveLosses: 5,
      orderTypes: { entry: 'market', exit: 'limit', stoploss: 'market' },
      protections: [{ kind: 'cooldown', stopCandles: 1 }],
      ...settings,
    }),
  });

const price = fc.integer({ min: 9000, max: 11_000 }).map((cents) => cents / 100);
const symbol = fc.constantFrom(...symbols);
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('market' as const), symbol, price }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('candle' as const), symbol, long: fc.boolean(), short: fc.boolean(), exit: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('funding' as const), symbol, rate: fc.constantFrom(0.0001, -0.0002) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      pick: fc.nat(),
      state: fc.constantFrom('open', 'filled', 'filled', 'filled', 'cancelled', 'expired', 'refused'),
      share: fc.constantFrom(0, 0.5, 1, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom('active', 'active', 'active', 'active', 'paused', 'stopped'),
    }),
  },
);

type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

/** What happens as an event; reports are of an order that the state knows, null when there is none. */
function eventOf(each: Happening, i: number, state: BotState): BotEvent | null {
  const time = start + i * minute;
  switch (each.kind) {
    case 'report': {
      const orders = [...state.trades, ...state.formerTrades].flatMap((trade) => trade.orders);
      const order = orders[each.pick % Math.max(orders.length, 1)];
      if (order === undefined) return null;
      const amount = order.amount * (each.state === 'filled' ? 1 : each.share) - order.filled;
      const cost = { fee: 0.01, feeCurrency: 'USDT', feeInQuote: 0.01, liquidity: 'taker' } as const;
      const fills = amount > 0 ? [{ id: `${i}`, price: order.price, amount, time, ...cost }] : [];
      const report = { state: each.state, requested: order.amount, filled: order.filled + Math.max(amount, 0), fills };
      return { kind: 'order-update', time, orderId: order.id, report };
    }
    case 'market':
      return { kind: 'market', view: { symbol: each.symbol, time, bid: each.price - 0.01, ask: each.price + 0.01, last: each.price } };
    case 'candle': {
      const row = { enterLong: each.long, exitLong: each.exit, enterShort: each.short && !each.long, exitShort: each.exit };
      const signal = { ...row, enterTag: null, exitTag: null, confidence: 0.5 };
      return {
        kind: 'candle-closed',
        time,
        symbol: each.symbol,
        candleTime: Math.floor(time / (5 * minute)) * 5 * minute - 5 * minute,
        row: signal,
      };
    }
    case 'funding':
      return { kind: 'funding', time, symbol: each.symbol, rate: each.rate, mark: 100 };
    case 'status':
      return { kind: 'status-changed', time, status: each.status };
  }
}

/** Whoever changes it gets an error. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
}

describe('advance', () => {
  test.each([
    ['isolated', 'simulated'],
    ['cross', 'simulated'],
    ['isolated', 'exchange'],
    ['cross', 'exchange'],
  ] as const)('leaves the state before as it is, and leads to the same as step (%s margin, orders %s)', (marginMode, execution) => {
    const how: BotContext = { ...context, execution };
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(happening, { minLength: 60, maxLength: 200 }), (happenings) => {
        const changed = stateWith({ marginMode });
        let kept = frozen(stateWith({ marginMode }));
        for (const [i, each] of happenings.entries()) {
          const event = eventOf(each, i, changed);
          if (event === null || (event.kind === 'order-update' && execution === 'simulated')) continue;
          const next = advance(kept, event, how); // throws if it changes anything of what is frozen
          kept = frozen(next.state);
          expect(next.effects).toEqual(step(changed, event, how));
          for (const { kind } of next.effects) seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
        expect(kept).toEqual(changed);
      }),
      { numRuns: 100 },
    );
    expect(seen.get('trade-closed')).toBeGreaterThan(50);
    if (execution === 'exchange')
      for (const kind of ['cancel-requested', 'trade-cancelled', 'alarm']) expect(seen.get(kind)).toBeGreaterThan(5);
  });
});

describe('orders that wait for the order book', () => {
  const waits: BotContext = { ...context, waitsForBook: true };
  const [btc = ''] = symbols;
  const market = { orderTypes: { entry: 'market', exit: 'market', stoploss: 'market' } } as const;
  const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: 'up', exitTag: null, confidence: null };
  const quote = { symbol: btc, time: start, bid: 99.99, ask: 100.01, last: 100 };
  const candle: BotEvent = { kind: 'candle-closed', time: start, symbol: btc, candleTime: start - 5 * minute, row, view: quote };
  const orderOf = (state: BotState) => state.trades[0]?.orders[0];

  test('a new order is not tried on prices without a book, and fills on the book that comes for it', () => {
    const ordered = advance(stateWith({ ...market }), candle, waits);
    expect(orderOf(ordered.state)).toMatchObject({ state: 'open' });
    const view = { ...quote, time: start + 50, asks: [[100.5, 1000]] as const, bids: [[99, 1000]] as const };
    const other = advance(ordered.state, { kind: 'book', view, orderIds: ['fl-bot1-99'] }, waits);
    expect(orderOf(other.state)).toMatchObject({ state: 'open' });
    const filled = advance(ordered.state, { kind: 'book', view, orderIds: [orderOf(ordered.state)?.id ?? ''] }, waits);
    expect(orderOf(filled.state)).toMatchObject({ state: 'filled' });
    expect(filled.state.trades[0]?.openRate).toBe(100.5);
  });

  test('a book with its prices fills at once', () => {
    const view = { ...quote, asks: [[100.2, 1000]] as const, bids: [[99, 1000]] as const };
    expect(orderOf(advance(stateWith({ ...market }), { ...candle, view }, waits).state)).toMatchObject({ state: 'filled' });
  });
});
