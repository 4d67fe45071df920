import type { CandleColumns } from '#engine/market/candle.ts';
import { copyColumns } from '#engine/market/candle.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { CandlesCompared } from '#engine/report/certificate/certificate-facts.ts';
import type { CertificateTask, SeriesOfDay } from './certificate-task.ts';

const fields = ['open', 'high', 'low', 'close', 'volume'] as const;

/** The stored candles beside those the bot saw. */
export interface SeenCandles {
  compared: CandlesCompared;
  seen: ReadonlyMap<SeriesOfDay, CandleColumns> | null; // as the bot saw them; null: no difference is known
}

/** Puts the candles that are kept with decisions beside the stored ones. A series whose decisions are of another length has none. */
export function compareCandles({ series, decisions, stretches, from, to }: CertificateTask): SeenCandles {
  const compared: CandlesCompared = { seen: 0, same: 0, differing: [], candles: 0 };
  const seen = new Map<SeriesOfDay, CandleColumns>();
  for (const each of series) {
    const { symbol, timeframe, candles } = each;
    const length = timeframeLengths[timeframe];
    const { openTime } = candles;
    compared.candles += firstAtOrAfter(openTime, to) - firstAtOrAfter(openTime, from);
    let corrected: CandleColumns | null = null;
    for (const decision of decisions) {
      const { candle, candleTime } = decision;
      if (candle === null || decision.symbol !== symbol) continue;
      if (stretches.length > 1 && !stretches.some((stretch) => stretch.timeframe === timeframe && isWithin(candleTime + length, stretch)))
        continue;
      const row = firstAtOrAfter(openTime, candleTime);
      if (openTime[row] !== candleTime) continue;
      const other = fields.filter((field, i) => candles[field][row] !== candle[i]);
      if (isWithin(candleTime + length, { from, to })) compared.seen += 1;
      if (other.length === 0) {
        if (isWithin(candleTime + length, { from, to })) compared.same += 1;
        continue;
      }
      compared.differing.push({ symbol, openTime: candleTime, fields: other });
      corrected ??= copyColumns(candles);
      for (const [i, field] of fields.entries()) corrected[field][row] = candle[i] ?? 0;
    }
    if (corrected !== null) seen.set(each, corrected);
  }
  return { compared, seen: seen.size === 0 ? null : seen };
}

/** A candle is decided about when it closes. */
function isWithin(closeTime: number, { from, to }: { from: number; to: number }): boolean {
  return closeTime >= from && closeTime < to;
}
