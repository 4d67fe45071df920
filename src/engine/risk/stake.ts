import type { Wallet } from '../account/wallet.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Quirks } from './quirks.ts';

/** The stake a new trade should have, from the wallet; null when there is not enough. */
export function proposedStake(settings: TradingSettings, wallet: Wallet): number | null {
  const { available } = wallet;
  let stake = wantedStake(settings, wallet);
  if (settings.amendLastStakeAmount) {
    stake = available > stake * settings.lastStakeAmountMinRatio ? Math.min(stake, available) : 0;
  }
  return available < stake ? null : Math.max(stake, 0);
}

/** The stake the settings ask for, before the wallet has its say. */
export function wantedStake(settings: TradingSettings, { available, tied }: Wallet): number {
  if (settings.stakeAmount !== 'unlimited') return settings.stakeAmount;
  return settings.maxOpenTrades === 0 ? 0 : Math.min((available + tied) / settings.maxOpenTrades, available);
}

/**
 * The smallest stake the instrument allows, with a reserve so that an exit at the stop is still allowed; 0 for no limit.
 *
 * `stopRatio` is the distance of the stop that the reserve is made for. costLimitsTimesContractSize: a limit of the cost is taken as one in
 * contracts, although it is in quote currency.
 */
export function minStake(
  instrument: Instrument,
  price: number,
  stopRatio: number,
  leverage: number,
  settings: TradingSettings,
  quirks: Quirks,
): number {
  const reserve = 1 + settings.amountReserveRatio;
  const distance = Math.abs(stopRatio);
  const stopReserve = Math.max(Math.min(reserve / (1 - distance), 1.5), 1);
  const minCost = quirks.costLimitsTimesContractSize ? instrument.minCost * instrument.contractSize : instrument.minCost;
  return Math.max(minCost * stopReserve, instrument.minAmount * price * reserve) / leverage;
}

/** The largest stake the instrument allows; Infinity for no limit. costLimitsTimesContractSize as for the smallest. */
export function maxStake(instrument: Instrument, price: number, leverage: number, settings: TradingSettings, quirks: Quirks): number {
  if (settings.largestStakeRule === 'last-tier') return (instrument.leverageTiers.at(-1)?.maxNotional ?? Infinity) / leverage;
  const maxCost = quirks.costLimitsTimesContractSize ? instrument.maxCost * instrument.contractSize : instrument.maxCost;
  let limit = Math.min(maxCost, instrument.maxAmount * price);
  let tierLimit: number | null = null;
  for (const tier of instrument.leverageTiers) {
    if (tier.maxLeverage >= leverage) tierLimit = Math.max(tierLimit ?? 0, tier.maxNotional);
  }
  if (tierLimit !== null) limit = Math.min(limit, tierLimit);
  return limit / leverage;
}

/**
 * The stake after the limits: raised to the minimum if that is within 30 per cent, lowered to what is allowed.
 * Null when no stake fits. `tiedInTrade` is the stake a trade already has, for a further entry; 0 for a first one.
 */
export function fitStake(stake: number, limits: { min: number; max: number; available: number; tiedInTrade: number }): number | null {
  if (!(stake > 0)) return null;
  const allowed = Math.min(limits.max - limits.tiedInTrade, limits.available);
  if (limits.min > allowed || stake * 1.3 < limits.min) return null;
  return Math.min(Math.max(stake, limits.min), allowed);
}
