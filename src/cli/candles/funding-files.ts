import type { FundingEvents, TimedValues } from '#engine/account/funding.ts';
import { joinFunding } from '#engine/account/funding.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { readSeries } from './candle-folder.ts';
import { CommandError } from '../command-error.ts';
import { minuteText } from '#engine/market/minute-text.ts';

/** The timeframe that stands in the names of funding and mark files; payments are made on full hours. */
export const fundingTimeframe = '1h';

/** The funding rates of an exchange in the shape of candles, as freqtrade keeps them: the rate is the open. */
export function ratesAsCandles(market: Pick<MarketData, 'funding'>): Pick<MarketData, 'candles'> {
  return {
    async candles(symbol, _timeframe, from, to, stop) {
      const events = await market.funding(symbol, from, to, stop);
      return events.map(({ time, rate }) => ({ openTime: time, open: rate, high: 0, low: 0, close: 0, volume: 0 }));
    },
  };
}

/** The funding of a perpetual in a stretch of time, out of its files of rates and mark prices; none, with a note, where they are missing. */
export async function loadFunding(
  folder: string,
  symbol: string,
  configuredRate: number | null,
  range: { from: number; to: number },
): Promise<{ events: FundingEvents | null; notes: string[] }> {
  const rates = await readSeries({ folder, symbol, timeframe: fundingTimeframe, kind: 'funding_rate' });
  const marks = await readSeries({ folder, symbol, timeframe: fundingTimeframe, kind: 'mark' });
  if (marks === null || (rates === null && configuredRate === null)) {
    const missing = [...(rates === null ? ['1h-funding_rate'] : []), ...(marks === null ? ['1h-mark'] : [])].join(' and no ');
    return { events: null, notes: [`${symbol}: no funding is paid, because there is no ${missing} file.`] };
  }
  const none: TimedValues = { time: new Float64Array(), value: new Float64Array() };
  const prices = { ...opens(marks.candles, symbol), stepMs: timeframeLengths[fundingTimeframe] };
  const events = joinFunding(rates === null ? none : opens(rates.candles, symbol), prices, configuredRate, range);
  return { events, notes: [...(rates?.notes ?? []), ...marks.notes] };
}

/** Times, opens and closes, sorted, each time once; a rate may be negative, so it is checked here and not as a price. */
function opens({ openTime, open, close }: CandleColumns, symbol: string): TimedValues & { close: Float64Array } {
  const rows = Array.from(openTime, (time, i) => ({ time, value: open[i]!, close: close[i]! })).sort((a, b) => a.time - b.time);
  const kept = rows.filter(({ time }, i) => i === 0 || time !== rows[i - 1]!.time);
  const broken = kept.find(({ time, value }) => !Number.isFinite(time) || !Number.isFinite(value));
  if (broken !== undefined)
    throw new CommandError(`${symbol}: the funding rate or mark price of ${minuteText(broken.time)} is not a number.`);
  return {
    time: Float64Array.from(kept, ({ time }) => time),
    value: Float64Array.from(kept, ({ value }) => value),
    close: Float64Array.from(kept, (row) => row.close),
  };
}
