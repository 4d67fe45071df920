import * as fc from 'fast-check';
import { anInstrument } from '../../market/testing/an-instrument.ts';
import type { SettingsInput } from '../../settings/normalise-settings.ts';
import { requireSettings } from '../../settings/normalise-settings.ts';
import type { BotEvent } from '../event.ts';
import type { BotContext, BotState } from '../state.ts';
import { botState } from '../state.ts';

/** What the bots of these tests trade. */
export const symbols = ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'XRP/USDT:USDT'];
/** When they start. */
export const start = Date.UTC(2024, 0, 1);
/** A minute in ms. */
export const minute = 60_000;
const tier = { minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 };
const instruments = new Map(
  symbols.map((symbol) => [
    symbol,
    anInstrument({ symbol, marketType: 'futures', maxLeverage: 50, leverageTiers: [tier], minCost: 5, makerFee: 0.0002, takerFee: 0.0005 }),
  ]),
);
/** A market without callbacks, where orders are simulated. */
export const context: BotContext = { instruments, callbacks: {}, execution: 'simulated' };

/** A bot of perpetuals that trades long and short with everything a bot can have. */
export const stateWith = (settings: Partial<SettingsInput>): BotState =>
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
/** Something that happens to a bot. */
export const happening = fc.oneof(
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

/** Something that happens to a bot. */
export type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

/** What happens as an event; reports are of an order that the state knows, null when there is none. */
export function eventOf(each: Happening, i: number, state: BotState): BotEvent | null {
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
