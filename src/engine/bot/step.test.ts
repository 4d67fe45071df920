import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { isWaiting } from '../account/order.ts';
import { backtest } from '../backtest/backtest.ts';
import { toColumns } from '../market/candle.ts';
import type { Instrument } from '../market/instrument.ts';
import { noSignals } from '../strategy/strategy.ts';
import type { BotEffect } from './effect.ts';
import type { BotEvent, SignalRow } from './event.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { BotState } from './state.ts';
import { clientOrderId } from './state.ts';
import { step } from './step.ts';
import { Rig, enter, hour, instrument, market, quiet, start, symbol, viewAt } from './testing/rig.ts';

test('with cross margin a closed trade sets the liquidation of the others again, and they are written', () => {
  const tier = { minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 };
  const perpetual = { marketType: 'futures', maxLeverage: 50, leverageTiers: [tier] } as const;
  const cross = { marketType: 'futures', marginMode: 'cross', liquidationFormula: 'binance', leverage: 10, liquidationBuffer: 0 } as const;
  const rig = new Rig({ ...market, ...cross, startingBalance: 2000, maxOpenTrades: 3 }, {}, perpetual);
  rig.candle(1, enter);
  rig.tick(60, 100);
  const other = aTrade({
    id: 99,
    symbol: 'ETH/USDT',
    marketType: 'futures',
    leverage: 10,
    amount: 100,
    stake: 1000,
    openValue: 10_010,
    liquidationPrice: 1,
  });
  rig.state.trades.push(other);
  (rig.context.instruments as Map<string, Instrument>).set(other.symbol, { ...instrument, ...perpetual, symbol: other.symbol });
  rig.tick(61, 98);
  const profit = rig.closed()[0]?.profit ?? NaN;
  expect(profit).toBeLessThan(-100);
  expect(rig.state.trades[0].liquidationPrice).toBeCloseTo((2000 + profit - 10_000) / (1 - 100), 2);
  const written = rig.effects.flatMap((effect) => (effect.kind === 'trade-updated' && effect.trade.id === 99 ? [effect.trade] : []));
  expect(written.map(({ liquidationPrice }) => liquidationPrice)).toEqual([rig.state.trades[0].liquidationPrice]);
});

test('with cross margin a position that its stop has left while its entry still stood weighs on the others no more', () => {
  const tier = { minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 };
  const perpetual = { marketType: 'futures', maxLeverage: 50, leverageTiers: [tier] } as const;
  const cross = { marketType: 'futures', marginMode: 'cross', liquidationFormula: 'binance', leverage: 10, liquidationBuffer: 0 } as const;
  const rig = new Rig({ ...market, ...cross, fee: 0, startingBalance: 5000, maxOpenTrades: 3 }, {}, perpetual);
  Object.assign(rig.context, { execution: 'exchange', stopsAtExchange: true });
  const fill = (orderId: string, state: 'open' | 'filled' | 'cancelled', amount: number, price: number) => {
    const order = rig.state.trades[0]?.orders.find(({ id }) => id === orderId);
    const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const time = start + 61 * 60_000;
    const fills = amount === 0 ? [] : [{ id: `fill of ${orderId}`, price, amount, time, ...paid }];
    const filled = (order?.filled ?? 0) + amount;
    rig.take({ kind: 'order-update', time, orderId, report: { state, requested: order?.amount ?? 0, filled, fills } });
  };
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  const other = { symbol: 'ETH/USDT', marketType: 'futures', leverage: 10, amount: 100, stake: 1000, openValue: 10_010 } as const;
  rig.state.trades.push(aTrade({ id: 99, ...other, liquidationPrice: 1 }));
  (rig.context.instruments as Map<string, Instrument>).set(other.symbol, { ...instrument, ...perpetual, symbol: other.symbol });
  const ofOther = () => rig.state.trades.find(({ id }) => id === 99)?.liquidationPrice ?? NaN;
  fill('fl-bot1-1', 'open', 60, 100); // of 100
  fill('fl-bot1-2', 'open', 0, 0);
  const beside = ofOther();
  fill('fl-bot1-2', 'filled', 60, 90);
  // The wallet has lost 600; 1 per cent of 6,000 is not to be kept any more for what is gone.
  const alone = (5000 - 600 - 100 * 100) / (100 * 0.01 - 100);
  expect(ofOther()).toBeCloseTo(alone, 1);
  expect(beside).toBeCloseTo((5000 - 60 - 100 * 100) / (100 * 0.01 - 100), 1);
  fill('fl-bot1-1', 'cancelled', 0, 0);
  expect(rig.closed()).toMatchObject([{ profit: -600 }]);
  expect(ofOther()).toBeCloseTo(alone, 1);
  const written = rig.effects.flatMap((effect) => (effect.kind === 'trade-updated' && effect.trade.id === 99 ? [effect.trade] : []));
  expect(written.at(-1)?.liquidationPrice).toBe(ofOther());
});

