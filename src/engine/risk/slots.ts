import type { TradingSettings } from '../settings/trading-settings.ts';

/** Whether all slots are taken; a limit of 0 or less is none. */
export function slotsFull(settings: TradingSettings, openCount: number): boolean {
  return settings.maxOpenTrades > 0 && openCount >= settings.maxOpenTrades;
}
