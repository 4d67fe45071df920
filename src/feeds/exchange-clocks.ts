import type { MarketType } from '#engine/market/instrument.ts';

/** Asks an exchange how far this machine's clock is behind its own, in ms; null where it does not say. Fails: ExchangeError */
export async function exchangeClockOffset(exchangeId: string, marketType: MarketType, sandboxUrl: string): Promise<number | null> {
  const { measureClockOffset } = await import('#exchange/clock-offset.ts');
  return measureClockOffset({ exchangeId, marketType, sandboxUrl });
}

/** What this process knows of its exchanges. */
export interface ExchangeFigures {
  offsetsMs: ReadonlyMap<string, number>; // by exchange: how far this machine's clock is behind
  usedBudgets: ReadonlyMap<string, number>; // by exchange and ccxt's class: the share of a minute's requests, as a ratio
}

/** How this process stands with its exchanges. It loads ccxt where that is not loaded. */
export async function exchangeFigures(): Promise<ExchangeFigures> {
  const [{ clockOffsets }, { usedBudgets }] = await Promise.all([import('#exchange/exchange-clock.ts'), import('#exchange/connect.ts')]);
  return { offsetsMs: clockOffsets(), usedBudgets: usedBudgets() };
}

/** How this process stands with each exchange: its clock, and the most that it has used of any of the exchange's budgets. */
export async function exchangeStandings(): Promise<Record<string, { offsetMs: number | null; used: number | null }>> {
  const { offsetsMs, usedBudgets } = await exchangeFigures();
  const used = new Map<string, number>();
  for (const [name, ratio] of usedBudgets) {
    const exchange = name.split(' ')[0] ?? '';
    used.set(exchange, Math.max(used.get(exchange) ?? 0, ratio));
  }
  const names = new Set([...offsetsMs.keys(), ...used.keys()]);
  return Object.fromEntries([...names].map((name) => [name, { offsetMs: offsetsMs.get(name) ?? null, used: used.get(name) ?? null }]));
}
