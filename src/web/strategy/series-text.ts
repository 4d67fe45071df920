import type { CallReply } from '#contract/client.ts';

/** The candles that a strategy reads beside its own, e.g. "1h, BTC/USDT, {base}/BTC 4h"; "nothing" when it reads none. */
export function seriesText(series: CallReply<'strategyDetails'>['series']): string {
  return series.map(({ symbol, timeframe }) => [symbol, timeframe].filter((part) => part !== null).join(' ')).join(', ') || 'nothing';
}
