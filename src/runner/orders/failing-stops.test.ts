import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { OrderRequest, VenueOrder } from '#engine/ports/trading.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { expect, test } from 'vitest';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import type { SimDependencies } from '../simulation/sim-bot.ts';
import { SimBot } from '../simulation/sim-bot.ts';
import { World } from '../simulation/world.ts';
import { orderTimes } from './order-times.ts';

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT';
const instrument = anInstrument({ symbol });

/** An exchange that takes every order but stops, which it refuses, or takes and ends at once. */
class UnwillingVenue extends InMemoryVenue {
  readonly stopsAt: number[] = []; // when each was asked for, in ms
  readonly #way: 'refuses' | 'ends';
  readonly #world: World;

  constructor(way: 'refuses' | 'ends', world: World) {
    super({
      accountId: 'simulated',
      instruments: [instrument],
      balances: { USDT: 100_000 },
      time: start - 1_000,
      remembersIds: 'always',
      feeCurrency: 'quote',
    });
    this.#way = way;
    this.#world = world;
  }

  override async place(request: OrderRequest): Promise<VenueOrder> {
    if (request.type !== 'stop') return await super.place(request);
    this.stopsAt.push(this.#world.now);
    if (this.#way === 'refuses') throw new ExchangeError('rejected', 'Too many stops.');
    const taken = await super.place(request);
    await super.cancel(symbol, request.clientOrderId);
    return taken;
  }
}

/** The times at which a bot that holds a trade for so many minutes has asked for a stop, in ms since the first; its process dies every so often. */
async function triesOf(way: 'refuses' | 'ends', minutes: number, diesEveryMs: number): Promise<number[]> {
  const world = new World(7, start);
  const venue = new UnwillingVenue(way, world);
  const settings = requireSettings({
    stakeAmount: 300,
    maxOpenTrades: 1,
    startingBalance: 10_000,
    tradableBalanceRatio: 1,
    stoploss: -0.02,
    minimalRoi: {},
    orderTypes: { entry: 'market', exit: 'market', stoploss: 'market' },
  });
  const disk = new MemoryDisk(
    world,
    botState({ botId: 'b0000000-0000-4000-8000-000000000001', timeframe: '1m', status: 'active', settings }),
    [symbol],
  );
  const context = { instruments: new Map([[symbol, instrument]]), callbacks: {}, execution: 'exchange' as const, stopsAtExchange: true };
  const network = { isFaulty: false, clockSkewMs: 0, faults: 0 };
  const dependencies: SimDependencies = { world, disk, venue, network, context, times: orderTimes };
  let bot = new SimBot(dependencies);
  const view = () => ({ symbol, time: world.now, bid: 100, ask: 100.02, last: 100 });
  const repeat = (ms: number, what: () => void): void => world.after(ms, () => (what(), repeat(ms, what)));
  venue.setPrices(symbol, { bid: 100, ask: 100.02 });
  repeat(500, () => bot.receive({ kind: 'market', view: view() }));
  const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
  world.after(60_000, () => bot.receive({ kind: 'candle-closed', time: world.now, symbol, candleTime: start, row, view: view() }));
  await world.runUntil(start + 61_000);
  repeat(diesEveryMs, () => {
    bot.process.kill();
    bot = new SimBot(dependencies);
  });
  await world.runUntil(start + 60_000 + minutes * 60_000);
  bot.process.kill();
  expect(disk.faults).toEqual([]);
  expect(disk.state.trades).toHaveLength(1);
  const [first = 0] = venue.stopsAt;
  return venue.stopsAt.map((at) => at - first);
}

test.each(['refuses', 'ends'] as const)(
  'at an exchange that %s every stop a bot tries on, soon at first, and makes no flood of orders, not even when its process dies all the time',
  { timeout: 120_000 },
  async (way) => {
    for (const diesEveryMs of [Infinity, 11_000]) {
      const tries = await triesOf(way, 90, diesEveryMs);
      const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
      expect(tries.filter((at) => at < 60_000).length).toBeGreaterThan(3);
      expect(tries.length).toBeLessThan(60);
      expect(Math.max(...waits)).toBeLessThan(5.5 * 60_000);
    }
  },
);
