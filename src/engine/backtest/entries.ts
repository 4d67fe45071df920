import type { OrderAction } from '../account/order.ts';
import { slotsFull } from '../risk/slots.ts';
import type { Direction } from '../market/direction.ts';
import { entryAmount, entryPrice, furtherEntryAmount, newTrade, sizeEntry } from '../risk/entry.ts';
import { activeLock } from '../risk/locks.ts';
import { minStake } from '../risk/stake.ts';
import { setInitialStop } from '../risk/stops.ts';
import { noteFate } from './entry-counts.ts';
import { makeOrder, replacesOpenOrders, settleAgain, tryFillEntry } from './orders.ts';
import type { Held, Row, Run, RunPair } from './run.ts';
import { addHeld, noteWallet, priceTickAt, walletNow } from './run.ts';

/** Opens a trade on a signal, if slots, locks, wallet, limits and the strategy allow it; its order is tried at once. */
export function tryEntry(run: Run, pair: RunPair, row: Row, direction: Direction, countsRejection: boolean): void {
  const { settings, callbacks, quirks } = run.rules;
  const { symbol } = pair.instrument;
  if (run.locks.length > 0 && activeLock(run.locks, symbol, direction, row.time) !== null) return noteFate(pair, 'locked');
  if (slotsFull(settings, run.open.length)) {
    if (countsRejection) run.counters.rejectedSignals += 1;
    return noteFate(pair, 'slots-full');
  }
  const wallet = walletNow(run);
  // Without a fixed stake in the wallet there is no entry, and nobody need work out its price.
  const { available } = wallet;
  if (settings.stakeAmount !== 'unlimited' && !settings.amendLastStakeAmount && available < settings.stakeAmount) {
    const facts = { stake: settings.stakeAmount, available, limit: null };
    if (callbacks.entryPrice === undefined) return noteFate(pair, 'insufficient-balance', facts);
  }

  const question = { symbol, time: row.time, direction, tag: row.enterTag };
  const priceTick = priceTickAt(run, pair, row.time);
  const price = entryPrice(question, row, priceTick, settings, callbacks);
  const sized = sizeEntry(question, { entry: price, market: row.open }, wallet, pair.instrument, settings, callbacks, quirks);
  if (!sized.ok) return noteFate(pair, sized.reason, sized.facts);
  if (callbacks.confirmEntry?.({ ...question, price, amount: sized.size.amount }) === false) return noteFate(pair, 'refused-by-strategy');
  noteFate(pair, 'entered');

  const trade = newTrade({
    id: run.nextTradeId++,
    instrument: pair.instrument,
    direction,
    time: row.time,
    tag: row.enterTag,
    price,
    size: sized.size,
    priceTick,
    feeOpen: run.feeRatio,
    feeClose: run.feeRatio,
    settings,
  });
  setInitialStop(trade, settings.stoploss, quirks);
  const held: Held = { trade, pair, isWatched: true, quietRate: 0, quietUntil: 0, trailedRate: 0 };
  addHeld(run, held);
  orderEntry(run, held, row, { action: 'enter', price, amount: sized.size.amount, tag: row.enterTag });
  noteWallet(run);
}

/** Adds to a trade; the order is tried at once. Its tag is the strategy's, or else that of the row. */
export function addToTrade(run: Run, held: Held, row: Row, stake: number, ownTag: string | null): void {
  const { settings, callbacks, quirks } = run.rules;
  const { trade, pair } = held;
  const tag = ownTag ?? row.enterTag;
  const question = { symbol: trade.symbol, time: row.time, direction: trade.direction, tag };
  const price = entryPrice(question, row, priceTickAt(run, pair, row.time), settings, callbacks, trade);
  const { available } = walletNow(run);
  const amount = furtherEntryAmount(trade, stake, price, available, pair.instrument, settings, quirks);
  if (amount > 0) {
    if (!replacesOpenOrders(run, held, 'entry', price, amount)) return;
    orderEntry(run, held, row, { action: 'add', price, amount, tag });
  }
  noteWallet(run);
}

/**
 * Makes an entry order in place of one that was cancelled, at the price the strategy asks, neither capped nor rounded, if
 * the strategy confirms it. The strategy is also asked for its own entry price, which only decides the smallest stake.
 */
export function replaceEntry(run: Run, held: Held, row: Row, stake: number, price: number): void {
  const { settings, callbacks, quirks } = run.rules;
  const { trade, pair } = held;
  const tag = row.enterTag;
  const question = { symbol: trade.symbol, time: row.time, direction: trade.direction, tag };
  const asked = entryPrice(question, row, priceTickAt(run, pair, row.time), settings, callbacks, trade);
  if (stake < minStake(pair.instrument, asked, 0, trade.leverage, settings, quirks)) return;
  const amount = entryAmount(stake, price, trade.leverage, pair.instrument);
  if (amount === 0 || callbacks.confirmEntry?.({ ...question, price, amount }) === false) return;
  if (replacesOpenOrders(run, held, 'entry', price, amount)) orderEntry(run, held, row, { action: 'replace', price, amount, tag });
}

function orderEntry(
  run: Run,
  held: Held,
  row: Row,
  wanted: { action: OrderAction; price: number; amount: number; tag: string | null },
): void {
  const order = makeOrder(run, held, { purpose: 'entry', ...wanted, time: row.time });
  tryFillEntry(run, held, order, row, row.time);
  settleAgain(run, held);
}
