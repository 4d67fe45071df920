import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { certify } from '#engine/report/certificate/certificate.ts';
import type { CertifiedReplay } from '#engine/report/certificate/certificate-facts.ts';
import type { CertifiedDay } from '#engine/report/certificate/day-trade.ts';
import { candleKey } from '#engine/report/certificate/recorded-decision.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { CertificateTask, SeriesOfDay } from './certificate-task.ts';
import type { OpenStrategy } from './open-strategy.ts';
import { strategiesHere } from './open-strategy.ts';
import type { PythonFindings } from './python-on-day.ts';
import { notesOf, openPython, requireProof } from './python-proof.ts';
import { replayDay, rowsOf } from './replay-day.ts';
import { compareCandles } from './seen-candles.ts';

/**
 * Replays a day on the candles that are stored and, where they differ, on those the bot saw, and compares it with what the account made.
 *
 * Fails: as `backtest` and `strategyOfTask`; CannotReplay, and SeriesWanted for what a class in Python is to be given first
 */
export async function runCertificate(task: CertificateTask): Promise<CertifiedReplay> {
  const findings: PythonFindings = { notes: new Set(), unanswered: new Map(), kept: new Set() };
  const openHere = strategiesHere();
  const openStrategy: OpenStrategy = async (stretch, own, candlesOf) =>
    stretch.python === null ? openHere(stretch, own, candlesOf) : openPython(stretch, task, own, candlesOf, findings);
  const { compared, seen } = compareCandles(task);
  const onSeen = (series: SeriesOfDay): CandleColumns => seen?.get(series) ?? series.candles;
  const stored = await replayDay(task, openStrategy, ({ candles }) => candles);
  const asSeen = seen === null ? null : await replayDay(task, openStrategy, onSeen);
  const first = task.stretches.map(rowsOf).find((rows) => rows !== null);
  const certificate = certify({
    day: dayOf(task),
    firstCandleTime: first?.range.from ?? task.from,
    stored,
    seen: asSeen,
    trades: task.trades.map(({ trade }) => trade),
    unfilled: task.unfilled,
    decisions: task.decisions.filter((decision) => stored.flags.has(candleKey(decision))),
  });
  await requireProof(task, certificate.decisions.differing, asSeen ?? stored, onSeen, findings);
  return { certificate, candles: compared, lines: fingerprintLines(stored.trades), notes: notesOf(findings) };
}

/** The day with its first and last prices: of the shortest candles that there are of a pair. */
function dayOf({ from, to, series }: CertificateTask): CertifiedDay {
  const startPrices = new Map<string, number>();
  const endPrices = new Map<string, number>();
  for (const { symbol, candles } of series) {
    const first = firstAtOrAfter(candles.openTime, from);
    const last = firstAtOrAfter(candles.openTime, to) - 1;
    const start = candles.open[first] ?? candles.close[last];
    const end = candles.close[last];
    if (start !== undefined && !startPrices.has(symbol)) startPrices.set(symbol, start);
    if (end !== undefined && !endPrices.has(symbol)) endPrices.set(symbol, end);
  }
  const funding = new Map(series.flatMap((each) => (each.funding === null ? [] : [[each.symbol, each.funding] as const])));
  return { from, to, startPrices, endPrices, funding };
}
