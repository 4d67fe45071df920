import { limitNames } from '#engine/risk/limit.ts';
import type { LimitLevel, LimitUse } from '#storage/limits/limits.ts';
import { allowed, amountLimits, levelsOf, readLimits } from '#storage/limits/limits.ts';
import type { Database } from '#storage/database.ts';
import { listStakeCurrencies } from '#storage/limits/set-limits.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { TradingTarget } from '#storage/trading/trading-states.ts';

/** A limit of a target with the highest use of it now. */
export interface LimitRow extends LimitUse {
  currency: string | null; // of an amount
  stricter: { level: LimitLevel; value: string; hasNoRate: boolean } | null; // of the owner or the server, for a bot
  byMode: readonly LimitInMode[]; // what is set holds in each; what follows from capital is another in each
}

/** A limit as it is in force for the bots of one mode. */
export type LimitInMode = Pick<LimitUse, 'value' | 'byDefault' | 'hasNoRate'> & { mode: TradeMode };

/** What is asked about: a bot with how it trades, a user or the server. */
export type LimitSubject =
  | { target: TradingTarget & { level: 'bot' }; bot: { mode: 'paper' | 'live'; exchangeId: string; stakeCurrency: string } }
  | { target: TradingTarget & { level: 'user' | 'server' }; bot: null };

/** The limits of a target, each with the currency it counts in; amounts of a user or the server once for every stake currency, and for `more`. */
export async function limitRows(db: Database, { target, bot }: LimitSubject, now: Date, more: readonly string[] = []): Promise<LimitRow[]> {
  if (bot === null) return manyBots(db, target, now, more);
  const mode = tradeModeOf(bot);
  const found = await readLimits(db, { botId: target.id, mode, now, levels: levelsOf(mode) });
  return found
    .filter(({ level }) => level === 'bot')
    .map((own) => {
      const currency = isAmount(own) ? bot.stakeCurrency : null;
      return { ...own, currency, stricter: strictest(own, found), byMode: [{ ...own, mode }] };
    });
}

const withOrders: readonly TradeMode[] = ['live', 'testnet'];

async function manyBots(db: Database, target: TradingTarget, now: Date, more: readonly string[]): Promise<LimitRow[]> {
  const userId = target.level === 'user' ? target.id : null;
  const currencies = [...new Set([...(await listStakeCurrencies(db, userId)), ...more])];
  const rows: LimitRow[] = [];
  for (const currency of currencies.length === 0 ? ['USDT'] : currencies) {
    const found: (LimitUse & LimitInMode)[] = [];
    for (const mode of withOrders) {
      const limits = await readLimits(db, { levels: [target.level], userId, currency, mode, now });
      found.push(...limits.map((limit) => ({ ...limit, mode })));
    }
    for (const name of limitNames) {
      const inModes = found.filter((limit) => limit.name === name);
      const isOfCurrency = amountLimits.includes(name);
      if (!isOfCurrency && rows.some((row) => row.name === name)) continue; // counted in all currencies together
      const highest = inModes.reduce((one, other) => (shareOf(other) > shareOf(one) ? other : one));
      // Where nothing trades on a test network, its limit of nothing is not one that a limit of real money would raise.
      const byMode = inModes.filter(({ mode, value }) => mode === 'live' || Number(value) > 0);
      rows.push({ ...highest, currency: isOfCurrency ? currency : null, stricter: null, byMode });
    }
  }
  return rows;
}

/** How much of a limit is used; where nothing is, what allows more comes first: it is of the mode in which there are bots. */
function shareOf({ use, value }: LimitUse): number {
  return Number(use ?? 0) > 0 ? 1 + Number(use) / Number(value) : Number(value) / (Number(value) + 1);
}

function strictest(own: LimitUse, all: readonly LimitUse[]): LimitRow['stricter'] {
  const stricter = all
    .filter((limit) => limit.name === own.name && limit.level !== 'bot' && allowed(limit) < allowed(own))
    .toSorted((one, other) => allowed(one) - allowed(other))[0];
  return stricter === undefined ? null : { level: stricter.level, value: stricter.value, hasNoRate: stricter.hasNoRate };
}

function isAmount({ name }: Pick<LimitUse, 'name'>): boolean {
  return amountLimits.includes(name);
}