test('with cross margin a trade in what the exchange has no more keeps no other from being left', () => {
  const perpetual = { marketType: 'futures', maxLeverage: 50 } as const;
  const cross = { marketType: 'futures', marginMode: 'cross', liquidationFormula: 'binance', leverage: 10 } as const;
  const rig = new Rig({ ...market, ...cross, startingBalance: 2000, maxOpenTrades: 3 }, {}, perpetual);
  rig.candle(1, enter);
  rig.tick(60, 100);
  rig.state.trades.push(
    aTrade({ id: 99, symbol: 'GONE/USDT', marketType: 'futures', leverage: 10, amount: 100, stake: 1000, liquidationPrice: 80 }),
  );
  rig.tick(61, 98);
  expect(rig.closed().map(({ exitReason }) => exitReason)).toEqual(['stop_loss']);
  expect(rig.state.trades).toMatchObject([{ id: 99, liquidationPrice: 80 }]);
});

describe('entries', () => {
  test('OP-83 a market entry pays the book and the taker fee', () => {
    const rig = new Rig(market);
    rig.candle(1, enter);
    rig.tick(60, 100, {
      asks: [
        [100.01, 4],
        [100.03, 100],
      ],
    });
    const [trade] = rig.state.trades;
    // 9.999 at the ask: 4 at 100.01, the rest at 100.03.
    expect(trade).toMatchObject({ amount: 9.999, openRate: 100.02, feeOpen: 0.001, isOpen: true, enterTag: 'up' });
    expect(rig.kinds()).toEqual(['trade-opened', 'order-created', 'order-filled', 'trade-updated', 'decision']);
    expect(rig.decisions()).toEqual([
      {
        symbol,
        candleTime: start,
        action: 'enter',
        gate: null,
        seen: { enterLong: true, exitLong: false, enterShort: false, exitShort: false, tag: 'up', confidence: 0.8, price: 100.01 },
      },
    ]);
  });

  test('OP-83 a limit entry waits at the bid and fills as a maker', () => {
    const rig = new Rig();
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.state.trades[0]).toMatchObject({ amount: 0, stake: 10.001 * 99.99 });
    rig.tick(61, 99.99);
    expect(rig.state.trades[0].amount).toBe(0);
    rig.tick(62, 99.98);
    expect(rig.state.trades[0]).toMatchObject({ amount: 10.001, openRate: 99.99, feeOpen: 0.0005 });
    expect(rig.state.trades[0].orders[0]).toMatchObject({ liquidity: 'maker', id: 'fl-bot1-1' });
  });

  test('a limit entry on the other side crosses and fills as a taker at its price', () => {
    const rig = new Rig({ entryPricing: { side: 'other' } });
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.state.trades[0].orders[0]).toMatchObject({ state: 'filled', fillPrice: 100.01, liquidity: 'taker' });
  });

  test('a wished price is held within 2 per cent', () => {
    const rig = new Rig({}, { entryPrice: () => 50 });
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.state.trades[0].orders[0].price).toBe(97.99);
  });

  test('an entry that runs out of time is cancelled with its trade, and the stake is free again', () => {
    const rig = new Rig({ unfilledTimeout: { entryMs: 600_000 } });
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2);
    expect(rig.state.trades).toHaveLength(1);
    rig.tick(121, 100);
    expect(rig.state.trades).toEqual([]);
    expect(rig.kinds()).toContain('trade-cancelled');
  });

  test.each([
    ['no-signal', {}, {}, 60],
    ['stale-candle', {}, enter, 60 + 66],
    ['expired-signal', { ignoreExpiredAfterMs: 60_000 }, enter, 62],
    ['insufficient-balance', { startingBalance: 500 }, enter, 60],
    ['stake-too-small', { stakeAmount: 4 }, enter, 60],
  ] as [string, Partial<SettingsInput>, Partial<SignalRow>, number][])('the gate %s says no', (gate, settings, row, minutes) => {
    const rig = new Rig(settings);
    rig.candle(1, row);
    rig.tick(minutes, 100);
    expect(rig.decisions()).toMatchObject([{ action: 'none', gate }]);
    expect(rig.state.trades).toEqual([]);
  });

  test('a candle that was refused and is entered with after all says so, once', () => {
    const rig = new Rig({ ...market, maxOpenTrades: 3 });
    rig.take({ kind: 'status-changed', time: start, status: 'paused' });
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.decisions()).toMatchObject([{ action: 'none', gate: 'paused' }]);
    rig.take({ kind: 'status-changed', time: start + hour, status: 'active' });
    rig.tick(61, 100);
    rig.tick(62, 101);
    expect(rig.state.trades).toHaveLength(1);
    expect(rig.decisions()).toMatchObject([
      { action: 'none', gate: 'paused', candleTime: start },
      { action: 'enter', gate: null, candleTime: start },
    ]);
  });

  test('a full bot and a bot that refuses say so', () => {
    const other = { ...instrument, symbol: 'ETH/USDT' };
    const rig = new Rig(market);
    const context = { ...rig.context, instruments: new Map([...rig.context.instruments, ['ETH/USDT', other]]) };
    rig.candle(1, enter);
    rig.tick(60, 100);
    const row = { ...quiet, ...enter };
    const view = { ...viewAt(60, 10), symbol: 'ETH/USDT' };
    const effects = step(
      rig.state,
      { kind: 'candle-closed', time: start + hour, symbol: 'ETH/USDT', candleTime: start, row, view },
      context,
    );
    expect(effects).toMatchObject([{ kind: 'decision', decision: { gate: 'slots-full' } }]);

    const refusing = new Rig(market, { confirmEntry: () => false });
    refusing.candle(1, enter);
    refusing.tick(60, 100);
    expect(refusing.decisions()).toMatchObject([{ gate: 'refused-by-strategy' }]);
  });
});

