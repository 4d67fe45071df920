import type { Bot } from '#contract/bots.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import type { ModeName } from '../ui/venue.ts';
import { modeName, modeNames } from '../ui/venue.ts';

/** Sums over the bots of one mode in one currency. Money in that currency. */
export interface BotTotal {
  mode: ModeName;
  currency: string;
  bots: number;
  active: number;
  pnl: number;
  startingBalance: number;
  balance: number;
  openTrades: number;
  slots: number;
}

/** The totals of the bots whose live state the person may see, the most real first: live, testnet and paper are never added together. */
export function botTotals(bots: readonly Bot[], live: ReadonlyMap<string, FleetBot>): BotTotal[] {
  const totals = new Map<string, BotTotal>();
  for (const bot of bots) {
    const state = live.get(bot.id);
    if (state === undefined) continue;
    const key = `${modeName(bot.mode, bot.exchange_id)} ${bot.stake_currency}`;
    const sum = totals.get(key) ?? nothing(bot);
    totals.set(key, {
      ...sum,
      bots: sum.bots + 1,
      active: sum.active + (bot.status === 'active' ? 1 : 0),
      pnl: sum.pnl + bot.total_pnl,
      startingBalance: sum.startingBalance + bot.starting_balance,
      balance: sum.balance + bot.current_balance,
      openTrades: sum.openTrades + state.open_trades,
      slots: sum.slots + bot.max_open_trades,
    });
  }
  return [...totals.values()].toSorted((a, b) => modeNames.indexOf(a.mode) - modeNames.indexOf(b.mode));
}

function nothing({ mode, exchange_id: exchangeId, stake_currency: currency }: Bot): BotTotal {
  return {
    mode: modeName(mode, exchangeId),
    currency,
    bots: 0,
    active: 0,
    pnl: 0,
    startingBalance: 0,
    balance: 0,
    openTrades: 0,
    slots: 0,
  };
}
