import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import type { ManualAction } from '#engine/bot/manual-action.ts';
import type { BotState } from '#engine/bot/state.ts';
import { botState } from '#engine/bot/state.ts';
import type { SignalRow, TradingState } from '#engine/bot/event.ts';
import type { Fill } from '#engine/account/fill.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { VenueFill } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { OrderTimes } from '../order-times.ts';
import { orderTimes } from '../order-times.ts';
import { MemoryDisk } from '../../simulation/memory-disk.ts';
import type { SimDependencies } from '../../simulation/sim-bot.ts';
import { SimBot } from '../../simulation/sim-bot.ts';
import { BookedFees, takerFee, thirdCurrency, thirdPrice } from './booked-fees.ts';
import { SimPerson } from './sim-person.ts';
import { World } from '../../simulation/world.ts';

const minuteMs = 60_000;
/** When funding is paid. */
const paidAt = Date.UTC(2026, 0, 1);
const start = paidAt - 2 * minuteMs;
const funding = { time: paidAt, rate: 0.01, mark: 100 }; // far more than any exchange takes: none of it may be missed
/** What a disk may lose of its last commits, in ms. */
const lostMs = 200;

/** What came of a simulation. */
export interface Outcome {
  crashes: number;
  freezes: number;
  lossesOfCommits: number; // crashes that have taken the last commits with them
  unrecorded: number; // orders that were found without a record
  orders: number; // that the exchange has taken
  stops: number; // among them
  trades: number;
  byHand: number; // what the bot has done because a person has asked for it
  added: number; // further entries that a strategy wanted
  partsLeft: number; // parts of trades that it wanted to leave
  corrections: number; // payments of funding that became known after the end of their trade
  faults: string[]; // what must never be; empty when all is well
}