describe('exits', () => {
  const entered = (settings: Partial<SettingsInput> = {}): Rig => {
    const rig = new Rig({ ...market, ...settings });
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 100, ask: 100 });
    return rig;
  };
  const flat = (rig: Rig, minutes: number, price: number): BotEffect[] => rig.tick(minutes, price, { bid: price, ask: price });

  test('OP-84 stop loss', () => {
    const rig = entered();
    flat(rig, 61, 90.01);
    expect(rig.closed()).toEqual([]);
    flat(rig, 62, 89.5);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', closeRate: 89.5, profit: -106.895 }]);
  });
  test('OP-84 trailing stop', () => {
    const rig = entered({ trailingStop: true, trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.03 });
    flat(rig, 61, 104);
    expect(rig.state.trades[0]).toMatchObject({ stop: 101.92, isStopTrailing: true, maxRate: 104 });
    flat(rig, 62, 101.93);
    expect(rig.closed()).toEqual([]);
    flat(rig, 63, 101.9);
    expect(rig.closed()).toMatchObject([{ exitReason: 'trailing_stop_loss', closeRate: 101.9 }]);
  });
  test('OP-84 ROI falls with time', () => {
    const rig = entered({ minimalRoi: { 0: 0.05, 30: 0.01 } });
    flat(rig, 61, 103);
    expect(rig.closed()).toEqual([]);
    flat(rig, 90, 103);
    expect(rig.closed()).toMatchObject([{ exitReason: 'roi', closeRate: 103 }]);
  });
  test('OP-84 risk and reward', () => {
    const rig = entered({ riskRewardRatio: 0.2 });
    flat(rig, 61, 102);
    flat(rig, 62, 102.21);
    expect(rig.closed()).toMatchObject([{ exitReason: 'risk_reward', closeRate: 102.21 }]);
  });
  test('an exit signal, with its tag', () => {
    const rig = entered();
    rig.candle(2, { exitLong: true, exitTag: 'down' });
    flat(rig, 120, 101);
    expect(rig.closed()).toMatchObject([{ exitReason: 'down', closeRate: 101, profit: 7.99 }]);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'exit', gate: null, seen: { tag: 'down', price: 101 } });
  });
  test('only with profit', () => {
    const rig = entered({ exitProfitOnly: true });
    rig.candle(2, { exitLong: true });
    flat(rig, 120, 100);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: 'exit-not-profitable' });
    flat(rig, 121, 101);
    expect(rig.closed()).toHaveLength(1);
  });
  test('OP-84 one open trade per pair', () => {
    const rig = entered({ maxOpenTrades: 5 });
    rig.candle(2, enter);
    flat(rig, 120, 100);
    expect(rig.state.trades).toHaveLength(1);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: 'has-open-trade' });
  });
  test('after an exit the pair rests until the next candle', () => {
    const rig = entered({ minimalRoi: { 0: 0.01 } });
    flat(rig, 61, 103);
    flat(rig, 62, 100);
    expect(rig.state.trades).toEqual([]);
    rig.candle(2, enter);
    flat(rig, 120, 100);
    expect(rig.state.trades).toHaveLength(1);
  });
  test('a limit exit waits at the ask, is replaced by a stop, and an emergency follows timeouts', () => {
    const rig = new Rig({ orderTypes: { entry: 'market' }, unfilledTimeout: { exitMs: 60_000, exitTimeoutCount: 2 } });
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100);
    expect(rig.state.trades[0].orders[1]).toMatchObject({ purpose: 'exit', state: 'open', price: 100.01 });
    rig.tick(121, 100);
    rig.tick(122, 100);
    expect(rig.closed()).toMatchObject([{ exitReason: 'emergency_exit', closeRate: 99.99 }]);
  });
  test('OP-86 settings that come later rule at once', () => {
    const rig = entered();
    rig.take({
      kind: 'settings-changed',
      time: start + 61 * 60_000,
      settings: { ...rig.state.settings, minimalRoi: { minutes: [0], ratios: [0.01] } },
    });
    flat(rig, 62, 103);
    expect(rig.closed()).toMatchObject([{ exitReason: 'roi' }]);
  });
});

