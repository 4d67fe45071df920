import { hourMs, minuteMs } from '../market/durations.ts';
import type { Trade } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import { withoutQuirks } from '../risk/quirks.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { BacktestResult } from './backtest-result.ts';
import { newBalanceCurve, unnoted } from './balance-curve.ts';
import { entryCounts, type UnseenSignals, unseenSignals } from './entry-counts.ts';
import { newEntryLog } from './entry-log.ts';
import { closeWhatIsOpen } from './force-exit.ts';
import { entryCalendar, type EntryCalendar, type Frame, frameOf, hasDetail, marketChange } from './frame.ts';
import type { BacktestInput, BacktestPair } from './input.ts';
import { checkCandlesOf, checkSignalsOf } from './input.ts';
import { newRow, runLoop } from './loop.ts';
import type { RunStart } from './run-start.ts';
import { addHeld, noteWallet, type Run, walletNow } from './run.ts';

/** What is the same in many runs over the same candles. */
export type PreparedInput = Omit<BacktestInput, 'settings' | 'callbacks' | 'quirksOff' | 'mostRefusedListed' | 'onProgress' | 'watch'>;

/** What may differ from run to run besides the settings. */
export type RunChoices = Pick<BacktestInput, 'callbacks' | 'quirksOff' | 'mostRefusedListed' | 'onProgress' | 'watch'> & {
  withoutBalance?: boolean; // nobody asks for the balance by day and candle: the result has none
  start?: RunStart; // what there is before the first candle; nothing unless given
  staysOpen?: boolean; // the end of the candles closes nothing and forbids no entry: what is held is among the unclosed trades
};

/** When there are signals to enter. */
interface SignalTimes {
  calendar: EntryCalendar;
  unseen: UnseenSignals[];
}

/**
 * Candles and signals that have been checked and laid on one axis, to be run with any number of settings: a study of thousands of runs
 * pays for that once.
 *
 * Fails: as `backtest`
 */
export class PreparedBacktest {
  readonly #input: PreparedInput;
  readonly #frame: Frame;
  readonly #marketChange: number;
  readonly #signals = new Map<boolean, SignalTimes>(); // by whether shorts are possible

  constructor(input: PreparedInput, sameCandles: PreparedBacktest | null = null) {
    this.#input = input;
    if (sameCandles === null) checkCandlesOf(input);
    checkSignalsOf(input.pairs);
    if (sameCandles === null) {
      this.#frame = frameOf(input);
      this.#marketChange = marketChange(this.#frame);
      return;
    }
    const signalsOf = new Map(input.pairs.map(({ instrument, signals }) => [instrument.symbol, signals]));
    const { pairs, ...axis } = sameCandles.#frame;
    // A pair without a candle in the range is in no frame; every other has its signals.
    this.#frame = { ...axis, pairs: pairs.map((pair) => ({ ...pair, signals: signalsOf.get(pair.instrument.symbol) ?? pair.signals })) };
    this.#marketChange = sameCandles.#marketChange;
  }

