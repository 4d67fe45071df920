import { secondMs } from '#engine/market/durations.ts';
import type { Clearance } from '#engine/ports/trading.ts';
import type { AccountClient } from './account-client.ts';
import { numberOf, rowsOf, textOf } from './rows/answer-row.ts';
import { futuresOrdersKeptMs } from './rows/pages.ts';

/** So many rows come with one answer at most: more liquidations than a symbol has of one trade. */
const pageSize = 1000;

/**
 * What liquidations in an instrument of USD-M were cleared with since a time, oldest first: the income of the type INSURANCE_CLEAR. Its times
 * are whole seconds, so those of the second that has begun belong to it. It is kept for three months, as orders are.
 *
 * Source: developers.binance.com, USD-M futures, Get Income History
 */
export async function readClearances(account: AccountClient, id: string, since: number): Promise<Clearance[]> {
  const startTime = Math.max(Math.floor(since / secondMs) * secondMs, account.now() - futuresOrdersKeptMs);
  const asked = { symbol: id, incomeType: 'INSURANCE_CLEAR', startTime, limit: pageSize };
  return rowsOf(await account.ccxt.fapiPrivateGetIncome(asked))
    .map((row) => ({ amount: numberOf(row, 'income'), currency: textOf(row, 'asset'), time: numberOf(row, 'time') }))
    .toSorted((a, b) => a.time - b.time);
}