describe('status', () => {
  const bought = (): Rig => {
    const rig = new Rig(market);
    rig.candle(1, enter);
    rig.tick(60, 100);
    return rig;
  };
  test('OP-86 paused makes no entries', () => {
    const rig = new Rig(market);
    rig.take({ kind: 'status-changed', time: start, status: 'paused' });
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.decisions()).toMatchObject([{ action: 'none', gate: 'paused' }]);
  });
  test('OP-86 paused manages open trades to their exit', () => {
    const rig = bought();
    rig.take({ kind: 'status-changed', time: start + 61 * 60_000, status: 'paused' });
    rig.tick(62, 80);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
  });
  test('OP-86 stopped closes at market at once where the price is fresh', () => {
    const rig = bought();
    rig.take({ kind: 'status-changed', time: start + hour + 5000, status: 'stopped' });
    expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit', closeRate: 99.99 }]);
    rig.candle(2, enter);
    rig.tick(120, 100);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'none', gate: 'stopped' });
  });
  test('OP-86 stopped closes with the next price where it is old, and cancels waiting orders', () => {
    const rig = bought();
    rig.take({ kind: 'status-changed', time: start + 100 * 60_000, status: 'stopped' });
    expect(rig.closed()).toEqual([]);
    rig.tick(101, 99);
    expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit', closeRate: 98.99 }]);

    const waiting = new Rig();
    waiting.candle(1, enter);
    waiting.tick(60, 100);
    waiting.take({ kind: 'status-changed', time: start + 61 * 60_000, status: 'stopped' });
    expect(waiting.state.trades).toEqual([]);
    expect(waiting.kinds()).toContain('trade-cancelled');
  });
  test('OP-59 losses in a row pause the bot, a win or an activation forgets them', () => {
    const rig = new Rig({ ...market, maxConsecutiveLosses: 2 });
    let hours = 0;
    const trade = (exit: number): void => {
      hours += 1;
      rig.candle(hours, enter);
      rig.tick(hours * 60, 100);
      rig.candle(++hours, { exitLong: true });
      rig.tick(hours * 60, exit);
    };
    trade(95);
    expect(rig.state.consecutiveLosses).toBe(1);
    trade(110);
    expect(rig.state.consecutiveLosses).toBe(0);
    trade(95);
    trade(95);
    expect(rig.state).toMatchObject({ status: 'paused', consecutiveLosses: 2 });
    expect(rig.effects.filter(({ kind }) => kind === 'bot-paused')).toHaveLength(1);
    rig.take({ kind: 'status-changed', time: start + hours * hour, status: 'active' });
    expect(rig.state).toMatchObject({ status: 'active', consecutiveLosses: 0 });
  });
});

