import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NewBacktest } from '../backtests/backtests.ts';

/** What a run over two pairs is asked for. For tests. */
export const aPlan: PortfolioPlan = {
  exchange: 'sandbox',
  trading_mode: 'spot',
  pairs: ['BTC/USDT', 'ETH/USDT'],
  from: '2026-01-01',
  to: '2026-01-31',
  timeframe: '1h',
  detail_timeframe: null,
  max_open_trades: 2,
  starting_balance: 1_000,
  stake_amount: null,
  leverage: 1,
  fee_ratio: null,
  slippage_ratio: 0.0005,
  protections: [{ kind: 'cooldown', stopMinutes: 30 }],
};

/** A run of BTC/USDT over 30 days, except for what is given. A builder for tests. */
export function aBacktest(given: Pick<NewBacktest, 'userId' | 'strategyId'> & Partial<NewBacktest>): NewBacktest {
  return {
    exchangeId: 'binance',
    symbol: 'BTC/USDT',
    tradingMode: 'spot',
    timeframe: '5m',
    days: 30,
    maxOpenTrades: 1,
    stakeAmount: 100,
    bot: null,
    codeId: null,
    plan: null,
    ...given,
  };
}

/** Leaves a run as it is when its details have been removed, at noon of 2026-11-01. For tests. */
export async function removeDetailsOf(db: Database, id: string): Promise<void> {
  await sql`update backtests set result = null, equity = null, details_removed_at = '2026-11-01 12:00+00' where id = ${id}`.execute(db);
}

/** What a finished run looks like in full, or null. For tests. */
export async function findBacktestResult(db: Database, id: string): Promise<Record<string, unknown> | null> {
  const row = await db.selectFrom('backtests').select('result').where('id', '=', id).executeTakeFirst();
  return row?.result ?? null;
}
