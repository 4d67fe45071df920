import { describe, expect, test } from 'vitest';
import { report, runSize } from '../../../test/support/run-size.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import { World } from '../simulation/world.ts';
import type { OrderTimes } from './order-times.ts';
import { orderTimes } from './order-times.ts';
import { SimPerson } from './testing/sim-person.ts';
import { simulate } from './testing/simulation.ts';

const { size, seed } = runSize(10_000);
const minutes = 5;

test(
  'whenever its process dies, no order is lost or doubled, and the bot counts what its account has',
  { timeout: 600_000 + size * 10 },
  async () => {
    let [crashes, freezes, losses, unrecorded, orders, stops, trades, corrections, run] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (; crashes < size; run++) {
      const world = seed * 1_000_003 + run;
      const outcome = await simulate(world, minutes);
      expect(outcome.faults, `seed ${world}`).toEqual([]);
      crashes += outcome.crashes;
      freezes += outcome.freezes;
      losses += outcome.lossesOfCommits;
      unrecorded += outcome.unrecorded;
      orders += outcome.orders;
      stops += outcome.stops;
      trades += outcome.trades;
      corrections += outcome.corrections;
    }
    report(
      `simulated crashes: ${crashes} crashes (${losses} with lost commits), ${freezes} freezes, ${orders} orders (${stops} stops, ${unrecorded} found without a record), ${trades} trades (${corrections} corrected by funding published late) in ${run} runs from seed ${seed}`,
    );
  },
);

test(
  'nor beside a slow disk, bans, prices that run through stops, and people who stop, re-arm, close and trade by hand at any time',
  { timeout: 600_000 + size * 10 },
  async () => {
    let [crashes, freezes, orders, stops, trades, byHand, run] = [0, 0, 0, 0, 0, 0, 0];
    for (; crashes < size / 4; run++) {
      const world = seed * 2_000_003 + run;
      const outcome = await simulate(world, minutes, orderTimes, { isHarsh: true });
      expect(outcome.faults, `seed ${world}`).toEqual([]);
      crashes += outcome.crashes;
      freezes += outcome.freezes;
      orders += outcome.orders;
      stops += outcome.stops;
      trades += outcome.trades;
      byHand += outcome.byHand;
    }
    report(
      `harsh simulated crashes: ${crashes} crashes, ${freezes} freezes, ${orders} orders (${stops} stops), ${trades} trades, ${byHand} orders and stops by hand in ${run} runs from seed ${seed}`,
    );
  },
);

test('nor where the disk takes seconds for nearly everything', { timeout: 600_000 + size * 10 }, async () => {
  let [crashes, orders, stops, trades, run] = [0, 0, 0, 0, 0];
  for (; crashes < Math.max(1_000, size / 40); run++) {
    const world = seed * 4_000_037 + run;
    const outcome = await simulate(world, minutes, orderTimes, { isHarsh: true, slowRatio: 0.7 });
    expect(outcome.faults, `seed ${world}`).toEqual([]);
    crashes += outcome.crashes;
    orders += outcome.orders;
    stops += outcome.stops;
    trades += outcome.trades;
  }
  expect([orders > 10, stops > 0]).toEqual([true, true]);
  report(
    `simulated crashes beside a disk that is always slow: ${crashes} crashes, ${orders} orders (${stops} stops), ${trades} trades in ${run} runs from seed ${seed}`,
  );
});

test('nor where a strategy makes its trades larger and leaves parts of them', { timeout: 600_000 + size * 10 }, async () => {
  let [crashes, orders, stops, trades, added, partsLeft, run] = [0, 0, 0, 0, 0, 0, 0];
  // At night a fortieth of the crashes, of which every other world is harsh.
  for (; crashes < Math.max(3_000, size / 40); run++) {
    const world = seed * 3_000_017 + run;
    const outcome = await simulate(world, minutes, orderTimes, { adjusts: true, isHarsh: run % 2 === 1 });
    expect(outcome.faults, `seed ${world}`).toEqual([]);
    crashes += outcome.crashes;
    orders += outcome.orders;
    stops += outcome.stops;
    trades += outcome.trades;
    added += outcome.added;
    partsLeft += outcome.partsLeft;
  }
  expect([added > 100, partsLeft > 100]).toEqual([true, true]);
  report(
    `simulated crashes with positions that are adjusted: ${crashes} crashes, ${orders} orders (${stops} stops), ${trades} trades, ${added} further entries, ${partsLeft} parts left in ${run} runs from seed ${seed}`,
  );
});

