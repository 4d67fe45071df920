import type { FundingEvents } from '#engine/account/funding.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { UnfilledEntry } from '#engine/report/certificate/certificate.ts';
import type { CertifiedReplay } from '#engine/report/certificate/certificate-facts.ts';
import type { RecordedDecision } from '#engine/report/certificate/recorded-decision.ts';
import type { StopMoves } from '#engine/report/certificate/trade-at.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { SeriesName, Words } from '#strategy-process/wire/python-load.ts';
import type { StrategyOfTask } from '../../strategy-of-task.ts';

/** A part of a day under the same settings. */
export interface Stretch extends StrategyOfTask {
  from: number; // ms; candles that open from here on are traded on
  to: number; // and before this
  symbols: readonly string[];
  settings: TradingSettings;
  parameters: ParameterValues;
  python: PythonOfStretch | null; // of a strategy in Python
}

/** What a class in Python is made with and shown in a stretch, as its bot had it: plain data. */
export interface PythonOfStretch {
  program: string; // the interpreter
  config: Words; // in freqtrade's words
  parameters: ParameterValues;
  exchangeId: string;
  marketType: MarketType;
  window: number; // closed candles that it is shown at each candle
  unannounced: readonly SeriesName[]; // series that it was seen to ask for when it was checked
  readsAccount: boolean;
}

/** The candles of a series that a class in Python reads besides those of the day, in shared memory. */
export interface SeriesBeside {
  name: SeriesName;
  candles: CandleColumns;
}

/** The candles of a pair in one length, warm-up included, in shared memory. */
export interface SeriesOfDay {
  symbol: string;
  timeframe: Timeframe;
  instrument: Instrument;
  candles: CandleColumns;
  funding: FundingEvents | null; // of perpetuals
}

/** A series with the candles it is to be replayed on. */
export type CandlesOf = (series: SeriesOfDay) => CandleColumns;

/** What the thread is given to certify a day: plain data. */
export interface CertificateTask {
  from: number; // the UTC day, ms
  to: number;
  stretches: readonly Stretch[]; // in their sequence, without gaps
  entriesFrom: number; // opening time of the first candle whose signals count; the bot did not run before
  entriesUntil: number; // and of the last one
  series: readonly SeriesOfDay[];
  beside: readonly SeriesBeside[]; // of strategies in Python; what they need more they say
  trades: readonly { trade: Trade; stopMoves: StopMoves }[]; // of the account
  closed: readonly Trade[]; // of before, that protections may still count
  closedProfit: number; // of all closed trades of before
  unfilled: readonly UnfilledEntry[];
  decisions: readonly RecordedDecision[]; // of the day and of the warm-up before it
}

/** What the thread answers: the certificate, what it lacks, or in a sentence why there is none; `mayPass`: later there may be one. */
export type CertificateResult =
  | { ok: true; replay: CertifiedReplay }
  | { ok: true; wanted: readonly SeriesName[] }
  | { ok: false; fault: string }
  | { ok: false; why: string; mayPass: boolean };