test('funding is paid by the side it falls on', () => {
  const rig = new Rig({ ...market, marketType: 'futures', canShort: true, leverage: 2 }, {}, { marketType: 'futures', maxLeverage: 10 });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  rig.take({ kind: 'funding', time: start + 8 * hour, symbol, rate: 0.0001, mark: 100 });
  expect(rig.state.trades[0].fundingFees).toBeCloseTo(-0.2, 10);
  rig.candle(8, { exitLong: true });
  rig.tick(8 * 60 + 1, 100, { bid: 100, ask: 100 });
  expect(rig.closed()[0].profit).toBeCloseTo(-4 - 0.2, 8);
});

test('a payment of funding counts once, reported late or twice, and not for a trade that was opened after it', () => {
  const rig = new Rig({ ...market, marketType: 'futures', canShort: true, leverage: 2 }, {}, { marketType: 'futures', maxLeverage: 10 });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  const openedAt = rig.state.trades[0].orders[0].filledTime ?? 0;
  const paid = (time: number) => rig.take({ kind: 'funding', time, symbol, rate: 0.0001, mark: 100 });
  expect(paid(openedAt - hour)).toEqual([]);
  expect(paid(openedAt)).toEqual([]);
  expect(rig.state.trades[0].fundingFees).toBe(0);
  expect(paid(openedAt + hour).map(({ kind }) => kind)).toEqual(['trade-updated']);
  expect(paid(openedAt + hour)).toEqual([]);
  rig.state = JSON.parse(JSON.stringify(rig.state)) as typeof rig.state; // a restart
  expect(paid(openedAt + hour)).toEqual([]);
  expect(rig.state.trades[0].fundingFees).toBeCloseTo(-0.2, 10);
  paid(openedAt + 2 * hour);
  expect(rig.state.trades[0].fundingFees).toBeCloseTo(-0.4, 10);
});

test('order ids are the same after a restart and short enough for every exchange', () => {
  const id = clientOrderId('0b6a2f2e-3c4d-4f5a-9b8c-1d2e3f4a5b6c', 123_456_789);
  expect(id).toMatch(/^[a-zA-Z0-9-]{1,36}$/);
  expect(clientOrderId('0b6a2f2e-3c4d-4f5a-9b8c-1d2e3f4a5b6c', 123_456_789)).toBe(id);
});

