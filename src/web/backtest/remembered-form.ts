import { backtestDays, backtestTimeframes, tradingModes } from '#contract/backtests.ts';
import type { BacktestForm } from './backtest-form.ts';
import { formAtStart, formWithoutBot } from './backtest-form.ts';
import { keep, kept } from '../ui/browser-memory.ts';

const key = 'backtest-form';

/** Keeps the form for the next visit, but for its bot: what that trades may have changed by then. */
export function rememberForm(form: BacktestForm): void {
  keep(key, formWithoutBot(form));
}

/** The form of the last visit; a field that is missing or not allowed is as at the start. */
export function recallForm(): BacktestForm {
  const form = kept(key);
  return form === null ? formAtStart : checkedForm(form);
}

function checkedForm(form: Record<string, unknown>): BacktestForm {
  const text = (name: keyof BacktestForm): string | null => {
    const value = form[name];
    return typeof value === 'string' && value.length <= 100 ? value : null;
  };
  const amount = (name: 'stakeAmount' | 'maxOpenTrades'): number | string => {
    const value = form[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : (text(name) ?? formAtStart[name]);
  };
  return {
    strategyId: text('strategyId'),
    exchangeId: text('exchangeId'),
    symbol: text('symbol') ?? formAtStart.symbol,
    tradingMode: tradingModes.find((mode) => mode === form['tradingMode']) ?? formAtStart.tradingMode,
    timeframe: backtestTimeframes.find((timeframe) => timeframe === form['timeframe']) ?? formAtStart.timeframe,
    days: backtestDays.find((days) => days === form['days']) ?? formAtStart.days,
    stakeAmount: amount('stakeAmount'),
    maxOpenTrades: amount('maxOpenTrades'),
    bot: null,
  };
}
