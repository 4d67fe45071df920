import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { MarketData, MarketListener, MarketSubscription } from '#engine/ports/market-data.ts';

/** An exchange moved by hand: prices, candles and the time change when the test says so; what it is asked for it answers at once. */
export function handExchange(symbols: readonly string[] = ['BTC/USDT'], marketType: 'spot' | 'futures' = 'spot') {
  let time = 1_000_000 * hourMs;
  const prices = new Map(symbols.map((symbol) => [symbol, 100]));
  const watchers = new Set<{ of: MarketSubscription; listener: MarketListener }>();
  /** What is out of order: symbols by what cannot be had of them. */
  const faults = { candles: new Set<string>(), books: new Set<string>() };
  let instruments = symbols.map((symbol) => anInstrument({ symbol, marketType }));
  const priceOf = (symbol: string): number => prices.get(symbol) ?? Number.NaN;
  const candleAt = (openTime: number, close: number): Candle => ({ openTime, open: close, high: close, low: close, close, volume: 1 });
  const watching = (symbol: string) => [...watchers].filter(({ of }) => of.symbol === symbol);
  const market: MarketData = {
    exchangeId: 'sandbox',
    marketType,
    timeframes: ['1m', '15m'],
    instruments: async () => instruments,
    instrument: async (symbol) => instruments.find((each) => each.symbol === symbol) ?? null,
    funding: async () => [],
    markCandles: async () => [],
    openCandle: async () => null,
    async candles(symbol, timeframe, from, to) {
      if (faults.candles.has(symbol)) throw new Error('no candles today');
      const length = timeframeLengths[timeframe];
      const first = Math.ceil(from / length) * length;
      const end = Math.min(to, Math.floor(time / length) * length);
      return Array.from({ length: Math.max(0, Math.ceil((end - first) / length)) }, (_, i) =>
        candleAt(first + i * length, priceOf(symbol)),
      );
    },
    async orderBook(symbol) {
      if (faults.books.has(symbol)) throw new Error(`no book of ${symbol}`);
      const price = priceOf(symbol);
      return { symbol, time, bids: [[price - 0.01, 1_000]], asks: [[price + 0.01, 1_000]] };
    },
    quote: async () => Promise.reject(new Error('not asked')),
    watch(of, listener) {
      const watcher = { of, listener };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close: async () => {},
  };
  return {
    market,
    faults,
    /** The exchange lists these symbols and no others. */
    list(listed: readonly string[]): void {
      instruments = listed.map((symbol) => instruments.find((each) => each.symbol === symbol) ?? anInstrument({ symbol, marketType }));
      for (const symbol of listed) if (!prices.has(symbol)) prices.set(symbol, 100);
    },
    /** The exchange lists a symbol with other terms. */
    relist(symbol: string, terms: Partial<Instrument>): void {
      instruments = instruments.map((each) => (each.symbol === symbol ? { ...each, ...terms } : each));
    },
    now: () => time,
    pass: (ms: number): void => void (time += ms),
    /** What is subscribed to. */
    subscriptions: (): MarketSubscription[] => [...watchers].map(({ of }) => of),
    /** How many watch the prices of a symbol. */
    watchers: (symbol: string): number => watching(symbol).filter(({ of }) => of.quotes).length,
    /** The price of a symbol is another; it is reported to those who watch prices. */
    quote(symbol: string, price: number): void {
      prices.set(symbol, price);
      for (const { of, listener } of watching(symbol))
        if (of.quotes) listener.onQuote?.({ symbol, bid: price - 0.01, ask: price + 0.01, last: price, time });
    },
    /** The source of a symbol falls silent, or sends again. */
    silence(symbol: string, isSilent: boolean): void {
      for (const { listener } of watching(symbol)) listener.onStale?.(isSilent);
    },
    /** The next full minute comes, and the candles that it closes are reported. */
    closeMinute(): void {
      time = (Math.floor(time / minuteMs) + 1) * minuteMs;
      for (const { of, listener } of watchers)
        for (const timeframe of of.timeframes) {
          const length = timeframeLengths[timeframe];
          if (time % length === 0) listener.onCandle?.(timeframe, candleAt(time - length, priceOf(of.symbol)));
        }
    },
  };
}