  /** The same candles with other signals, pair by pair in the same order. */
  withSignals(signals: readonly BacktestPair['signals'][]): PreparedBacktest {
    if (signals.length !== this.#input.pairs.length)
      throw new RangeError(`There are signals for ${signals.length} pairs, and ${this.#input.pairs.length} pairs.`);
    const pairs = this.#input.pairs.map((pair, i) => ({ ...pair, signals: signals[i] }));
    return new PreparedBacktest({ ...this.#input, pairs }, this);
  }

  /** Runs settings over it. Fails: RangeError for a quirk that cannot be switched off */
  run(settings: TradingSettings, choices: RunChoices = {}): BacktestResult {
    const input = this.#input;
    const { start, staysOpen = false } = choices;
    const quirksOff = [...(choices.quirksOff ?? [])];
    const frame: Frame = { ...this.#frame, pairs: this.#frame.pairs.map((pair) => ({ ...pair, held: [], fate: null, facts: null })) };
    const run: Run = {
      rules: {
        settings,
        callbacks: choices.callbacks ?? {},
        quirks: withoutQuirks(quirksOff),
        timeframeMinutes: input.timeframeMs / minuteMs,
      },
      timeframeMs: input.timeframeMs,
      fundingTimeframeMs: input.fundingTimeframeMs ?? hourMs,
      pairs: frame.pairs,
      pairOf: new Map(frame.pairs.map((pair) => [pair.instrument.symbol, pair])),
      // One fee for all: the worst of the first pair, unless configured.
      feeRatio: settings.fee ?? Math.max(input.pairs[0].instrument.takerFee, input.pairs[0].instrument.makerFee),
      endTime: staysOpen ? Infinity : frame.endTime,
      open: [],
      openTrades: [],
      closed: [...(start?.closed ?? [])],
      closedProfit: start?.closedProfit ?? 0,
      notedFree: settings.startingBalance,
      locks: [...(start?.locks ?? [])],
      counters: {
        rejectedSignals: 0,
        timedOutEntryOrders: 0,
        timedOutExitOrders: 0,
        cancelledTradeEntries: 0,
        cancelledEntryOrders: 0,
        replacedEntryOrders: 0,
      },
      entries: newEntryLog(choices.mostRefusedListed),
      nextTradeId: 1,
      nextOrderId: 1,
    };
    const firstId = hold(run, start?.trades ?? []);
    const balance = choices.withoutBalance === true ? unnoted : newBalanceCurve(settings.startingBalance);
    choices.watch?.({ openTrades: () => run.openTrades, closedTrades: () => run.closed, wallet: () => walletNow(run) });
    const { calendar, unseen } = this.#signalTimes(settings.canShort);
    runLoop(run, frame, calendar, balance, {
      hasDetail: frame.pairs.some(hasDetail),
      detailMs: input.detailTimeframeMs ?? input.timeframeMs,
      onProgress: choices.onProgress ?? (() => undefined),
    });
    if (!staysOpen) closeWhatIsOpen(run, frame, newRow());
    const trades = start === undefined ? run.closed : run.closed.slice(start.closed.length);
    let unfilled = run.nextTradeId - firstId;
    for (const { id } of trades) if (id >= firstId) unfilled -= 1;
    for (const { id } of run.openTrades) if (id >= firstId) unfilled -= 1;

    return {
      mode: quirksOff.length === 0 ? 'parity' : 'realistic',
      quirksOff,
      startTime: frame.startTime,
      endTime: frame.endTime,
      startingBalance: settings.startingBalance,
      feeRatio: run.feeRatio,
      finalBalance: walletOf(settings, run.closedProfit, run.openTrades).free,
      trades,
      unclosedTrades: run.openTrades,
      counters: run.counters,
      entries: entryCounts(run.entries, unseen, unfilled),
      marketChange: this.#marketChange,
      dailyBalance: balance.finish(frame.endTime),
    };
  }

  #signalTimes(canShort: boolean): SignalTimes {
    let times = this.#signals.get(canShort);
    if (times === undefined) {
      const unseen = this.#frame.pairs.map((pair) => unseenSignals(pair, canShort, this.#input.timeframeMs));
      times = { calendar: entryCalendar(this.#frame, canShort), unseen };
      this.#signals.set(canShort, times);
    }
    return times;
  }
}

/** Begins a run with open trades, in their sequence, after those that are closed; returns the id of the first trade that the run makes itself. */
function hold(run: Run, trades: readonly Trade[]): number {
  for (const trade of trades) {
    const pair = run.pairOf.get(trade.symbol);
    if (pair === undefined) throw new RangeError(`The run begins with a trade of ${trade.symbol}, which is none of its pairs.`);
    addHeld(run, { trade, pair, isWatched: true, quietRate: 0, quietUntil: 0, trailedRate: 0 });
  }
  run.nextTradeId = Math.max(0, ...[...run.closed, ...trades].map(({ id }) => id)) + 1;
  noteWallet(run);
  return run.nextTradeId;
}
