import type { Trade } from '#engine/account/trade.ts';
import { fromStoredTrade, StoredStateError } from '#engine/bot/stored-state.ts';

const known = new WeakMap<object, Trade | null>();

/**
 * The engine's trade as a runner has stored it; null when it cannot be read, which is a matter of the bot that trades it
 * and must not keep a page from being shown. Each is read once, however many prices it is asked with.
 */
export function engineTrade(stored: Readonly<Record<string, unknown>> | null): Trade | null {
  if (stored === null) return null;
  const before = known.get(stored);
  if (before !== undefined) return before;
  const trade = read(stored);
  known.set(stored, trade);
  return trade;
}

function read(stored: Readonly<Record<string, unknown>>): Trade | null {
  try {
    return fromStoredTrade(stored);
  } catch (error) {
    if (error instanceof StoredStateError) return null;
    throw error;
  }
}