test('a stop that lost its record after a person had decided to adopt what it protects does not keep the adoption waiting', async () => {
  const { faults, unrecorded } = await simulate(2_311_009_989, minutes);
  expect(unrecorded).toBeGreaterThan(0);
  expect(faults).toEqual([]);
});

test('an exit under way is waited for before what is missing of its trade is booked: it would sell what the next trade has bought', async () => {
  const { faults, unrecorded } = await simulate(5_422_025_130, minutes, orderTimes, { isHarsh: true });
  expect(unrecorded).toBeGreaterThan(0);
  expect(faults).toEqual([]);
});

/** A world in which whatever may happen happens. */
class Certain extends World {
  override happens(): boolean {
    return true;
  }
}

test('what a person has decided about a trade that was already sold is decided on again', async () => {
  const symbol = 'BTC/USDT:USDT';
  const world = new Certain(1, Date.UTC(2026, 0, 1));
  const settings = requireSettings({ stakeAmount: 300, maxOpenTrades: 1, marketType: 'futures', minimalRoi: {}, stoploss: -0.1 });
  const state = botState({ botId: 'b0000000-0000-4000-8000-000000000001', timeframe: '1m', status: 'active', settings });
  const trade = aTrade({ id: 7, symbol, marketType: 'futures', direction: 'long', amount: 5 });
  const disk = new MemoryDisk(world, { ...state, trades: [trade] }, [symbol]);
  const instruments = [anInstrument({ symbol, marketType: 'futures', maxLeverage: 20 })];
  const venue = new InMemoryVenue({
    accountId: 'simulated',
    instruments,
    balances: { USDT: 100_000 },
    time: world.now,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  // Two of the five were sold by an order that the disk has no record of.
  const of = { clientOrderId: 'lost', symbol, side: 'sell' as const, price: 100 };
  const order: VenueOrder = {
    ...of,
    exchangeOrderId: '1',
    type: 'market',
    state: 'filled',
    requested: 2,
    filled: 2,
    stopPrice: null,
    createdTime: world.now,
  };
  const fill: VenueFill = { ...of, id: '1', amount: 2, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: world.now };
  disk.noted = new Map([['lost', { botId: state.botId, order, fills: [fill], settled: 0, isSettled: false }]]);
  const person = new SimPerson(world, disk, venue, true);
  await person.act(100);
  expect([disk.undecided, person.isDone, disk.wishes.map(({ event }) => event.kind)]).toEqual([0, false, ['held-elsewhere']]);
  disk.state = { ...state, trades: [] }; // all five had been sold, as the disk learns only now
  await person.act(100);
  expect([person.isDone, disk.wishes.map(({ event }) => event)]).toEqual([
    false,
    [expect.objectContaining({ kind: 'holding-adopted', holding: { direction: 'short', amount: 2, price: 100, fee: 0 } })],
  ]);
  expect(disk.tradingState).toBe('reducing');
});

test('the same seed gives the same history', async () => {
  expect(await simulate(4711, minutes)).toEqual(await simulate(4711, minutes));
});

describe('the simulation finds a protocol that', () => {
  const broken: Record<string, Partial<OrderTimes>> = {
    'sends again before the first attempt has expired': { margin: -100_000, lookUps: 1, firstLook: 10 },
    'lets requests live on for long and does not wait for it': { expiry: 20_000, margin: -18_000 },
    'does not wait until the lists have caught up': { margin: -100, lookUps: 1, listsLag: 0 },
  };
  for (const [name, times] of Object.entries(broken)) {
    test(name, async () => {
      let run = 0;
      while ((await simulate(run, minutes, { ...orderTimes, ...times })).faults.length === 0) {
        run += 1;
        expect(run).toBeLessThan(1_000);
      }
    });
  }
  const gaps = {
    'does not search for orders that the store has no record of': { findsNothing: true },
    'asks for no funding of trades that are over': { paysOnlyWhileOpen: true },
  };
  for (const [name, gap] of Object.entries(gaps)) {
    test(name, async () => {
      let run = 0;
      while ((await simulate(run, minutes, orderTimes, gap)).faults.length === 0) {
        run += 1;
        expect(run).toBeLessThan(1_000);
      }
    });
  }
});
