import { dayMs, minuteMs } from '../market/durations.ts';
import { tradableAtStart } from '../account/wallet.ts';
import type { Trade } from '../account/trade.ts';
import type { Protection } from '../settings/protection.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { Direction } from '../market/direction.ts';
import type { Lock } from './locks.ts';
import { activeLock, nextBoundary } from './locks.ts';

/** What protections evaluate. */
export interface ProtectionView {
  settings: TradingSettings;
  timeframeMs: number;
  closedTrades: readonly Trade[]; // in closing order
  closedProfit: number; // of all closed trades, also of those no longer in the list
  locks: readonly Lock[];
}

/** The locks that an exit of `symbol` at `time` brings about: first those of the pair, then those of everything. */
export function locksAfterExit(view: ProtectionView, symbol: string, direction: Direction, time: number): Lock[] {
  const added: Lock[] = [];
  for (const scope of [symbol, '*']) {
    for (const protection of view.settings.protections) {
      const found = examine(protection, view, scope, direction, time);
      if (found === null) continue;
      const until = lockEnd(protection, found.trades, view.timeframeMs);
      // A lock that already outlasts this one makes it superfluous.
      if (activeLock([...view.locks, ...added], scope, found.side, until) !== null) continue;
      added.push({ symbol: scope, side: found.side, endTime: nextBoundary(until, view.timeframeMs), reason: protection.kind });
    }
  }
  return added;
}

interface Finding {
  trades: Trade[];
  side: Direction | '*';
}

/** What a protection objects to, for one pair or (scope '*') for all. */
function examine(protection: Protection, view: ProtectionView, scope: string, direction: Direction, time: number): Finding | null {
  const isGlobal = scope === '*';
  switch (protection.kind) {
    case 'cooldown': {
      if (isGlobal) return null;
      const last = recentTrades(protection, view, scope, time).at(-1);
      return last === undefined ? null : { trades: [last], side: '*' };
    }
    case 'stoploss-guard': {
      if (isGlobal && protection.onlyPerPair === true) return null;
      const limit = protection.requiredProfit ?? 0;
      let trades = recentTrades(protection, view, scope, time).filter(
        (trade) => isStop(trade.exitReason) && trade.profitRatio !== null && trade.profitRatio !== 0 && trade.profitRatio < limit,
      );
      if (protection.onlyPerSide === true) trades = trades.filter((trade) => trade.direction === direction);
      if (trades.length < (protection.tradeLimit ?? 10)) return null;
      return { trades, side: protection.onlyPerSide === true ? direction : '*' };
    }
    case 'low-profit': {
      if (isGlobal) return null;
      const trades = recentTrades(protection, view, scope, time);
      if (trades.length < (protection.tradeLimit ?? 1)) return null;
      let profit = 0;
      for (const trade of trades) {
        if (protection.onlyPerSide !== true || trade.direction === direction) profit += trade.profitRatio ?? 0;
      }
      if (profit >= (protection.requiredProfit ?? 0)) return null;
      return { trades, side: protection.onlyPerSide === true ? direction : '*' };
    }
    case 'max-drawdown': {
      if (!isGlobal) return null;
      const trades = recentTrades(protection, view, scope, time);
      if (trades.length < (protection.tradeLimit ?? 1)) return null;
      const drop = protection.mode === 'equity' ? equityDrop(trades, view) : ratioDrop(trades);
      return drop > protection.maxAllowedDrawdown ? { trades, side: '*' } : null;
    }
  }
}

/** Closed trades of the scope within the look-back, in closing order. */
function recentTrades(protection: Protection, view: ProtectionView, scope: string, time: number): Trade[] {
  const since = time - spanMs(protection.lookbackMinutes, protection.lookbackCandles, view.timeframeMs);
  const found: Trade[] = [];
  for (let i = view.closedTrades.length - 1; i >= 0; i--) {
    const trade = view.closedTrades[i];
    if ((trade.closeTime ?? 0) <= since) break;
    if (scope === '*' || trade.symbol === scope) found.push(trade);
  }
  return found.reverse();
}

function spanMs(minutes: number | undefined, candles: number | undefined, timeframeMs: number): number {
  return candles === undefined ? (minutes ?? 60) * minuteMs : candles * timeframeMs;
}

function isStop(reason: string | null): boolean {
  return reason === 'stop_loss' || reason === 'trailing_stop_loss' || reason === 'stoploss_on_exchange' || reason === 'liquidation';
}

function lockEnd(protection: Protection, trades: readonly Trade[], timeframeMs: number): number {
  let last = 0;
  for (const trade of trades) last = Math.max(last, trade.closeTime ?? 0);
  if (protection.unlockAt === undefined) return last + spanMs(protection.stopMinutes, protection.stopCandles, timeframeMs);
  const [hours, minutes] = protection.unlockAt.split(':').map(Number);
  const unlockTime = Math.floor(last / dayMs) * dayMs + (hours * 60 + minutes) * minuteMs;
  return unlockTime < last ? unlockTime + dayMs : unlockTime;
}

/** The largest fall of the running sum of profit ratios. */
function ratioDrop(trades: readonly Trade[]): number {
  let sum = 0;
  let high = 0;
  let drop = 0;
  for (const trade of trades) {
    sum += trade.profitRatio ?? 0;
    high = Math.max(high, sum);
    drop = Math.max(drop, high - sum);
  }
  return drop;
}

/** The largest relative fall of the balance over these trades. */
function equityDrop(trades: readonly Trade[], view: ProtectionView): number {
  const recent = trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
  let balance = tradableAtStart(view.settings) + (view.closedProfit - recent);
  let high = balance;
  let drop = 0;
  for (const trade of trades) {
    balance += trade.profit ?? 0;
    high = Math.max(high, balance);
    if (high > 0) drop = Math.max(drop, (high - balance) / high);
  }
  return drop;
}
