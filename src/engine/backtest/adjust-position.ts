import { profitRatio } from '../account/profit.ts';
import { filledEntries } from '../account/trade.ts';
import { dividedBy, times, toDecimal, toNumber } from '../market/decimal.ts';
import { truncateAmount } from '../market/rounding.ts';
import { maxStake, minStake } from '../risk/stake.ts';
import { addToTrade } from './entries.ts';
import { placeExit, tryFillExit } from './orders.ts';
import type { Held, Row, Run } from './run.ts';
import { walletNow } from './run.ts';

/**
 * Asks the strategy whether to add to a trade or to take some of it out, at the open, and does it.
 *
 * oversizedExitIsSettledInFull: where the instrument sets no smallest stake, more than is held may be taken out.
 */
export function adjustPosition(run: Run, held: Held, row: Row): void {
  const { settings, callbacks, quirks } = run.rules;
  const { trade, pair } = held;
  if (callbacks.adjustPosition === undefined) return;
  const price = row.open;
  const { available } = walletNow(run);
  const min = minStake(pair.instrument, price, -0.1, 1, settings, quirks);
  const answer = callbacks.adjustPosition({
    trade,
    time: row.stepTime,
    price,
    profitRatio: profitRatio(trade, price, row.stepTime),
    minStake: min,
    maxStake: Math.min(maxStake(pair.instrument, price, 1, settings, quirks), available),
  });
  const { stake: change, tag } = typeof answer === 'object' && answer !== null ? answer : { stake: answer, tag: null };
  if (change === null || change === 0 || !Number.isFinite(change)) return;
  if (change > 0) {
    const { maxEntryAdjustments } = settings;
    if (maxEntryAdjustments < 0 || filledEntries(trade) <= maxEntryAdjustments) addToTrade(run, held, row, change, tagOf(tag));
    return;
  }
  const share = dividedBy(times(toDecimal(-change), toDecimal(trade.amount)), toDecimal(trade.stake));
  const amount = truncateAmount(toNumber(share), trade.amountStep, trade.contractSize);
  if (amount === 0) return;
  const rest = (trade.amount - amount) * price;
  if (min > 0 && rest !== 0 && rest < min) return;
  if (!quirks.oversizedExitIsSettledInFull && amount > trade.amount) return;
  if (!placeExit(run, held, row, { kind: 'partial_exit', reason: tagOf(tag) ?? 'partial_exit' }, amount)) return;
  const order = trade.orders.at(-1);
  if (order !== undefined) tryFillExit(run, held, order, row);
}

/** An empty tag is none. */
function tagOf(tag: string | null | undefined): string | null {
  return tag === undefined || tag === '' ? null : tag;
}
