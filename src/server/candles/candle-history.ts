import { setTimeout as sleep } from 'node:timers/promises';
import { texts } from '#contract/errors.ts';
import { packHistory } from '#contract/packed-history.ts';
import { fundingColumns } from '#engine/account/funding.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { downloadFailed } from '#storage/backtests/backtests.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import { DamagedChunk, missingSpans, mostDamaged } from '#storage/candles/candle-chunks.ts';
import type { CandleDownload } from '#storage/candles/download-jobs.ts';
import { missingFunding, readFunding } from '#storage/candles/funding.ts';
import type { Handlers } from '../calls/call.ts';
import { FileAnswer } from '../calls/file-answer.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** Candles before the range: the most that a strategy of rules may need. */
const warmUpCandles = 5_000;

const lookMs = 250;

/** How long somebody waits for a download at most. */
const longestMs = 20 * minuteMs;

/** Candles of a market for replays in the browser. What is missing is downloaded by a worker, while the call stays open. */
export function candleHistoryHandlers(dependencies: ServerDependencies): Pick<Handlers, 'candleHistory'> {
  const { db, markets, now } = dependencies;
  const answers = new OneAtATime(); // each takes memory and time

  /** Sees to it that the history is stored. Fails: 502 when it cannot be downloaded, 400 when nobody waits any more */
  const fetchMissing = async (history: CandleDownload, isGone: () => boolean): Promise<void> => {
    const until = Date.now() + longestMs;
    for (;;) {
      if (await isStored(history)) return;
      const jobs = await dependencies.jobs();
      const { id, isJoined } = await jobs.askForCandles(history);
      let state = await jobs.downloadState(id);
      for (; state === 'under way' || state === 'failed'; state = await jobs.downloadState(id)) {
        if (state === 'failed' || Date.now() > until) throw new HttpError(502, downloadFailed);
        if (isGone()) throw new HttpError(400, texts.invalidRequest); // the download continues for whoever else waits for it
        await sleep(lookMs);
      }
      // One for others may have been of another span; of its own, what is not there now does not exist.
      if (!isJoined && state === 'done') return; // one that was given up just now is asked for again
    }
  };

  /** The candles, downloaded where they are missing. A month that is damaged is removed by whoever finds it, and downloaded again. */
  const stored = async (history: CandleDownload, isGone: () => boolean): Promise<CandleColumns> => {
    for (let damaged = 0; ; damaged++) {
      await fetchMissing(history, isGone);
      try {
        return await loadCandles(db, null, history.series, history.candles);
      } catch (error) {
        if (!(error instanceof DamagedChunk) || damaged === mostDamaged) throw error;
      }
    }
  };

  const isStored = async ({ series, candles, funding }: CandleDownload): Promise<boolean> => {
    if ((await missingSpans(db, series, candles)).length > 0) return false;
    return funding === null || (await missingFunding(db, series, funding)).length === 0;
  };

  return {
    async candleHistory({ caller, query, isGone }) {
      const { symbol, trading_mode: marketType, timeframe, days } = query;
      const exchange = markets.find(query.exchange);
      if (exchange === undefined) throw new HttpError(404, 'Exchange not found');
      const unreachable = (cause: unknown): never => {
        throw new HttpError(502, downloadFailed, { cause });
      };
      const market = await markets.market(exchange.id, marketType).catch(unreachable);
      if (!market.timeframes.includes(timeframe)) throw new HttpError(400, 'Invalid timeframe');
      const instrument = await market.instrument(symbol).catch(unreachable);
      if (instrument === null) throw new HttpError(404, 'Trading pair not found');
      return answers.do(caller.id, async () => {
        const to = candleOpenTime(timeframe, now().getTime());
        const from = to - days * dayMs;
        const history: CandleDownload = {
          series: { exchangeId: exchange.id, marketType, symbol, timeframe },
          candles: { from: Math.max(0, from - warmUpCandles * timeframeLengths[timeframe]), to },
          funding: marketType === 'futures' ? { from, to } : null,
        };
        const { series, funding: paid } = history;
        const candles = await stored(history, isGone);
        const funding = paid === null ? null : fundingColumns(await readFunding(db, series, paid));
        return new FileAnswer('candles.bin', Buffer.from(packHistory({ instrument, from, to, candles, funding }).buffer));
      });
    },
  };
}
