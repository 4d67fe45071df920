import type { Pair, SandboxMarket } from '../market/listings.ts';
import { type Execution, tickNumber } from '../market/market.ts';
import { bookAt, bookDepth, changedLevels, type WireBook } from '../market/order-book.ts';
import { intervalLengths, intervalOpenTime } from './intervals.ts';
import { bookTickerFrame, depthFrame, klineFrame, miniTickerFrame, tickerFrame, tradeFrame } from './stream-frames.ts';
import { lastExecution, type World } from './world.ts';

/** The sockets of the wire: spot has one kind, futures splits its streams over two. */
export type SocketKind = 'spot' | 'futures-public' | 'futures-market';

/** One stream such as `btcusdt@kline_1m`: its frames since the previous call. */
export interface Topic {
  /** The frames that are due at `now`, oldest first. */
  frames(now: number): string[];
  /** Forgets what the topic keeps for its subscribers. */
  end(): void;
}

/** The topic of this name on this kind of socket, or null when there is none. */
export function createTopic(world: World, kind: SocketKind, name: string): Topic | null {
  const [id = '', channel = '', rate] = name.split('@');
  const market: SandboxMarket = kind === 'spot' ? 'spot' : 'futures';
  const pair = world.market.pair(market, id.toUpperCase());
  if (pair === undefined || (kind !== 'spot' && kind !== kindOfChannel(channel))) return null;
  if (channel.startsWith('kline_')) {
    const interval = channel.slice('kline_'.length);
    const length = intervalLengths[interval];
    return length === undefined ? null : klineTopic(world, pair, interval, length);
  }
  switch (channel) {
    case 'bookTicker':
      return tickTopic(world, pair, (execution, now) => [bookTickerFrame(pair, bookAt(world.market, pair, execution, 1), now)]);
    case 'trade':
    case 'aggTrade':
      return tradeTopic(world, pair, channel);
    case 'miniTicker':
    case 'ticker':
      return dayTopic(world, pair, channel);
    case 'depth':
      return rate === undefined || rate === '100ms' || rate === '500ms' ? depthTopic(world, pair) : null;
    default:
      return null;
  }
}

function kindOfChannel(channel: string): SocketKind {
  return ['depth', 'bookTicker', 'trade'].includes(channel) ? 'futures-public' : 'futures-market';
}

/** Frames at each new tick of a pair. */
function tickTopic(world: World, pair: Pair, framesOf: (execution: Execution, now: number) => string[]): Topic {
  let tickBefore = -1;
  return {
    frames(now) {
      const tick = tickNumber(now);
      if (tick === tickBefore) return [];
      tickBefore = tick;
      const execution = world.market.execution(pair, tick);
      return execution === null ? [] : framesOf(execution, now);
    },
    end: () => {},
  };
}

/** The closed candles since the last call, each once, oldest first, then the open one. */
function klineTopic(world: World, pair: Pair, interval: string, length: number): Topic {
  let openTime: number | null = null;
  const changes = tickTopic(world, pair, (_execution, now) => {
    const candle = world.market.candle(pair, intervalOpenTime(length, now), length, now);
    return candle === null ? [] : [klineFrame(pair, candle, interval, length, false, now)];
  });
  return {
    frames(now) {
      const current = intervalOpenTime(length, now);
      const frames: string[] = [];
      for (let closed = openTime ?? current; closed < current; closed += length) {
        const candle = world.market.candle(pair, closed, length, now);
        if (candle !== null) frames.push(klineFrame(pair, candle, interval, length, true, now));
      }
      openTime = current;
      return [...frames, ...changes.frames(now)];
    },
    end: () => {},
  };
}

/** The executions since the last call; when the clock runs fast only the newest of them. */
function tradeTopic(world: World, pair: Pair, name: 'trade' | 'aggTrade'): Topic {
  let tickBefore: number | null = null;
  return {
    frames(now) {
      const tick = tickNumber(now);
      const first = Math.max((tickBefore ?? tick - 1) + 1, tick - 3);
      tickBefore = tick;
      const frames: string[] = [];
      for (let id = first; id <= tick; id++) {
        const execution = world.market.execution(pair, id);
        if (execution !== null && execution.amount > 0) frames.push(tradeFrame(pair, execution, name, now));
      }
      return frames;
    },
    end: () => {},
  };
}

/** The 24-hour statistics, about once a second of machine time. */
function dayTopic(world: World, pair: Pair, name: 'ticker' | 'miniTicker'): Topic {
  let sentAt = -Infinity;
  return {
    frames(now) {
      if (performance.now() - sentAt < 900) return [];
      const day = world.statistics.at(pair, now);
      const execution = lastExecution(world, pair, tickNumber(now));
      if (day === null || execution === null) return [];
      sentAt = performance.now();
      if (name === 'miniTicker') return [miniTickerFrame(pair, day, now)];
      return [tickerFrame(pair, day, bookAt(world.market, pair, execution, 1), now)];
    },
    end: () => {},
  };
}

/** The changes of the book. Each frame begins where the one before ended. */
function depthTopic(world: World, pair: Pair): Topic {
  const take = (execution: Execution): WireBook => {
    world.streamedBooks.set(pair, execution.id);
    return bookAt(world.market, pair, execution, bookDepth);
  };
  // Taken at once: a snapshot asked for before the first frame must be the book that frame starts from.
  const first = lastExecution(world, pair, tickNumber(world.clock.now()));
  let before: WireBook | null = first === null ? null : take(first);
  const changes = tickTopic(world, pair, (execution, now) => {
    const last = before;
    if (last !== null && execution.id <= last.updateId) return [];
    const book = take(execution);
    before = book;
    if (last === null) return [];
    const bids = changedLevels(last.bids, book.bids);
    const asks = changedLevels(last.asks, book.asks);
    return [depthFrame(pair, last.updateId, book.updateId, bids, asks, now)];
  });
  return {
    frames: (now) => changes.frames(now),
    end: () => {
      world.streamedBooks.delete(pair);
    },
  };
}
