import { mkdirSync } from 'node:fs';
import { dayMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { openTimeBefore, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { candleKind, type SeriesKind } from '../candles/candle-folder.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { type CandleSource, downloadSeries } from './download-series.ts';
import { fundingTimeframe, ratesAsCandles } from '../candles/funding-files.ts';
import { writeMarketFacts } from '../candles/market-facts-file.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';
import { readTimeframe } from '../timeframe-name.ts';
import { readTimeRange } from '../time-range.ts';

const description = {
  name: 'download',
  summary: 'Fetches candle files for backtests; what is there already is not fetched again.',
  options: {
    exchange: { values: 'one', placeholder: 'ID', help: 'e.g. binance, or sandbox for the simulated market' },
    pairs: { values: 'several', placeholder: 'PAIR', help: 'e.g. BTC/USDT ETH/USDT' },
    timeframe: { values: 'several', placeholder: 'TIMEFRAME', help: 'one or more, e.g. 5m 1h (default 5m)' },
    days: { values: 'one', placeholder: 'N', help: 'how many days back (default 30)' },
    timerange: { values: 'one', placeholder: 'RANGE', help: '20250401-20250701, instead of --days' },
    'trading-mode': { values: 'one', placeholder: 'MODE', help: 'spot or futures (default spot)' },
    datadir: { values: 'one', placeholder: 'DIR', help: 'folder to write to' },
  },
  examples: ['npm run -s flotilla -- download --exchange sandbox --pairs BTC/USDT --timeframe 5m --days 90 --datadir DIR'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** What a download needs from its caller. */
export interface DownloadDependencies {
  sandboxUrl?: string | undefined; // of a simulated market that runs already; else one is started when it is wanted
  complain?: Say;
  drawBar?: ((text: string) => void) | null; // draws over its last text; null draws nothing
}

/**
 * Fetches candles of an exchange into a folder of files, as backtests read them; of futures also the funding rates, and
 * the mark prices they are paid on. Returns the exit code.
 *
 * Fails: ExchangeError, after what came in has been kept
 */
export async function downloadCommand(words: readonly string[], say: Say, dependencies: DownloadDependencies = {}): Promise<number> {
  return await exitCodeOf(say, dependencies.complain ?? complainToStandardError, async () => {
    const wish = readWish(words);
    mkdirs(wish.datadir);
    const stop = { aborted: false };
    const interrupt = (): void => void (stop.aborted = true);
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
    let sandbox: SandboxProcess | null = null;
    let market: MarketData | null = null;
    try {
      if (wish.exchange === 'sandbox' && dependencies.sandboxUrl === undefined) sandbox = await startSandboxProcess();
      const sandboxUrl = dependencies.sandboxUrl ?? sandbox?.url;
      const { createMarketData } = await import('#exchange/market-data.ts');
      market = createMarketData({
        exchangeId: wish.exchange,
        marketType: wish.marketType,
        ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
      });
      await download(market, wish, stop, say, dependencies.drawBar === undefined ? barOnStandardError() : dependencies.drawBar);
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await market?.close();
      await sandbox?.stop();
    }
    if (!stop.aborted) return 0;
    say('Interrupted. What was fetched is kept; run the same command to continue.');
    return 130;
  });
}

type Wish = ReturnType<typeof readWish>;

async function download(
  market: MarketData,
  wish: Wish,
  stop: { aborted: boolean },
  say: Say,
  drawBar: ((text: string) => void) | null,
): Promise<void> {
  const instruments = await Promise.all(wish.pairs.map((pair) => market.instrument(pair)));
  const unknown = wish.pairs.filter((_, i) => instruments[i] === null);
  if (unknown.length > 0) throw new CommandError(`${wish.exchange} has no ${wish.marketType} pair ${unknown.join(', ')}.`);
  writeMarketFacts(
    wish.datadir,
    wish.marketType,
    instruments.flatMap((instrument) => instrument ?? []),
  );
  const kind = candleKind(wish.marketType);
  for (const symbol of wish.pairs) {
    const series: Download[] = wish.timeframes.map((timeframe) => ({ timeframe, kind, name: timeframe, noun: 'candles', source: market }));
    if (wish.marketType === 'futures') series.push(...fundingDownloads(market));
    for (const { timeframe, kind, name, noun, source } of series) {
      if (stop.aborted) return;
      const length = timeframeLengths[timeframe];
      const [from, to] = [openTimeBefore(length, wish.from + length - 1), Math.min(wish.to, Date.now())];
      const onProgress = (fraction: number): void => drawBar?.(bar(`${symbol} ${name}`, fraction));
      const end = await downloadSeries(source, { folder: wish.datadir, symbol, timeframe, kind, from, to }, { onProgress, stop });
      drawBar?.('');
      say(`${symbol} ${name}: ${end.fetched} ${noun} fetched, ${end.total} in ${end.file}`);
    }
  }
}

/** One file of a pair that is to be fetched. */
interface Download {
  timeframe: Timeframe;
  kind: SeriesKind;
  name: string; // for people
  noun: string;
  source: CandleSource;
}

/** What a backtest needs to account for funding. */
function fundingDownloads(market: MarketData): Download[] {
  const timeframe = fundingTimeframe;
  const marks: CandleSource = { candles: (...range) => market.markCandles(...range) };
  return [
    { timeframe, kind: 'funding_rate', name: 'funding', noun: 'rates', source: ratesAsCandles(market) },
    { timeframe, kind: 'mark', name: `${timeframe} mark`, noun: 'candles', source: marks },
  ];
}

function readWish(words: readonly string[]) {
  const given = readOptions(words, description);
  const faults: string[] = [];
  const { exchange, pairs, datadir, days = '30', timerange, 'trading-mode': marketType = 'spot' } = given;
  if (exchange === undefined) faults.push('Which exchange? Give --exchange binance, or --exchange sandbox for the simulated market.');
  if (pairs === undefined) faults.push('Which pairs? Give --pairs BTC/USDT ETH/USDT.');
  if (datadir === undefined) faults.push('Which folder? Give --datadir DIR.');
  if (marketType !== 'spot' && marketType !== 'futures') faults.push(`--trading-mode must be spot or futures, and is ${marketType}.`);
  if (given.days !== undefined && timerange !== undefined) faults.push('Give --days or --timerange, not both.');
  if (!(Number(days) > 0)) faults.push(`--days must be a number above 0, and is "${days}".`);
  const timeframes = (given.timeframe ?? ['5m']).flatMap((name) => {
    try {
      return readTimeframe(name) ?? [];
    } catch (error) {
      faults.push(errorText(error));
      return [];
    }
  });
  let range = { from: Date.now() - Number(days) * dayMs, to: Infinity };
  try {
    const read = timerange === undefined ? null : readTimeRange(timerange);
    if (read !== null && read.from === null) faults.push('The time range of a download needs a start, for example 20250401-.');
    if (read !== null) range = { from: read.from ?? 0, to: read.to === null ? Infinity : read.to + 1 };
  } catch (error) {
    faults.push(errorText(error));
  }
  if (faults.length > 0 || exchange === undefined || pairs === undefined || datadir === undefined) throw new CommandError(faults);
  return { exchange, pairs, datadir, timeframes, marketType: marketType as 'spot' | 'futures', ...range };
}

function mkdirs(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new CommandError(`The folder ${folder} cannot be created (${errorText(error)}).`);
  }
}

function bar(name: string, fraction: number): string {
  const width = 30;
  const full = Math.round(fraction * width);
  return `${name.padEnd(20)} [${'#'.repeat(full)}${'.'.repeat(width - full)}] ${Math.floor(fraction * 100)} %`;
}

/** A line that is drawn over itself; on a terminal only. */
function barOnStandardError(): ((text: string) => void) | null {
  return process.stderr.isTTY ? (text) => void process.stderr.write(`\r\u001B[2K${text}`) : null;
}
