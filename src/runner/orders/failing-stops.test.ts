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

/** An exchange that takes every order but stops, which it refuses, or takes and ends at once; later it may take them, or lose its answers. */
class UnwillingVenue extends InMemoryVenue {
  readonly stopsAt: number[] = []; // when each was asked for, in ms
  way: 'refuses' | 'ends' | 'takes' | 'is silent';
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
    this.way = way;
    this.#world = world;
  }

  override async place(request: OrderRequest): Promise<VenueOrder> {
    if (request.type !== 'stop') return await super.place(request);
    this.stopsAt.push(this.#world.now);
    if (this.way === 'refuses') throw new ExchangeError('rejected', 'Too many stops.');
    if (this.way === 'is silent') throw new ExchangeError('unknown', 'No answer came.');
    const taken = await super.place(request);
    if (this.way === 'ends') await super.cancel(symbol, request.clientOrderId);
    return taken;
  }

  override async order(of: string, clientOrderId: string): Promise<VenueOrder | null> {
    if (this.way === 'is silent') throw new ExchangeError('unknown', 'No answer came.');
    return await super.order(of, clientOrderId);
  }
}

/** A bot that holds a trade at an unwilling exchange since a second; its process dies every so often. */
async function holding(way: 'refuses' | 'ends', diesEveryMs = Infinity) {
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
  return {
    world,
    venue,
    disk,
    run: (minutes: number) => world.runUntil(world.now + minutes * 60_000),
    /** A person wants the stop tried now: as a runner reports it, with each scan of the next minute, whatever has become of it. */
    press: (): void => {
      const [trade] = disk.state.trades;
      const { orderId } = trade?.stopFailures ?? { orderId: 'none' };
      for (let ms = 0; ms < 60_000; ms += 500)
        world.after(ms, () => bot.receive({ kind: 'stop-asked', time: world.now, tradeId: trade?.id ?? 0, orderId }));
    },
    /** The end: when each stop was asked for, in ms since the first. */
    end: (): number[] => {
      bot.process.kill();
      expect(disk.faults).toEqual([]);
      expect(disk.state.trades).toHaveLength(1);
      const [first = 0] = venue.stopsAt;
      return venue.stopsAt.map((at) => at - first);
    },
  };
}

test.each(['refuses', 'ends'] as const)(
  'at an exchange that %s every stop a bot tries on, soon at first, and makes no flood of orders, not even when its process dies all the time',
  async (way) => {
    for (const diesEveryMs of [Infinity, 11_000]) {
      const held = await holding(way, diesEveryMs);
      await held.run(90);
      const tries = held.end();
      const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
      expect(tries.filter((at) => at < 60_000).length).toBeGreaterThan(3);
      expect(tries.length).toBeLessThan(60);
      expect(Math.max(...waits)).toBeLessThan(5.5 * 60_000);
    }
  },
);

test.each(['refuses', 'ends'] as const)(
  'ADD-try-stop at an exchange that %s every stop, a press makes one try at once and shortens no later pause; once it takes stops, it has one',
  async (way) => {
    const { world, venue, run, press, end } = await holding(way);
    await run(80);
    const before = venue.stopsAt.length;
    while (venue.stopsAt.length === before) await run(0.1);
    await run(1); // in the middle of a pause of five minutes
    for (const tries of [1, 1]) {
      const count = venue.stopsAt.length;
      press();
      await run(4 / 60);
      expect(venue.stopsAt).toHaveLength(count + tries);
      await run(4.8);
      expect(venue.stopsAt).toHaveLength(count + tries);
      await run(1); // the pause after it is over
      expect(venue.stopsAt).toHaveLength(count + tries + 1);
    }
    await run(1);
    venue.way = 'takes';
    const count = venue.stopsAt.length;
    const pressedAt = world.now;
    press();
    await run(10);
    expect(venue.stopsAt).toHaveLength(count + 1);
    expect((venue.stopsAt.at(-1) ?? 0) - pressedAt).toBeLessThan(3_000);
    expect((await venue.openOrders(symbol)).map(({ type }) => type)).toEqual(['stop']);
    end();
  },
);

test('ADD-try-stop while nobody knows whether a stop has arrived, presses make no second one', async () => {
  const { venue, run, press, end, disk } = await holding('refuses', 11_000);
  await run(60);
  venue.way = 'is silent';
  const stops = () => [...disk.rows.values()].filter(({ type }) => type === 'stop');
  const count = stops().length + 1;
  press();
  await run(0.2);
  for (let i = 0; i < 20; i++) {
    press();
    await run(0.5);
    expect([stops().length, stops().at(-1)?.state]).toEqual([count, 'unknown']);
  }
  venue.way = 'takes';
  await run(2);
  expect([stops().length, stops().at(-1)?.state]).toEqual([count, 'open']);
  expect((await venue.openOrders(symbol)).map(({ clientOrderId }) => clientOrderId)).toEqual([stops().at(-1)?.clientOrderId]);
  end();
});