/** A day of hourly candles and prices in between, as a bot would receive it. */
const history = fc.array(
  fc.record({
    price: fc.integer({ min: 8500, max: 11_500 }).map((cents) => cents / 100),
    enterLong: fc.boolean(),
    exitLong: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    ticks: fc.array(
      fc.integer({ min: 8500, max: 11_500 }).map((cents) => cents / 100),
      { maxLength: 4 },
    ),
    status: fc.constantFrom('active', 'active', 'active', 'paused', 'stopped', null, null, null),
  }),
  { minLength: 2, maxLength: 24 },
);

function eventsOf(hours: typeof history extends fc.Arbitrary<infer Hours> ? Hours : never): BotEvent[] {
  return hours.flatMap(({ price, enterLong, exitLong, ticks, status }, i): BotEvent[] => {
    const time = start + (i + 1) * hour;
    return [
      { kind: 'candle-closed', time, symbol, candleTime: time - hour, row: { ...quiet, enterLong, exitLong } },
      ...[price, ...ticks].map((each, at): BotEvent => ({ kind: 'market', view: viewAt((i + 1) * 60 + at * 12, each) })),
      ...(status === null ? [] : [{ kind: 'status-changed', time: time + 50 * 60_000, status } as const]),
    ];
  });
}

describe('properties', () => {
  const settings: Partial<SettingsInput> = {
    maxOpenTrades: 2,
    minimalRoi: { 0: 0.04, 120: 0.01 },
    trailingStop: true,
    trailingStopPositive: 0.01,
    trailingStopPositiveOffset: 0.02,
    unfilledTimeout: { entryMs: 1_500_000, exitMs: 1_500_000, exitTimeoutCount: 2 },
    maxConsecutiveLosses: 3,
    protections: [{ kind: 'cooldown', stopCandles: 1 }],
  };

  test('a bot rebuilt from its stored state continues as if nothing had happened', () => {
    fc.assert(
      fc.property(history, fc.nat(), (hours, cut) => {
        const events = eventsOf(hours);
        const whole = new Rig(settings);
        for (const event of events) whole.take(event);
        const parted = new Rig(settings);
        events.forEach((event, i) => {
          if (i === cut % events.length) parted.state = JSON.parse(JSON.stringify(parted.state)) as BotState;
          parted.take(event);
        });
        expect(parted.effects).toEqual(whole.effects);
        expect(parted.state).toEqual(whole.state);
      }),
      { numRuns: 150 },
    );
  });

  test('there is one decision per closed candle, besides an entry that comes after a refusal; money is conserved, and stops never loosen', () => {
    fc.assert(
      fc.property(history, (hours) => {
        const rig = new Rig(settings);
        const stops = new Map<number, number>();
        for (const event of eventsOf(hours)) {
          rig.take(event);
          expect(rig.state.trades.length).toBeLessThanOrEqual(1);
          for (const trade of rig.state.trades) {
            if (!(trade.amount > 0)) continue;
            expect(trade.stop).toBeGreaterThanOrEqual(stops.get(trade.id) ?? 0);
            stops.set(trade.id, trade.stop);
          }
        }
        const decisions = rig.decisions();
        const again = decisions.filter(({ candleTime }, i) => decisions[i - 1]?.candleTime === candleTime);
        expect(again.every(({ action }) => action === 'enter')).toBe(true); // it was refused before
        const first = decisions.filter((each) => !again.includes(each));
        expect(first.map(({ candleTime }) => candleTime)).toEqual(hours.map((_, i) => start + i * hour));
        const profit = rig.closed().reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
        expect(rig.state.closedProfit).toBeCloseTo(profit, 8);
        const made = rig.effects.filter(({ kind }) => kind === 'order-created').length;
        const ended = rig.effects.filter(({ kind }) => kind === 'order-filled' || kind === 'order-cancelled').length;
        const open = rig.state.trades.flatMap(({ orders }) => orders.filter(isWaiting)).length;
        expect(made).toBe(ended + open);
      }),
      { numRuns: 150 },
    );
  });

  test('OP-84 flat candles give the same trades in the backtest and tick by tick', () => {
    const flatHours = fc.array(
      fc.record({
        price: fc.integer({ min: 8500, max: 11_500 }).map((cents) => cents / 100),
        enterLong: fc.boolean(),
        exitLong: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
        enterShort: fc.boolean(),
        exitShort: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      }),
      { minLength: 3, maxLength: 60 },
    );
    let compared = 0;
    fc.assert(
      fc.property(flatHours, fc.boolean(), (hours, isFutures) => {
        const given: Partial<SettingsInput> = {
          fee: 0.001,
          startingBalance: 10_000,
          tradableBalanceRatio: 1,
          stoploss: -0.05,
          minimalRoi: { 0: 0.06, 120: 0.02 },
          trailingStop: true,
          trailingStopPositive: 0.01,
          trailingStopPositiveOffset: 0.02,
          ...(isFutures ? { marketType: 'futures', canShort: true, leverage: 2, liquidationFormula: 'binance' } : {}),
        };
        const rig = new Rig(given, {}, { minCost: 0, marketType: isFutures ? 'futures' : 'spot', maxLeverage: isFutures ? 10 : 1 });
        hours.forEach(({ price, enterLong, exitLong, enterShort, exitShort }, i) => {
          const time = start + i * hour;
          const row = { ...quiet, enterLong, exitLong, enterShort, exitShort };
          rig.take({ kind: 'market', view: { symbol, time, bid: price, ask: price, last: price } });
          rig.take({ kind: 'candle-closed', time: time + hour, symbol, candleTime: time, row });
        });
        const signals = noSignals(hours.length);
        hours.forEach((each, i) => {
          signals.enterLong[i] = each.enterLong ? 1 : 0;
          signals.exitLong[i] = each.exitLong ? 1 : 0;
          signals.enterShort[i] = each.enterShort ? 1 : 0;
          signals.exitShort[i] = each.exitShort ? 1 : 0;
        });
        const known = rig.context.instruments.get(symbol) ?? instrument;
        const candles = toColumns(
          hours.map(({ price }, i) => ({ openTime: start + i * hour, open: price, high: price, low: price, close: price, volume: 1 })),
        );
        // The tick of the instrument, as a running bot has no future to read it from; and the real stop for the minimum stake.
        const result = backtest({
          settings: rig.state.settings,
          timeframeMs: hour,
          startupCandles: 0,
          pairs: [{ instrument: known, candles, signals }],
          quirksOff: ['priceTickReadFromCandles', 'minimumStakeAssumesConstantStop'],
        });
        const lastTime = start + (hours.length - 1) * hour;
        const lines = (trades: typeof result.trades) =>
          trades
            .filter(({ exitReason, closeTime }) => exitReason !== 'force_exit' && (closeTime ?? 0) < lastTime)
            .map(({ direction, openTime, closeTime, openRate, closeRate, amount, exitReason, profit, stop }) => ({
              direction,
              openTime,
              closeTime,
              openRate,
              closeRate,
              amount,
              exitReason,
              profit,
              stop,
            }));
        expect(lines(rig.closed())).toEqual(lines(result.trades));
        compared += lines(result.trades).length;
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(200);
  });
});

test('orderFilled is called for each fill of a bot', () => {
  const seen: unknown[] = [];
  const rig = new Rig(
    { ...market, stoploss: -0.01 },
    { orderFilled: ({ order, trade }) => seen.push([order.purpose, order.state, trade.isOpen]) },
  );
  rig.candle(1, enter);
  rig.tick(60, 100);
  rig.tick(61, 98);
  expect(rig.closed()).toHaveLength(1);
  expect(seen).toEqual([
    ['entry', 'filled', true],
    ['exit', 'filled', true],
  ]);
});