/** A bot that trades for so many minutes while its process dies again and again, and then closes everything. */
export async function simulate(
  seed: number,
  minutes: number,
  times: OrderTimes = orderTimes,
  {
    isHarsh = false,
    slowRatio = 0.05,
    adjusts = false,
    ...options
  }: {
    findsNothing?: boolean;
    paysOnlyWhileOpen?: boolean;
    isHarsh?: boolean;
    slowRatio?: number; // of what is asked of a harsh world's disk, how much takes seconds
    adjusts?: boolean;
  } = {},
): Promise<Outcome> {
  const world = new World(seed, start);
  const marketType = world.happens(0.5) ? 'spot' : 'futures';
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const instrument = anInstrument({ symbol, marketType, maxLeverage: 20, makerFee: 0.0002, takerFee });
  const remembersIds = world.happens(0.5) ? 'always' : 'while-open';
  // Fees in a third currency, of which there is enough for some trades or for all.
  const discount = world.happens(0.4) ? { currency: thirdCurrency, owned: world.happens(0.5) ? 1 : 0.002 } : null;
  const venue = new InMemoryVenue({
    accountId: 'simulated',
    instruments: [instrument],
    balances: { USDT: 100_000, ...(discount === null ? {} : { [discount.currency]: discount.owned }) },
    time: start - 1_000,
    remembersIds,
    feeCurrency: marketType === 'spot' && world.happens(0.5) ? 'received' : 'quote',
    funding: marketType === 'futures' ? [{ symbol, ...funding }] : [],
    ...(discount === null ? {} : { feeDiscount: { currency: discount.currency, price: 600 } }),
  });
  const disk = new MemoryDisk(world, firstState(world, marketType, adjusts), [symbol]);
  const person = new SimPerson(world, disk, venue, marketType === 'futures');
  const network = { isFaulty: true, clockSkewMs: Math.floor(world.between(-200, 200)), bannedUntil: 0, faults: 0 };
  const callbacks = adjusts ? { adjustPosition: someAdjustment } : {};
  const context = { instruments: new Map([[symbol, instrument]]), callbacks, execution: 'exchange' as const, stopsAtExchange: true };
  const counts = { crashes: 0, freezes: 0, lossesOfCommits: 0, corrections: 0, byHand: 0, added: 0, partsLeft: 0 };
  // Most trades that have paid are over when it is published.
  const publishedAt = paidAt + world.between(0, 1.5 * minuteMs);
  const dependencies: SimDependencies = {
    world,
    disk,
    venue,
    network,
    context,
    times,
    onEffects: (effects) => {
      for (const effect of effects) {
        if (effect.kind === 'trade-corrected' && effect.fill === null) counts.corrections += 1;
        if (effect.kind === 'manual-ended' && effect.refusal === null) counts.byHand += 1;
        if (adjusts && effect.kind === 'order-filled' && effect.order.action === 'add') counts.added += 1;
        if (adjusts && effect.kind === 'order-filled' && effect.order.action === 'take-out') counts.partsLeft += 1;
      }
    },
    funding: async (_symbol, from, to) => {
      await world.wait(world.between(1, 500));
      if (network.isFaulty && world.happens(0.3)) throw new ExchangeError('temporary', 'no answer');
      return world.now >= publishedAt && paidAt >= from && paidAt < to ? [funding] : [];
    },
    candles: async (_symbol, _timeframe, from, to) => {
      await world.wait(world.between(1, 500));
      if (network.isFaulty && world.happens(0.3)) throw new ExchangeError('temporary', 'no answer');
      // The candle of the minute that is not over is not there.
      const last = Math.min(to, Math.floor(world.now / minuteMs) * minuteMs) - minuteMs;
      return [last - minuteMs, last]
        .filter((openTime) => openTime >= from)
        .map((openTime) => ({ openTime, open: 600, high: 620, low: 600, close: thirdPrice(openTime), volume: 1 }));
    },
    ...options,
  };

  let bot = new SimBot(dependencies);
  let price = 100;
  const view = () => ({ symbol, time: world.now, bid: price, ask: cents(price + 0.02), last: price });
  const showPrices = (): void => {
    price = cents(Math.max(50, price * (1 + (world.random() - 0.5) * 0.006)));
    // It runs through stops, of longs and of shorts.
    if (isHarsh && network.isFaulty && world.happens(0.01)) price = cents(Math.max(50, price * (world.happens(0.5) ? 0.94 : 1.06)));
    const depth = (): number => Math.ceil(world.between(0, 4) * 1_000) / 1_000;
    venue.setTime(world.now + network.clockSkewMs);
    venue.setPrices(symbol, {
      bid: price,
      ask: cents(price + 0.02),
      ...(network.isFaulty ? { bidAmount: depth(), askAmount: depth() } : {}),
    });
    bot.receive({ kind: 'market', view: view() });
  };
  const repeat = (least: number, most: number, until: number, what: () => void): void => {
    world.after(world.between(least, most), () => {
      if (world.now >= until) return;
      what();
      repeat(least, most, until, what);
    });
  };
  const end = start + minutes * minuteMs;
  const settled = end + 2 * minuteMs;
  showPrices();
  repeat(200, 1_500, settled, showPrices);
  repeat(1_000, 4_000, settled, () => {
    venue.setTime(world.now + network.clockSkewMs);
    void person.act(price).catch((error: unknown) => disk.faults.push(error));
  });
  repeat(5_000, 5_000, end, () => {
    const candleTime = Math.floor(world.now / 5_000) * 5_000 - 5_000;
    bot.receive({ kind: 'candle-closed', time: world.now, symbol, candleTime, row: someSignal(world), view: view() });
  });
  if (isHarsh) makeHarsh();
  const crash = (): void => {
    bot.process.kill();
    counts.crashes += 1;
    if (world.happens(0.3) && disk.loseLast(lostMs)) counts.lossesOfCommits += 1;
    bot = new SimBot(dependencies);
  };
  // Crashes are worst just after something was decided.
  disk.onDecided = () => {
    const decided = bot;
    if (world.happens(isHarsh ? 0.2 : 0.5))
      world.after(world.between(0, 1.5 * lostMs), () => {
        if (bot === decided && world.now < end) crash();
      });
  };
  // Where a disk takes seconds a process must live for some, or nothing is ever decided.
  repeat(20, isHarsh ? 20_000 : 5_000, end, () => {
    if (!bot.process.isAlive || world.happens(isHarsh ? 0.4 : 0.6)) {
      crash();
      return;
    }
    if (world.happens(isHarsh ? 0.5 : 0.05)) {
      // Frozen for longer than its lease; the next one may take over only then, and the frozen one wakes up beside it.
      counts.freezes += 1;
      const frozen = bot;
      frozen.process.freeze(disk.leaseEnd + world.between(-200, isHarsh ? 10_000 : 3_000));
      bot = { ...nobody, process: frozen.process } as unknown as SimBot;
      world.after(disk.leaseEnd - world.now, () => {
        if (bot.process === frozen.process) bot = new SimBot(dependencies);
      });
    }
  });

  /** A disk that takes seconds now and then, an exchange that bans for a while, and people who stop, re-arm and close at any time. */
  function makeHarsh(): void {
    disk.slowRatio = slowRatio;
    disk.forbidsEntries = true;
    repeat(20_000, 60_000, end, () => (network.bannedUntil = world.now + world.between(2_000, 20_000)));
    // What a person has pressed is never lost. Nobody re-arms while it is open what becomes of a difference.
    const press = (state: TradingState): void => {
      disk.flush();
      const isOpen = disk.undecided !== 0 || disk.wishes.some((wish) => !disk.isOver(wish));
      disk.tradingState = state === 'active' && isOpen ? 'reducing' : state;
    };
    repeat(5_000, 30_000, end, () => press(world.happens(0.5) ? 'halted' : world.happens(0.5) ? 'reducing' : 'active'));
    repeat(5_000, 20_000, end, () => press('active'));
    let asked = 0;
    repeat(2_000, 10_000, end, () => {
      const action = someAction(world, `action ${(asked += 1)}`, disk.state, symbol, price);
      disk.flush();
      disk.actions = new Map(disk.actions).set(action.id, action);
    });
    repeat(5_000, 30_000, end, () => {
      const [trade] = disk.state.trades;
      if (trade === undefined) return;
      bot.receive({ kind: 'close-asked', time: world.now, tradeId: trade.id });
      const orderId = trade.stopFailures?.orderId;
      if (orderId !== undefined) bot.receive({ kind: 'stop-asked', time: world.now, tradeId: trade.id, orderId });
    });
  }

  await world.runUntil(end);
  disk.slowRatio = 0;
  network.bannedUntil = 0;
  network.isFaulty = false;
  bot.process.kill();
  disk.state = { ...disk.state, status: 'stopped' };
  bot = new SimBot(dependencies);
  repeat(1_000, 1_000, settled, () => bot.receive({ kind: 'status-changed', time: world.now, status: 'stopped' }));
  await world.runUntil(settled);
  bot.process.kill();
  const orders = await venue.ordersSince(symbol, 0);
  const stops = orders.filter(({ type }) => type === 'stop');
  return {
    ...counts,
    stops: stops.length,
    orders: orders.length,
    unrecorded: disk.noted.size,
    trades: disk.state.nextTradeId - 1,
    faults: await faultsOf(disk, venue, symbol, bot, person),
  };
}

