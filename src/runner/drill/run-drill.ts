import type { BotEffect } from '#engine/bot/effect.ts';
import type { SignalRow } from '#engine/bot/event.ts';
import type { BotContext } from '#engine/bot/state.ts';
import { botState } from '#engine/bot/state.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { roundPrice, truncateAmount } from '#engine/market/rounding.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { DrillResult } from '#storage/bots/drills.ts';
import type { OrderTimes } from '../orders/order-times.ts';
import { orderTimes } from '../orders/order-times.ts';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import { SimBot } from '../simulation/sim-bot.ts';
import { World } from '../simulation/world.ts';
import { drillDifferences, drillLeftovers, drillOrders } from './drill-books.ts';
import type { DrillPair, DrillPlan } from './drill-plan.ts';
import { StopWatch } from './stop-watch.ts';

const start = Date.UTC(2026, 0, 1);
const lengthMs = hourMs;

/** After the hour everything is closed over a good connection; it takes a market order or two. */
const closingMs = 2 * minuteMs;

/**
 * Lets a bot trade an hour of its own settings at an exchange in memory, over a bad connection, while its process is killed and
 * frozen again and again; then compares its books with the exchange's. Signals are made by chance, because an hour of a strategy may
 * have none, and prices move as far as its stop is away. Time is the simulation's: it takes a second or two.
 */
export async function runDrill(plan: DrillPlan, times: OrderTimes = orderTimes): Promise<DrillResult> {
  const world = new World(plan.seed, start);
  const { pairs, settings } = plan;
  const balances = { [pairs[0]?.instrument.quote ?? '']: 1_000 * settings.startingBalance };
  const venue = new InMemoryVenue({
    accountId: 'simulated',
    instruments: pairs.map(({ instrument }) => instrument),
    balances,
    time: start - 1_000,
    remembersIds: world.happens(0.5) ? 'always' : 'while-open',
    feeCurrency: settings.marketType !== 'futures' && world.happens(0.5) ? 'received' : 'quote',
  });
  const state = botState({
    botId: 'd0000000-0000-4000-8000-000000000001',
    timeframe: '1m',
    status: 'active',
    // Prices by chance lose money: neither the pause after losses nor an empty account is to end the hour.
    settings: { ...settings, maxConsecutiveLosses: 0, startingBalance: 100 * settings.startingBalance },
  });
  const symbols = pairs.map(({ instrument }) => instrument.symbol);
  const disk = new MemoryDisk(world, state, symbols);
  const network = { isFaulty: true, clockSkewMs: Math.floor(world.between(-200, 200)), faults: 0 };
  const context: BotContext = {
    instruments: new Map(pairs.map(({ instrument }) => [instrument.symbol, instrument])),
    callbacks: {},
    execution: 'exchange',
    stopsAtExchange: true,
  };
  const refusals = new Map<string, number>();
  const onEffects = (effects: readonly BotEffect[]): void => countRefusals(effects, refusals);
  const around = { world, disk, venue, network, context, times, timeInForce: plan.timeInForce, onEffects };

  const counts = { kills: 0, freezes: 0 };
  const stops = new StopWatch(venue, disk);
  let bot: SimBot | null = new SimBot(around);
  let process = bot.process;
  const restart = (): void => {
    bot = new SimBot(around);
    process = bot.process;
  };
  const end = start + lengthMs;
  const closed = end + closingMs;
  const markets = pairs.map((pair) => aMarket(pair, plan, world));
  const show = (market: Market): void => {
    venue.setTime(world.now + network.clockSkewMs);
    venue.setPrices(market.symbol, market.move(network.isFaulty));
    bot?.receive({ kind: 'market', view: market.view() });
    void stops.check(market.symbol, world.now);
  };
  for (const market of markets) {
    show(market);
    repeat(world, 300, 2_000, closed, () => show(market));
    repeat(world, minuteMs, minuteMs, end, () => {
      const candleTime = Math.floor(world.now / minuteMs) * minuteMs - minuteMs;
      const row = someSignal(world, settings.canShort);
      bot?.receive({ kind: 'candle-closed', time: world.now, symbol: market.symbol, candleTime, row, view: market.view() });
    });
  }
  repeat(world, 5_000, 60_000, end, () => {
    if (bot === null) return; // frozen: the next one takes over when its lease has ended
    if (!bot.process.isAlive || world.happens(0.9)) {
      counts.kills += Number(bot.process.isAlive);
      bot.process.kill();
      restart();
      return;
    }
    counts.freezes += 1;
    bot.process.freeze(disk.leaseEnd + world.between(-200, 3_000));
    bot = null;
    world.after(disk.leaseEnd - world.now, restart);
  });

  await world.runUntil(end);
  network.isFaulty = false;
  process.kill();
  disk.state = { ...disk.state, status: 'stopped' };
  await world.runUntil(Math.max(end, disk.leaseEnd));
  restart();
  repeat(world, 1_000, 1_000, closed, () => bot?.receive({ kind: 'status-changed', time: world.now, status: 'stopped' }));
  await world.runUntil(closed);
  process.kill();

  const orders = await drillOrders(venue, pairs);
  const bids = new Map(markets.map((market) => [market.symbol, market.view().bid]));
  const books = { disk, venue, pairs, startingBalances: balances, bids };
  return {
    minutes: lengthMs / minuteMs,
    pairs: symbols,
    ...counts,
    faults: network.faults,
    orders: orders.length,
    lostAnswers: disk.lostAnswers,
    stops: orders.filter(({ type }) => type === 'stop').length,
    longestWithoutStopMs: stops.longestMs,
    trades: disk.state.nextTradeId - 1,
    refusals: [...refusals].map(([gate, count]) => ({ gate, count })).toSorted((a, b) => b.count - a.count),
    leftovers: await drillLeftovers(books),
    differences: await drillDifferences(books),
  };
}

