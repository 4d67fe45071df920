import { minuteMs } from '#engine/market/durations.ts';
import type { FleetBot } from './joined-fleet.ts';

/** Prices may stand still for so long while bots run before it is shown, in ms. */
export const pricesLateAfterMs = minuteMs;

/** The age of the newest price a bot has seen, in ms; null for a bot that needs none or has seen none. */
export function priceAge({ status, last_tick_at: at }: Pick<FleetBot, 'status' | 'last_tick_at'>, now: number): number | null {
  return status === 'stopped' || at === null ? null : Math.max(0, now - Date.parse(at));
}

/** Whether the prices of a bot are older than they should be. */
export function isLate(bot: Pick<FleetBot, 'status' | 'last_tick_at'>, now: number): boolean {
  return (priceAge(bot, now) ?? 0) > pricesLateAfterMs;
}
