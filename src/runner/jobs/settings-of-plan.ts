import type { Instrument } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import { settingsOf, valuesOf } from '../bots/bot-settings.ts';
import { withCosts } from './portfolio-costs.ts';

/** The settings that a plan takes. */
export type SettingsTaken = Pick<BotOfBacktest, 'values' | 'parameters'> & Partial<Pick<BotOfBacktest, 'leverageMode'>>;

/** What a plan is asked for with. */
export interface PlanTerms {
  exchangeId: string;
  plan: PortfolioPlan;
  bot: SettingsTaken | null; // of a bot or of before; null: those of the strategy as they are
  stakeAmount: string; // for each trade
}

/** What a plan is traded and computed with. Slippage is a part of what each fill costs, like a fee. */
export function settingsOfPlan(
  { exchangeId, plan, bot: own, stakeAmount }: PlanTerms,
  terms: StrategyView,
  strategy: KnownStrategy,
  instrument: Pick<Instrument, 'takerFee' | 'makerFee'>,
): { parameters: ParameterValues; settings: TradingSettings; uncosted: TradingSettings; slippageShare: number } {
  const { parameters, ...values } =
    own === null ? valuesOf({ ownSettings: {} }, terms, strategy) : { ...own.values, parameters: own.parameters };
  const bot = {
    exchangeId,
    marketType: plan.trading_mode,
    leverage: String(plan.leverage),
    leverageMode: own?.leverageMode ?? ('isolated' as const),
    stakeAmount,
    maxOpenTrades: plan.max_open_trades,
    startingBalance: String(plan.starting_balance),
  };
  const uncosted = settingsOf(bot, { ...values, timeframe: plan.timeframe as Timeframe }, strategy);
  return { parameters, uncosted, ...withCosts(uncosted, plan, instrument) };
}
