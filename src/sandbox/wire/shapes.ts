import { dayMs } from '#engine/market/durations.ts';
import type { Pair } from '../market/listings.ts';
import { type Execution, quoteUnit, type WireCandle } from '../market/market.ts';
import type { WireBook, WireLevel } from '../market/order-book.ts';

/** A price in ticks as the wire writes it. */
export function priceText(pair: Pair, ticks: number): string {
  return (ticks / 10 ** pair.decimals).toFixed(pair.market === 'spot' ? 8 : pair.decimals);
}

/** An amount in steps as the wire writes it. */
export function amountText(pair: Pair, steps: number): string {
  return (steps / 10 ** pair.amountDecimals).toFixed(pair.market === 'spot' ? 8 : pair.amountDecimals);
}

/** A quote volume as the wire writes it. */
export function quoteText(pair: Pair, product: number): string {
  return ((product * quoteUnit) / 10 ** (pair.decimals + pair.amountDecimals)).toFixed(8);
}

/** The average price of a candle by volume, in ticks. */
export function averagePrice(candle: WireCandle): number {
  return candle.volume > 0 ? (candle.quoteVolume * quoteUnit) / candle.volume : candle.close;
}

/** A candle as a row of `klines`. */
export function klineRow(pair: Pair, candle: WireCandle, length: number): (string | number)[] {
  const half = Math.floor(candle.volume / 2);
  return [
    candle.openTime,
    priceText(pair, candle.open),
    priceText(pair, candle.high),
    priceText(pair, candle.low),
    priceText(pair, candle.close),
    amountText(pair, candle.volume),
    candle.openTime + length - 1,
    quoteText(pair, candle.quoteVolume),
    candle.trades,
    amountText(pair, half),
    quoteText(pair, candle.quoteVolume / 2),
    '0',
  ];
}

/** Levels as pairs of texts. */
export function levelTexts(pair: Pair, levels: readonly WireLevel[]): [string, string][] {
  return levels.map(([price, amount]) => [priceText(pair, price), amountText(pair, amount)]);
}

/** The answer of `ticker/24hr` for one pair. */
export function dayTicker(pair: Pair, day: WireCandle, book: WireBook, now: number): Record<string, string | number> {
  const change = day.close - day.open;
  const top = bookTop(pair, book);
  return {
    symbol: pair.id,
    priceChange: priceText(pair, change),
    priceChangePercent: ((change / day.open) * 100).toFixed(3),
    weightedAvgPrice: priceText(pair, averagePrice(day)),
    ...(pair.market === 'spot' ? { prevClosePrice: priceText(pair, day.open) } : {}),
    lastPrice: priceText(pair, day.close),
    lastQty: amountText(pair, 1),
    // Only spot answers carry the book: ccxt distinguishes spot from contracts by it.
    ...(pair.market === 'spot' ? { bidPrice: top.bidPrice, bidQty: top.bidQty, askPrice: top.askPrice, askQty: top.askQty } : {}),
    openPrice: priceText(pair, day.open),
    highPrice: priceText(pair, day.high),
    lowPrice: priceText(pair, day.low),
    volume: amountText(pair, day.volume),
    quoteVolume: quoteText(pair, day.quoteVolume),
    openTime: now - dayMs,
    closeTime: now,
    firstId: book.updateId - day.trades,
    lastId: book.updateId,
    count: day.trades,
  };
}

/** The best bid and ask, as `ticker/bookTicker` answers them. */
export function bookTop(pair: Pair, book: WireBook) {
  const [bid, ask] = [book.bids[0]!, book.asks[0]!];
  return {
    symbol: pair.id,
    bidPrice: priceText(pair, bid[0]),
    bidQty: amountText(pair, bid[1]),
    askPrice: priceText(pair, ask[0]),
    askQty: amountText(pair, ask[1]),
  };
}

/** One row of `aggTrades`. */
export function tradeRow(pair: Pair, execution: Execution) {
  return {
    a: execution.id,
    p: priceText(pair, execution.price),
    q: amountText(pair, execution.amount),
    f: execution.id,
    l: execution.id,
    T: execution.time,
    m: execution.buyerIsMaker,
    ...(pair.market === 'spot' ? { M: true } : {}),
  };
}
