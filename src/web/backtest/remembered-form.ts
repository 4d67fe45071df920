import { backtestDays, backtestTimeframes, tradingModes } from '#contract/backtests.ts';
import type { BacktestForm } from './backtest-form.ts';
import { formAtStart } from './backtest-form.ts';

const key = 'backtest-form';

/** Keeps the form for the next visit. A browser that keeps nothing forgets it, and that is all. */
export function rememberForm(form: BacktestForm): void {
  try {
    localStorage.setItem(key, JSON.stringify(form));
  } catch {
    // full, or not allowed
  }
}

/** The form of the last visit; a field that is missing or not allowed is as at the start. */
export function recallForm(): BacktestForm {
  let kept: unknown = null;
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    // not allowed, or not JSON
  }
  return typeof kept === 'object' && kept !== null ? checkedForm(kept as Record<string, unknown>) : formAtStart;
}

function checkedForm(kept: Record<string, unknown>): BacktestForm {
  const text = (name: keyof BacktestForm): string | null => {
    const value = kept[name];
    return typeof value === 'string' && value.length <= 100 ? value : null;
  };
  const amount = (name: 'stakeAmount' | 'maxOpenTrades'): number | string => {
    const value = kept[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : (text(name) ?? formAtStart[name]);
  };
  return {
    strategyId: text('strategyId'),
    exchangeId: text('exchangeId'),
    symbol: text('symbol') ?? formAtStart.symbol,
    tradingMode: tradingModes.find((mode) => mode === kept['tradingMode']) ?? formAtStart.tradingMode,
    timeframe: backtestTimeframes.find((timeframe) => timeframe === kept['timeframe']) ?? formAtStart.timeframe,
    days: backtestDays.find((days) => days === kept['days']) ?? formAtStart.days,
    stakeAmount: amount('stakeAmount'),
    maxOpenTrades: amount('maxOpenTrades'),
  };
}
