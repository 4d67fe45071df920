import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

/** A closed trade of a bot, won. Higher numbers are later by an hour. */
export function aBotTrade(number: number, changes: Partial<CallReply<'botTrades'>[number]> = {}): CallReply<'botTrades'>[number] {
  const time = Date.parse('2026-11-01T00:00:00.000Z') + number * 3_600_000;
  return {
    trade_id: idOf(10_000 + number),
    symbol: 'BTC/USDT',
    side: 'buy',
    entry_price: 64_321.125,
    exit_price: 65_000,
    volume: 0.0155,
    pnl: 10.5,
    entry_time: new Date(time).toISOString(),
    exit_time: new Date(time + 1_800_000).toISOString(),
    status: 'closed',
    note: null,
    ...changes,
  };
}

/** A closed paper trade of bot 1 that won. Higher numbers are later by a minute. */
export function aPaperTrade(number: number, changes: Partial<CallReply<'listTrades'>[number]> = {}): CallReply<'listTrades'>[number] {
  return {
    trade_id: idOf(number),
    bot_id: idOf(101),
    timestamp: new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString(),
    symbol: 'BTC/USDT',
    direction: 'long',
    entry_price: 64_321.12,
    exit_price: 64_521.12,
    outcome: 'win',
    pnl: 3.11,
    status: 'closed',
    mode: 'paper',
    confidence: null,
    comment: null,
    ...changes,
  };
}
