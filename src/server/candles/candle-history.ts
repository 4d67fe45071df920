import { texts } from '#contract/errors.ts';
import { packHistory } from '#contract/packed-history.ts';
import { mostWhatIfCandles } from '#contract/what-if.ts';
import { fundingColumns } from '#engine/account/funding.ts';
import { dayMs } from '#engine/market/durations.ts';
import { candleOpenTime, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { downloadFailed } from '#storage/backtests/backtests.ts';
import { readFunding } from '#storage/candles/funding.ts';
import type { Handlers } from '../calls/call.ts';
import { HeldFile } from '../calls/held-file.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { storedHistory } from './stored-history.ts';

/** Candles before the range: the most that a strategy of rules may need. */
const warmUpCandles = 5_000;

/** Candles of a market for replays in the browser. What is missing is downloaded by a worker, while the call stays open. */
export function candleHistoryHandlers(dependencies: ServerDependencies): Pick<Handlers, 'candleHistory' | 'whatIfCandles'> {
  const { db, markets, now } = dependencies;
  const answers = new OneAtATime(); // each takes time, and memory until it has been sent: up to 48 MB

  const stored = storedHistory(dependencies);

  /** The market of a symbol that candles are asked of. Fails: 400, 404, 502 */
  const marketOf = async (query: { exchange: string; symbol: string; trading_mode: 'spot' | 'futures'; timeframe: Timeframe }) => {
    const { symbol, trading_mode: marketType, timeframe } = query;
    const exchange = markets.find(query.exchange);
    if (exchange === undefined) throw new HttpError(404, 'Exchange not found');
    const unreachable = (cause: unknown): never => {
      throw new HttpError(502, downloadFailed, { cause });
    };
    const market = await markets.market(exchange.id, marketType).catch(unreachable);
    if (!market.timeframes.includes(timeframe)) throw new HttpError(400, 'Invalid timeframe');
    const instrument = await market.instrument(symbol).catch(unreachable);
    if (instrument === null) throw new HttpError(404, 'Trading pair not found');
    return { instrument, series: { exchangeId: exchange.id, marketType, symbol, timeframe } };
  };

  /** Packs the candles of a range with those before it. Fails: as `stored` */
  const packed = async (
    { instrument, series }: Awaited<ReturnType<typeof marketOf>>,
    { from, to, warmUp }: { from: number; to: number; warmUp: number },
    isGone: () => boolean,
  ): Promise<Buffer> => {
    if (isGone()) throw new HttpError(400, texts.invalidRequest); // while an earlier answer was being sent
    const paid = series.marketType === 'futures' ? { from, to } : null;
    const span = { from: Math.max(0, from - warmUp * timeframeLengths[series.timeframe]), to };
    const candles = await stored({ series, candles: span, funding: paid }, isGone);
    const funding = paid === null ? null : fundingColumns(await readFunding(db, series, paid));
    return Buffer.from(packHistory({ instrument, from, to, candles, funding }).buffer);
  };

  /** Makes an answer when its turn has come; the next of this person comes when it has been sent. */
  const inTurn = async (person: string, make: () => Promise<Buffer>): Promise<HeldFile> => {
    const { made, free } = await answers.hold(person, make);
    return new HeldFile('candles.bin', made, free);
  };

  return {
    async candleHistory({ caller, query, isGone }) {
      const market = await marketOf(query);
      return inTurn(caller.id, async () => {
        const to = candleOpenTime(query.timeframe, now().getTime());
        return packed(market, { from: to - query.days * dayMs, to, warmUp: warmUpCandles }, isGone);
      });
    },

    async whatIfCandles({ caller, query, isGone }) {
      const { timeframe, from, to, warm_up: warmUp } = query;
      const length = timeframeLengths[timeframe];
      const isRange =
        from < to && to <= now().getTime() && candleOpenTime(timeframe, from) === from && candleOpenTime(timeframe, to) === to;
      if (!isRange || (to - from) / length + warmUp > mostWhatIfCandles) throw new HttpError(400, 'Invalid data period');
      const market = await marketOf(query);
      return inTurn(caller.id, () => packed(market, { from, to, warmUp }, isGone));
    },
  };
}
