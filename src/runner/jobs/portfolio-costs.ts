import type { Instrument } from '#engine/market/instrument.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';

/** The settings with the plan's stake, protections and costs. Slippage is a part of what each fill costs, like a fee. */
export function withCosts(
  settings: TradingSettings,
  { stake_amount, protections, fee_ratio, slippage_ratio }: PortfolioPlan,
  { takerFee, makerFee }: Pick<Instrument, 'takerFee' | 'makerFee'>,
): { settings: TradingSettings; slippageShare: number } {
  const fee = fee_ratio ?? Math.max(takerFee, makerFee);
  const cost = fee + slippage_ratio;
  return {
    settings: {
      ...settings,
      stakeAmount: stake_amount ?? 'unlimited',
      protections,
      fee: fee_ratio === null && slippage_ratio === 0 ? null : cost,
    },
    slippageShare: cost === 0 ? 0 : slippage_ratio / cost,
  };
}
