import { profitRatio } from '../account/profit.ts';
import { filledEntries } from '../account/trade.ts';
import { dividedBy, times, toDecimal, toNumber } from '../market/decimal.ts';
import { truncateAmount } from '../market/rounding.ts';
import { maxStake, minStake } from '../risk/stake.ts';
import { walletOf } from '../account/wallet.ts';
import { addToTrade } from './entries.ts';
import { placeExit, tryFillExit } from './orders.ts';
import type { Held, Row, Run } from './run.ts';

/** Asks the strategy whether to add to a trade or to take a part out, at the open, and does it. */
export function adjustPosition(run: Run, held: Held, row: Row): void {
  const { settings, callbacks } = run.rules;
  const { trade, pair } = held;
  if (callbacks.adjustPosition === undefined) return;
  const price = row.open;
  const { available } = walletOf(settings, run.closedProfit, run.openTrades);
  const min = minStake(pair.instrument, price, -0.1, 1, settings);
  const change = callbacks.adjustPosition({
    trade,
    time: row.time,
    price,
    profitRatio: profitRatio(trade, price, row.time),
    minStake: min,
    maxStake: Math.min(maxStake(pair.instrument, price, 1), available),
  });
  if (change === null || change === 0 || !Number.isFinite(change)) return;
  if (change > 0) {
    const { maxEntryAdjustments } = settings;
    if (maxEntryAdjustments < 0 || filledEntries(trade) <= maxEntryAdjustments) addToTrade(run, held, row, change);
    return;
  }
  const share = dividedBy(times(toDecimal(-change), toDecimal(trade.amount)), toDecimal(trade.stake));
  const amount = truncateAmount(toNumber(share), trade.amountStep, trade.contractSize);
  if (amount === 0) return;
  const rest = (trade.amount - amount) * price;
  if (rest !== 0 && rest < min) return;
  if (!placeExit(run, held, row, { kind: 'partial_exit', reason: 'partial_exit' }, amount)) return;
  const order = trade.orders.at(-1);
  if (order !== undefined) tryFillExit(run, held, order, row);
}
