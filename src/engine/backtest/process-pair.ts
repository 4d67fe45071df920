import { openOrder } from '../account/trade.ts';
import { exitCandidates } from '../risk/exits.ts';
import { adjustPosition } from './adjust-position.ts';
import { tryEntry } from './entries.ts';
import { noteFate } from './entry-counts.ts';
import { manageOpenOrders } from './open-orders.ts';
import { fillExit, placeExit, tryFillEntry, tryFillExit, updateFunding } from './orders.ts';
import { setQuiet } from './quiet.ts';
import type { Held, Row, Run, RunPair } from './run.ts';
import { followTick, noteWallet, removeHeld } from './run.ts';

/** What a row allows. */
export interface RowRights {
  canEnter: boolean;
  countsRejection: boolean;
}

/**
 * Everything that happens to a pair on one row; twice when a trade has closed and the signal points the other way.
 *
 * reversalOpensAtTheOpen: the new trade then opens at the open, although the old one may have closed later in the candle.
 */
export function processPair(run: Run, pair: RunPair, row: Row, rights: RowRights): void {
  const { settings, quirks } = run.rules;
  const before = settings.positionStacking || pair.held.length === 0 ? null : pair.held[0].trade;
  pass(run, pair, row, rights);
  const reverses =
    before !== null && settings.canShort && row.direction !== null && row.direction !== before.direction && pair.held.length === 0;
  if (reverses) pass(run, pair, quirks.reversalOpensAtTheOpen ? row : { ...row, open: before.closeRate ?? row.open }, rights);
  for (const held of pair.held) setQuiet(run, held, row);
}

function pass(run: Run, pair: RunPair, row: Row, rights: RowRights): void {
  for (const held of pair.held.slice()) {
    followTick(run, held, row.time);
    if (!manageOpenOrders(run, held, row)) continue;
    removeHeld(run, held);
    noteWallet(run);
  }
  if (row.direction !== null) {
    if (!rights.canEnter) noteFate(pair, 'end-of-run');
    else if (pair.held.length > 0 && !run.rules.settings.positionStacking) noteFate(pair, 'has-open-trade');
    else tryEntry(run, pair, row, row.direction, rights.countsRejection);
  }
  for (const held of pair.held.slice()) processTrade(run, held, row);
}

function processTrade(run: Run, held: Held, row: Row): void {
  const { trade } = held;
  const entry = openOrder(trade, 'entry');
  if (entry !== null && tryFillEntry(run, held, entry, row, row.stepTime)) noteWallet(run);
  if (trade.amount > 0) checkExit(run, held, row);
  const exit = trade.isOpen ? openOrder(trade, 'exit') : null;
  if (exit !== null) tryFillExit(run, held, exit, row);
}

function checkExit(run: Run, held: Held, row: Row): void {
  const { trade } = held;
  updateFunding(run, held, row.stepTime, false);
  if (run.rules.settings.positionAdjustment) adjustPosition(run, held, row);
  if (!trade.isOpen) return;
  const isLong = trade.direction === 'long';
  const flags = {
    enter: isLong ? row.enterLong : row.enterShort,
    exit: isLong ? row.exitLong : row.exitShort,
    exitTag: row.exitTag,
  };
  for (const candidate of exitCandidates(trade, row, flags, run.rules)) {
    if (!placeExit(run, held, row, candidate, trade.amount)) continue;
    const exit = openOrder(trade, 'exit');
    // stopBeyondLiquidationWins off: a liquidation is not an order that waits for its price.
    if (candidate.kind === 'liquidation' && !run.rules.quirks.stopBeyondLiquidationWins && exit !== null)
      fillExit(run, held, exit, exit.price, row.stepTime);
    return;
  }
}
