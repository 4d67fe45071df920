import type { Pair, SandboxMarket } from '../market/listings.ts';
import { tickMs, tickNumber, type WireCandle } from '../market/market.ts';
import { bookAt, bookDepth } from '../market/order-book.ts';
import { exchangeInfo } from './exchange-info.ts';
import { fundingHistory, indexPair, markRow, premiumIndex } from './funding-routes.ts';
import { intervalLengths, intervalOpenTime } from './intervals.ts';
import { numberOf } from './query.ts';
import { bookTop, dayTicker, klineRow, levelTexts, priceText, tradeRow } from './shapes.ts';
import { WireError } from './wire-error.ts';
import { lastExecution, newestExecution, type World } from './world.ts';

/** One route of the REST wire. */
export interface Route {
  method: string;
  path: string; // without the prefix of the market, e.g. '/klines'
  /** What the request costs of the budget. */
  weight: (query: URLSearchParams) => number;
  answer: (query: URLSearchParams) => unknown;
}

/** The public market-data routes of spot or USD-M futures. */
export function marketRoutes(world: World, market: SandboxMarket): Route[] {
  const get = (path: string, weight: number | Route['weight'], answer: Route['answer']): Route => ({
    method: 'GET',
    path,
    weight: typeof weight === 'number' ? () => weight : weight,
    answer,
  });
  const pairs = world.market.pairs.filter((pair) => pair.market === market);
  const now = () => world.clock.now();
  const one = (query: URLSearchParams) => requiredPair(world, market, query);
  const perSymbol = (single: number, all: number) => (query: URLSearchParams) => (query.has('symbol') ? single : all);
  return [
    get('/ping', 1, () => ({})),
    get('/time', 1, () => ({ serverTime: now() })),
    get('/exchangeInfo', market === 'spot' ? 20 : 1, () => exchangeInfo(pairs, market, world.weightLimits[market], now())),
    get('/klines', klineWeight(market), (query) => klines(world, market, one(query), query, klineRow)),
    get('/depth', depthWeight(market), (query) => depth(world, one(query), query)),
    get('/aggTrades', market === 'spot' ? 4 : 20, (query) => aggTrades(world, one(query), query)),
    get('/ticker/24hr', perSymbol(market === 'spot' ? 2 : 1, market === 'spot' ? 80 : 40), (query) =>
      perPair(world, market, pairs, query, (pair) => ticker24h(world, pair)),
    ),
    get('/ticker/bookTicker', perSymbol(market === 'spot' ? 2 : 2, market === 'spot' ? 4 : 5), (query) =>
      perPair(world, market, pairs, query, (pair) => bookTicker(world, pair)),
    ),
    get('/ticker/price', perSymbol(market === 'spot' ? 2 : 1, market === 'spot' ? 4 : 2), (query) =>
      perPair(world, market, pairs, query, (pair) => ({
        symbol: pair.id,
        price: priceText(pair, newestExecution(world, pair).price),
        ...(market === 'futures' ? { time: now() } : {}),
      })),
    ),
    ...(market === 'futures'
      ? [
          get('/markPriceKlines', klineWeight(market), (query) => klines(world, market, indexPair(world, one(query)), query, markRow)),
          get('/premiumIndex', perSymbol(1, 10), (query) => perPair(world, market, pairs, query, (pair) => premiumIndex(world, pair))),
          get('/fundingRate', 1, (query) => fundingHistory(world, one(query), query)),
        ]
      : []),
  ];
}

type KlineRow = (pair: Pair, candle: WireCandle, length: number) => (string | number)[];

function klines(world: World, market: SandboxMarket, pair: Pair, query: URLSearchParams, rowOf: KlineRow) {
  const interval = query.get('interval') ?? '';
  const length = intervalLengths[interval];
  if (length === undefined) throw new WireError(400, -1120, 'Invalid interval.');
  const now = world.clock.now();
  const limit = numberOf(query, 'limit', 500, market === 'spot' ? 1000 : 1500);
  const endTime = Math.min(numberOf(query, 'endTime', now), now);
  const newest = intervalOpenTime(length, endTime);
  const wanted = query.has('startTime') ? numberOf(query, 'startTime', 0) : newest - (limit - 1) * length;
  const oldest = intervalOpenTime(length, Math.max(pair.listedAt, wanted) + length - 1);
  const rows: unknown[] = [];
  for (let openTime = oldest; openTime <= newest && rows.length < limit; openTime += length) {
    const candle = world.market.candle(pair, openTime, length, now);
    if (candle !== null) rows.push(rowOf(pair, candle, length));
  }
  return rows;
}