/** Stands for a bot while no process runs it. */
const nobody = { receive: () => undefined };

/** What must never be, found out from the exchange's own books. */
async function faultsOf(disk: MemoryDisk, venue: InMemoryVenue, symbol: string, bot: SimBot, person: SimPerson): Promise<string[]> {
  const faults = disk.faults.map(
    (error) => `the program failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  const seen = new Map<string, number>();
  for (const order of await venue.ordersSince(symbol, 0)) {
    if (order.clientOrderId.startsWith('hand-')) continue;
    const row = disk.rows.get(order.clientOrderId) ?? disk.noted.get(order.clientOrderId)?.order;
    seen.set(order.clientOrderId, (seen.get(order.clientOrderId) ?? 0) + 1);
    if (row === undefined) faults.push(`the disk does not know order ${order.clientOrderId}`);
    else if (row.state !== order.state) faults.push(`order ${order.clientOrderId} is ${order.state} and ${row.state} on the disk`);
    else if (Math.abs(row.filled - order.filled) > 1e-9)
      faults.push(`order ${order.clientOrderId} has ${order.filled} filled, ${row.filled} on the disk`);
  }
  for (const [id, count] of seen) if (count > 1) faults.push(`order ${id} was made ${count} times`);
  for (const { clientOrderId, state } of disk.rows.values()) {
    const isPlaced = seen.has(clientOrderId);
    if (!isPlaced && state !== 'cancelled' && state !== 'refused') faults.push(`order ${clientOrderId} is ${state} and nowhere`);
  }
  const { trades, closedProfit } = disk.state;
  if (trades.length > 0) faults.push(`${trades.length} trades are open at the end: ${JSON.stringify(trades)}`);
  if (!person.isDone) faults.push('a difference is left that nobody has decided about');
  if (!bot.isIdle) faults.push('not everything is settled at the end');
  const [base = '', quote = ''] = symbol.split(/[/:]/);
  const balances = new Map((await venue.balances()).map(({ currency, free, locked }) => [currency, { free, locked }]));
  if ([...balances.values()].some(({ locked }) => locked !== 0)) faults.push('something is locked at the end');
  const positions = await venue.positions();
  if (positions.length > 0) faults.push(`a position is left: ${JSON.stringify(positions)}`);
  for (const { clientOrderId, type } of await venue.openOrders()) faults.push(`order ${clientOrderId} (${type}) still stands at the end`);
  const dust = balances.get(base)?.free ?? 0;
  if (dust < 0) faults.push(`${dust} ${base} are owed`);
  const fills = (await venue.fillsSince(symbol, null)).filter(({ clientOrderId }) => disk.rows.has(clientOrderId));
  const fees = new BookedFees([...disk.state.trades, ...disk.state.formerTrades].flatMap(({ orders }) => orders));
  for (const fill of fills) {
    const fault = fees.faultOf(fill.clientOrderId, fill);
    if (fault !== null) faults.push(fault);
  }
  const { coins, money } = bookedOf(disk, fills, base, symbol.includes(':'), fees);
  if (Math.abs(coins) < 1e-9 && Math.abs(money - closedProfit) > 1e-6 * Math.max(1, disk.state.nextTradeId))
    faults.push(`the bot counts ${closedProfit}, its orders have brought ${money}`);
  const gained = (balances.get(quote)?.free ?? 0) - 100_000;
  const isPaidInQuote = fills.every(({ feeCurrency }) => feeCurrency === quote || feeCurrency === base);
  if (isPaidInQuote && disk.noted.size === 0 && dust === 0 && Math.abs(gained - closedProfit) > 1e-6 * Math.max(1, disk.state.nextTradeId))
    faults.push(`the bot counts ${closedProfit}, its account ${gained}`);
  return faults;
}

/** What the fills of a bot's orders, and what was booked as a person has decided, come to, with the funding of what they say was held. */
function bookedOf(
  disk: MemoryDisk,
  fills: readonly VenueFill[],
  base: string,
  isPaid: boolean,
  fees: BookedFees,
): { coins: number; money: number } {
  let [coins, money] = [0, 0];
  const add = (side: string, { amount, price, fee, feeCurrency, time }: Fill): void => {
    const sign = side === 'buy' ? 1 : -1;
    coins += sign * amount - (feeCurrency === base ? fee : 0);
    if (isPaid && time < paidAt) money -= sign * amount * funding.rate * funding.mark;
    money -= sign * amount * price;
  };
  for (const [orderId, ofOrder] of Map.groupBy(fills, ({ clientOrderId }) => clientOrderId)) {
    for (const fill of ofOrder) add(disk.rows.get(orderId)?.side ?? '', fill);
    money -= fees.of(orderId, ofOrder, base);
  }
  for (const { orders } of [...disk.state.trades, ...disk.state.formerTrades])
    for (const { side, fills: booked } of orders)
      for (const fill of booked)
        if (fill.id.startsWith('outside-')) {
          add(side, fill);
          money -= fill.feeCurrency === base ? 0 : fill.fee;
        }
  return { coins, money };
}

/** Buys what has fallen a little, up to three times, and leaves a part of what has risen a little, up to twice. */
const someAdjustment: NonNullable<StrategyCallbacks['adjustPosition']> = ({ trade, profitRatio }) => {
  const filled = (purpose: 'entry' | 'exit'): number =>
    trade.orders.filter((order) => order.purpose === purpose && order.filled > 0).length;
  if (profitRatio < -0.002 && filled('entry') < 4) return { stake: 150, tag: 'lower' };
  return profitRatio > -0.001 && filled('exit') < 2 ? { stake: -0.4 * trade.stake, tag: 'some of it' } : null;
};

function firstState(world: World, marketType: 'spot' | 'futures', adjusts: boolean): BotState {
  const pick = () => (world.happens(0.5) ? ('limit' as const) : ('market' as const));
  const exit = pick();
  return botState({
    botId: 'b0000000-0000-4000-8000-000000000001',
    timeframe: '1m',
    status: 'active',
    settings: requireSettings({
      marketType,
      canShort: marketType === 'futures',
      positionAdjustment: adjusts,
      marginMode: 'isolated',
      liquidationFormula: 'binance',
      leverage: marketType === 'futures' ? 3 : 1,
      stakeAmount: 300,
      maxOpenTrades: 1,
      startingBalance: 10_000,
      tradableBalanceRatio: 1,
      stoploss: -0.02,
      minimalRoi: { 0: 0.004 },
      maxConsecutiveLosses: 0,
      orderTypes: { entry: pick(), exit, stoploss: 'market' },
      unfilledTimeout: { entryMs: 6_000, exitMs: 6_000, exitTimeoutCount: 2 },
      entryPricing: { side: 'other', useOrderBook: false },
      exitPricing: { side: adjusts && exit === 'limit' ? 'same' : 'other', useOrderBook: false }, // limits that wait beside stops
    }),
  });
}

function someSignal(world: World): SignalRow {
  const [enterLong, enterShort] = [world.happens(0.5), world.happens(0.3)];
  return {
    enterLong,
    enterShort: enterShort && !enterLong,
    exitLong: world.happens(0.3),
    exitShort: world.happens(0.3),
    enterTag: null,
    exitTag: null,
    confidence: null,
  };
}

/** What a person may want by hand at any time, also what cannot be. */
function someAction(world: World, id: string, { trades: [trade] }: BotState, symbol: string, price: number): ManualAction {
  const common = { id, until: world.now + 15_000 };
  const stake = Math.round(world.between(1, 400));
  const isShort = trade === undefined ? symbol.includes(':') && world.happens(0.5) : trade.direction === 'short';
  const stop = cents(price * (isShort ? world.between(0.999, 1.05) : world.between(0.95, 1.001)));
  if (trade === undefined)
    return { ...common, kind: 'enter', symbol, direction: isShort ? 'short' : 'long', stake, stopPrice: world.happens(0.5) ? stop : null };
  if (world.happens(0.3)) return { ...common, kind: 'add', tradeId: trade.id, stake };
  if (world.happens(0.5)) return { ...common, kind: 'take-out', tradeId: trade.id, share: world.between(0.01, 0.99) };
  return { ...common, kind: 'move-stop', tradeId: trade.id, price: world.happens(0.8) ? stop : null };
}

function cents(value: number): number {
  return Math.round(value * 100) / 100;
}
