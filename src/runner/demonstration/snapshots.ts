import { profitAsOf } from '#engine/account/open-profit.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { hourMs } from '#engine/market/durations.ts';
import type { PnlSnapshot } from '#storage/bots/pnl-snapshots.ts';
import { nothingImported } from '#storage/bots/running-bots.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { snapshotOf } from '../bots/step-writes.ts';
import type { BotPast } from './past.ts';

/** The snapshots a bot would have left behind: at every full hour and at every closed trade of its past. */
export function pastSnapshots(input: {
  botId: string;
  startingBalance: number;
  trades: readonly TradeRow[]; // closed ones in closing order
  past: BotPast;
}): PnlSnapshot[] {
  const { past } = input;
  const trades = input.trades.filter(({ closedAt }) => closedAt !== null);
  const facts = {
    botId: input.botId,
    nickname: '',
    ownerEmail: '',
    mode: 'paper' as const,
    epoch: '0',
    startingBalance: String(input.startingBalance),
    timeInForce: {},
    versions: { bot: 1, strategy: 1 },
    stakeCurrency: 'USDT',
    imported: nothingImported,
  };
  const closes = trades.map((trade) => (trade.closedAt as Date).getTime());
  const [columns] = past.closes.values();
  const first = columns?.openTime[0] ?? 0;
  const last = columns?.openTime.at(-1) ?? 0;
  const hours = Array.from(
    { length: Math.max(0, Math.floor(last / hourMs) - Math.ceil(first / hourMs) + 1) },
    (_, i) => (Math.ceil(first / hourMs) + i) * hourMs,
  );
  const times = [...new Set([...hours, ...closes])].sort((a, b) => a - b);

  const sums = { profit: 0, fees: 0, wins: 0, trades: 0 };
  let done = 0;
  return times.map((time) => {
    for (; done < trades.length && (closes[done] ?? Infinity) <= time; done++) {
      const trade = trades[done];
      sums.profit += Number(trade?.profit ?? 0);
      sums.fees += Number(trade?.fees ?? 0);
      sums.wins += Number(trade?.profit ?? 0) > 0 ? 1 : 0;
      sums.trades += 1;
    }
    return snapshotOf(facts, sums, openProfit(past, time), time);
  });
}

/** What the trades open at `time` were worth then. */
function openProfit(past: BotPast, time: number): number {
  let profit = 0;
  for (const { trade } of past.trades) {
    if (trade.openTime > time || (trade.closeTime ?? Infinity) <= time) continue;
    const columns = past.closes.get(trade.symbol);
    const price = columns === undefined ? null : closeBefore(columns, time);
    if (price !== null) profit += profitAsOf(trade)(price, time);
  }
  return profit;
}

/** The close of the last candle that had closed by `time`. */
function closeBefore(columns: CandleColumns, time: number): number | null {
  const length = (columns.openTime[1] ?? 0) - (columns.openTime[0] ?? 0);
  const row = Math.floor((time - (columns.openTime[0] ?? 0)) / length) - 1;
  return columns.close[Math.min(row, columns.close.length - 1)] ?? null;
}
