import { dayMs } from '#engine/market/durations.ts';
import type { Pair } from '../market/listings.ts';
import type { Execution, WireCandle } from '../market/market.ts';
import type { WireBook, WireLevel } from '../market/order-book.ts';
import { amountText, averagePrice, levelTexts, priceText, quoteText } from './shapes.ts';

/** A frame of `<pair>@kline_<interval>`. */
export function klineFrame(pair: Pair, candle: WireCandle, interval: string, length: number, closed: boolean, now: number): string {
  return JSON.stringify({
    e: 'kline',
    E: now,
    s: pair.id,
    k: {
      t: candle.openTime,
      T: candle.openTime + length - 1,
      s: pair.id,
      i: interval,
      f: 0,
      L: 0,
      o: priceText(pair, candle.open),
      c: priceText(pair, candle.close),
      h: priceText(pair, candle.high),
      l: priceText(pair, candle.low),
      v: amountText(pair, candle.volume),
      n: candle.trades,
      x: closed,
      q: quoteText(pair, candle.quoteVolume),
      V: amountText(pair, Math.floor(candle.volume / 2)),
      Q: quoteText(pair, candle.quoteVolume / 2),
      B: '0',
    },
  });
}

/** A frame of `<pair>@bookTicker`; on spot it carries no event name. */
export function bookTickerFrame(pair: Pair, book: WireBook, now: number): string {
  const [bid, ask] = [book.bids[0]!, book.asks[0]!];
  const top = { b: priceText(pair, bid[0]), B: amountText(pair, bid[1]), a: priceText(pair, ask[0]), A: amountText(pair, ask[1]) };
  if (pair.market === 'spot') return JSON.stringify({ u: book.updateId, s: pair.id, ...top });
  return JSON.stringify({ e: 'bookTicker', u: book.updateId, s: pair.id, ...top, T: now, E: now });
}

/** A frame of `<pair>@miniTicker`. */
export function miniTickerFrame(pair: Pair, day: WireCandle, now: number): string {
  return JSON.stringify({ e: '24hrMiniTicker', E: now, s: pair.id, ...dayFields(pair, day), ...contractMark(pair) });
}

/** A frame of `<pair>@ticker`. */
export function tickerFrame(pair: Pair, day: WireCandle, book: WireBook, now: number): string {
  const change = day.close - day.open;
  const [bid, ask] = [book.bids[0]!, book.asks[0]!];
  return JSON.stringify({
    e: '24hrTicker',
    E: now,
    s: pair.id,
    p: priceText(pair, change),
    P: ((change / day.open) * 100).toFixed(3),
    w: priceText(pair, averagePrice(day)),
    Q: amountText(pair, 1),
    ...dayFields(pair, day),
    ...(pair.market === 'spot'
      ? {
          x: priceText(pair, day.open),
          b: priceText(pair, bid[0]),
          B: amountText(pair, bid[1]),
          a: priceText(pair, ask[0]),
          A: amountText(pair, ask[1]),
        }
      : {}),
    O: now - dayMs,
    C: now,
    F: book.updateId - day.trades,
    L: book.updateId,
    n: day.trades,
    ...contractMark(pair),
  });
}

/** A frame of `<pair>@trade` or `<pair>@aggTrade`. */
export function tradeFrame(pair: Pair, execution: Execution, name: 'trade' | 'aggTrade', now: number): string {
  return JSON.stringify({
    e: name,
    E: now,
    s: pair.id,
    ...(name === 'trade' ? { t: execution.id } : { a: execution.id, f: execution.id, l: execution.id }),
    p: priceText(pair, execution.price),
    q: amountText(pair, execution.amount),
    T: execution.time,
    m: execution.buyerIsMaker,
    ...(pair.market === 'spot' ? { M: true } : { X: 'MARKET' }),
  });
}

/** A frame of `<pair>@depth@100ms`: what changed since the book of tick `before`, without a gap. */
export function depthFrame(pair: Pair, before: number, after: number, bids: WireLevel[], asks: WireLevel[], now: number): string {
  return JSON.stringify({
    e: 'depthUpdate',
    E: now,
    ...(pair.market === 'futures' ? { T: now } : {}),
    s: pair.id,
    U: before + 1,
    u: after,
    ...(pair.market === 'futures' ? { pu: before } : {}),
    b: levelTexts(pair, bids),
    a: levelTexts(pair, asks),
  });
}

function dayFields(pair: Pair, day: WireCandle) {
  return {
    c: priceText(pair, day.close),
    o: priceText(pair, day.open),
    h: priceText(pair, day.high),
    l: priceText(pair, day.low),
    v: amountText(pair, day.volume),
    q: quoteText(pair, day.quoteVolume),
  };
}

/** Contract tickers name the pair a second time. */
function contractMark(pair: Pair) {
  return pair.market === 'futures' ? { ps: pair.id, st: 1 } : {};
}