function depth(world: World, pair: Pair, query: URLSearchParams) {
  const limit = numberOf(query, 'limit', pair.market === 'spot' ? 100 : 500, 5000);
  const now = world.clock.now();
  const execution = lastExecution(world, pair, world.streamedBooks.get(pair) ?? tickNumber(now)) ?? newestExecution(world, pair);
  const book = bookAt(world.market, pair, execution, Math.min(limit, bookDepth));
  return {
    lastUpdateId: book.updateId,
    ...(pair.market === 'futures' ? { E: now, T: now } : {}),
    bids: levelTexts(pair, book.bids),
    asks: levelTexts(pair, book.asks),
  };
}

function aggTrades(world: World, pair: Pair, query: URLSearchParams) {
  const newest = tickNumber(world.clock.now());
  const limit = numberOf(query, 'limit', 500, 1000);
  const from = query.has('fromId')
    ? numberOf(query, 'fromId', 0)
    : query.has('startTime')
      ? Math.ceil(numberOf(query, 'startTime', 0) / tickMs)
      : null;
  const to = Math.min(newest, Math.floor(numberOf(query, 'endTime', newest * tickMs) / tickMs));
  if (from !== null && from > to) return [];
  const found = [];
  const step = from === null ? -1 : 1;
  const last = from === null ? 0 : to;
  let id = from ?? to;
  for (let looked = 0; looked < mostTicksSearched && found.length < limit; looked++) {
    const execution = world.market.execution(pair, id);
    if (execution !== null && execution.amount > 0) found.push(tradeRow(pair, execution));
    if (id === last) break;
    id += step;
  }
  return from === null ? found.reverse() : found;
}

const mostTicksSearched = 150 * 60 * 24; // a day

function ticker24h(world: World, pair: Pair) {
  const now = world.clock.now();
  const day = world.statistics.at(pair, now);
  const execution = lastExecution(world, pair, tickNumber(now));
  if (day === null || execution === null) return null;
  return dayTicker(pair, day, bookAt(world.market, pair, execution, 1), now);
}

function bookTicker(world: World, pair: Pair) {
  const now = world.clock.now();
  const execution = lastExecution(world, pair, tickNumber(now));
  if (execution === null) return null;
  const top = bookTop(pair, bookAt(world.market, pair, execution, 1));
  return pair.market === 'futures' ? { ...top, time: now, lastUpdateId: execution.id } : top;
}

function requiredPair(world: World, market: SandboxMarket, query: URLSearchParams): Pair {
  const id = query.get('symbol');
  if (id === null) throw new WireError(400, -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.");
  const pair = world.market.pair(market, id);
  if (pair === undefined) throw new WireError(400, -1121, 'Invalid symbol.');
  return pair;
}

/** One answer for `symbol`, a list for `symbols` and for neither. Pairs without an answer are left out of lists. */
function perPair(world: World, market: SandboxMarket, pairs: readonly Pair[], query: URLSearchParams, answer: (pair: Pair) => unknown) {
  if (query.has('symbol')) {
    const pair = requiredPair(world, market, query);
    return answer(pair) ?? newestExecution(world, pair);
  }
  return requestedPairs(world, market, pairs, query.get('symbols'))
    .map(answer)
    .filter((item) => item !== null);
}

function requestedPairs(world: World, market: SandboxMarket, pairs: readonly Pair[], symbols: string | null): readonly Pair[] {
  if (symbols === null) return pairs;
  let ids: unknown;
  try {
    ids = JSON.parse(symbols);
  } catch {
    ids = null;
  }
  if (!Array.isArray(ids)) throw new WireError(400, -1100, "Illegal characters found in parameter 'symbols'.");
  return ids.map((id) => {
    const pair = world.market.pair(market, String(id));
    if (pair === undefined) throw new WireError(400, -1121, 'Invalid symbol.');
    return pair;
  });
}

function klineWeight(market: SandboxMarket): Route['weight'] {
  if (market === 'spot') return () => 2;
  return (query) => {
    const limit = Number(query.get('limit') ?? 500);
    return limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1000 ? 5 : 10;
  };
}

function depthWeight(market: SandboxMarket): Route['weight'] {
  return (query) => {
    const limit = Number(query.get('limit') ?? (market === 'spot' ? 100 : 500));
    if (market === 'spot') return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1000 ? 50 : 250;
    return limit <= 50 ? 2 : limit <= 100 ? 5 : limit <= 500 ? 10 : 20;
  };
}
