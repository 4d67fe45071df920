import type { CallReply } from '#contract/client.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { startupOn } from '#engine/strategy/series.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { knownStrategy } from '#strategies/known-strategy.ts';
import { newestBacktestOf } from '#storage/backtests/backtests.ts';
import { figuresOf, unreadable } from '../backtests/backtest-rows.ts';
import type { Handlers } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { seenStrategy } from '../calls/seen-strategy.ts';

type Details = CallReply<'strategyDetails'>;

/** What a strategy says of itself, beside how its last backtest went. */
export function strategyDetailsHandlers({ db, markets }: ServerDependencies): Pick<Handlers, 'strategyDetails'> {
  const lastBacktest = async (strategyId: string, ownerId: string | null): Promise<Details['last_backtest']> => {
    const run = await newestBacktestOf(db, strategyId, ownerId);
    const figures = run === null ? null : figuresOf(run);
    // One that another version has kept and this one cannot read is as good as none.
    if (run === null || run.finishedAt === null || figures === null || figures === unreadable) return null;
    const { metrics, equity } = figures;
    return {
      id: run.id,
      finished_at: run.finishedAt.toISOString(),
      exchange: markets.find(run.exchangeId)?.name ?? run.exchangeId,
      symbol: run.symbol,
      trading_mode: run.tradingMode,
      timeframe: run.timeframe,
      days: run.days,
      net_pnl: metrics.net_pnl,
      profit_ratio: metrics.net_pnl / (Number(run.stakeAmount) * run.maxOpenTrades),
      total_trades: metrics.total_trades,
      win_rate: metrics.win_rate,
      equity,
    };
  };

  return {
    async strategyDetails({ caller, params }) {
      const { id, className, codeDescription } = await seenStrategy(db, caller, params.id);
      const last_backtest = await lastBacktest(id, caller.role === 'admin' ? null : caller.id);
      return { ...declarationOf(className, codeDescription), last_backtest };
    },
  };
}

/** The timeframe that a version suggests; of what is part of the program nothing depends on it. */
function timeframeOf(description: StrategyView['codeDescription']): Timeframe {
  return (description?.['defaults'] as { timeframe?: Timeframe } | undefined)?.timeframe ?? '5m';
}

/** What the class declares; a class that this version does not have says nothing. */
export function declarationOf(className: string, description: StrategyView['codeDescription']): Omit<Details, 'last_backtest'> {
  const strategy = knownStrategy(className, description);
  if (strategy === null) return { kind: '', can_short: false, startup_candles: 0, series: [], loses_when: '', parameters: [] };
  return {
    kind: strategy.kind,
    can_short: strategy.canShort,
    startup_candles: startupOn(strategy, timeframeOf(description)),
    series: (strategy.series ?? []).map(({ symbol = null, timeframe = null, startupCandles = 0 }) => ({
      symbol,
      timeframe,
      startup_candles: startupCandles,
    })),
    loses_when: strategy.losesWhen,
    parameters: Object.entries(strategy.parameters).map(([name, { meaning, default: value, min, max, step, unit = '' }]) => ({
      name,
      meaning,
      default: value,
      min,
      max,
      step,
      unit,
    })),
  };
}
