import { profitRatio } from '../account/profit.ts';
import type { Trade } from '../account/trade.ts';
import { firstFillTime } from '../account/trade.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { PriceBar } from '../market/price-bar.ts';
import { tickBar } from '../market/price-bar.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Quirks } from './quirks.ts';
import type { RoiTarget } from './roi.ts';
import { roiExitRate, roiHit, roiTarget } from './roi.ts';
import type { StopKind } from './stops.ts';
import { adjustStop, stopExitRate, stopHit } from './stops.ts';

/** Why a trade should be left, with what its price depends on. */
export type ExitCandidate =
  | { kind: 'exit_signal' | 'custom_exit'; reason: string }
  | { kind: StopKind; reason: string; stoodBefore: boolean } // the bar has not itself moved what it hit
  | { kind: 'roi' | 'risk_reward'; reason: string; target: RoiTarget }
  | { kind: 'force_exit' | 'partial_exit' | 'emergency_exit'; reason: string };

const protective: Readonly<Record<ExitCandidate['kind'], boolean>> = {
  stop_loss: true,
  trailing_stop_loss: true,
  liquidation: true,
  emergency_exit: true,
  force_exit: true,
  exit_signal: false,
  custom_exit: false,
  roi: false,
  risk_reward: false,
  partial_exit: false,
};

/** Whether an exit limits a loss, or closes a trade in need: it is made although trading is halted, or the account differs. */
export function isProtective(kind: ExitCandidate['kind']): boolean {
  return protective[kind];
}

/** What the strategy says about the side of an open trade. */
export interface ExitFlags {
  enter: boolean; // it would enter this side
  exit: boolean; // it would leave this side
  exitTag: string | null;
}

/** What the exit rules need besides the trade and the bar. */
export interface ExitRules {
  settings: TradingSettings;
  callbacks: StrategyCallbacks;
  quirks: Quirks;
  timeframeMinutes: number;
}

/**
 * All reasons to leave a trade on this bar, the first to be tried first: signal, stop or liquidation, ROI, trailing stop.
 *
 * Moves the stop and notes the lowest and highest price on the way.
 */
export function exitCandidates(trade: Trade, bar: PriceBar, flags: ExitFlags, rules: ExitRules): ExitCandidate[] {
  const { settings, callbacks, quirks } = rules;
  const openProfit = profitRatio(trade, bar.open, bar.time);
  const bestProfit = profitRatio(trade, trade.direction === 'long' ? bar.high : bar.low, bar.time);
  trade.maxRate = Math.max(trade.maxRate, bar.high);
  trade.minRate = Math.min(trade.minRate, bar.low);

  // highMovesStopBeforeLow off: the worst price is tested against the stop of the bars before, then the best price moves it.
  const early = quirks.highMovesStopBeforeLow ? null : stopHit(trade, bar, quirks);
  const stop = trade.stop;
  if (early === null) adjustStop(trade, bar, bestProfit, settings, callbacks, quirks);
  const hit = quirks.highMovesStopBeforeLow ? stopHit(trade, bar, quirks) : (early ?? stopHit(trade, tickBar(bar.time, bar.close), quirks));
  // A trade that was entered on this very bar had nothing at its open that could be crossed.
  const wasHeld = firstFillTime(trade) < bar.time;

  // The strategy is asked for its ROI before it is asked whether to leave.
  const ignoresRoi = flags.enter && settings.ignoreRoiIfEntrySignal;
  const roi = ignoresRoi ? null : roiHit(trade, bar.time, bestProfit, settings, callbacks);
  const candidates: ExitCandidate[] = [];
  if (settings.useExitSignal) {
    const signal = signalExit(trade, bar, openProfit, flags, settings, callbacks);
    if (signal !== null) candidates.push(signal);
  }
  // A stop that moves trails, so one that does not trail was there at the open.
  if (hit === 'stop_loss' || hit === 'liquidation') candidates.push({ kind: hit, reason: hit, stoodBefore: wasHeld });
  if (roi !== null) candidates.push({ kind: roi.reason, reason: roi.reason, target: roi.target });
  if (hit === 'trailing_stop_loss') candidates.push({ kind: hit, reason: hit, stoodBefore: wasHeld && trade.stop === stop });
  return candidates;
}

function signalExit(
  trade: Trade,
  bar: PriceBar,
  openProfit: number,
  flags: ExitFlags,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
): ExitCandidate | null {
  if (flags.exit && !flags.enter) {
    if (settings.exitProfitOnly && !(openProfit > settings.exitProfitOffset)) return null;
    return { kind: 'exit_signal', reason: flags.exitTag === null || flags.exitTag === '' ? 'exit_signal' : flags.exitTag };
  }
  const reason = callbacks.customExit?.({ trade, time: bar.time, price: bar.open, profitRatio: openProfit }) ?? null;
  if (reason === null) return null;
  return { kind: 'custom_exit', reason: reason === '' ? 'custom_exit' : reason.slice(0, 255).toWellFormed() };
}

/** The price of an exit, before it is rounded to the tick; null when this bar forbids the exit. */
export function exitPrice(trade: Trade, candidate: ExitCandidate, bar: PriceBar, rules: ExitRules): number | null {
  const { settings, callbacks, quirks } = rules;
  switch (candidate.kind) {
    case 'stop_loss':
    case 'trailing_stop_loss':
    case 'liquidation':
      return stopExitRate(trade, candidate, bar, settings, callbacks, quirks);
    case 'roi':
    case 'risk_reward':
      return roiExitRate(trade, targetNow(trade, candidate, bar, rules), bar, rules.timeframeMinutes, quirks);
    case 'exit_signal':
    case 'custom_exit':
    case 'partial_exit': {
      if (settings.orderTypes.exit !== 'limit') return bar.open;
      const proposedPrice = bar.open;
      const asked = callbacks.exitPrice?.({
        trade,
        time: bar.time,
        proposedPrice,
        profitRatio: profitRatio(trade, proposedPrice, bar.time),
        reason: candidate.reason,
      });
      const price = asked ?? proposedPrice;
      return trade.direction === 'long' ? Math.max(price, bar.low) : Math.min(price, bar.high);
    }
    case 'force_exit':
    case 'emergency_exit':
      return bar.open;
  }
}

/** The target of a ROI exit when it is priced: the strategy is asked for its own again. Null when there is none any more. */
function targetNow(
  trade: Trade,
  { kind, target }: { kind: 'roi' | 'risk_reward'; target: RoiTarget },
  bar: PriceBar,
  rules: ExitRules,
): RoiTarget | null {
  return kind === 'risk_reward' ? target : roiTarget(trade, bar.time, rules.settings, rules.callbacks);
}