function repeat(world: World, least: number, most: number, until: number, what: () => void): void {
  world.after(world.between(least, most), () => {
    if (world.now >= until) return;
    what();
    repeat(world, least, most, until, what);
  });
}

/** One pair as it trades in the drill. */
interface Market {
  symbol: string;
  /** Moves the price, and gives what may be had at it: little of it while all kinds of things go wrong. */
  move(isThin: boolean): { bid: number; ask: number; bidAmount?: number; askAmount?: number };
  view(): { symbol: string; time: number; bid: number; ask: number; last: number };
}

function aMarket({ instrument, price: first }: DrillPair, { settings }: DrillPlan, world: World): Market {
  const { symbol, priceTick, amountStep, contractSize } = instrument;
  // In an hour of moves about every 1.15 s the price comes twice as far as the stop is away.
  const hourly = Math.min(0.3, Math.max(0.02, (2 * Math.abs(settings.stoploss)) / settings.leverage));
  const width = (hourly * Math.sqrt(12)) / Math.sqrt(lengthMs / 1_150);
  const stake =
    settings.stakeAmount === 'unlimited' ? settings.startingBalance / Math.max(1, settings.maxOpenTrades) : settings.stakeAmount;
  const typical = (stake * settings.leverage) / first;
  let [bid, ask] = [first, first + priceTick];
  const depth = (): number => truncateAmount(typical * world.between(0, 3), amountStep, contractSize);
  return {
    symbol,
    move(isThin) {
      // It stays where the exchange's smallest order remains as small as it is.
      const next = Math.min(first * 2, Math.max(first / 2, bid * (1 + (world.random() - 0.5) * width)));
      bid = Math.max(priceTick, roundPrice(next, priceTick));
      ask = roundPrice(bid + Math.max(priceTick, bid * 0.0002), priceTick, 'up');
      return { bid, ask, ...(isThin ? { bidAmount: depth(), askAmount: depth() } : {}) };
    },
    view: () => ({ symbol, time: world.now, bid, ask, last: bid }),
  };
}

function someSignal(world: World, canShort: boolean): SignalRow {
  const [enterLong, enterShort] = [world.happens(0.4), canShort && world.happens(0.4)];
  return {
    enterLong,
    enterShort: enterShort && !enterLong,
    exitLong: world.happens(0.1),
    exitShort: world.happens(0.1),
    enterTag: null,
    exitTag: null,
    confidence: null,
  };
}

/** Gates that say nothing about the settings: they hold in every hour. */
const usual = new Set(['no-signal', 'has-open-trade', 'slots-full', 'stopped', 'stale-candle']);

function countRefusals(effects: readonly BotEffect[], refusals: Map<string, number>): void {
  for (const effect of effects) {
    if (effect.kind !== 'decision') continue;
    const { gate } = effect.decision;
    if (gate !== null && !usual.has(gate)) refusals.set(gate, (refusals.get(gate) ?? 0) + 1);
  }
}
