import { openOrder } from '../account/trade.ts';
import { fillPriceOn } from '../risk/fill-rule.ts';
import { fillExit, placeExit } from './orders.ts';
import type { Frame } from './frame.ts';
import { setPrices } from './loop.ts';
import type { Row, Run } from './run.ts';
import { followTick, removeHeld } from './run.ts';

/**
 * Ends every open trade at the open of its pair's last candle; first entries that still wait vanish.
 *
 * forcedExitMayNotFill: the order must fill like any other. If rounding pushed its price out of the candle, the trade stays unclosed.
 */
export function closeWhatIsOpen(run: Run, frame: Frame, row: Row): void {
  // Pairs come in the order in which they were first looked at: by their first row, then as listed.
  const order = [...frame.pairs].sort((a, b) => a.firstRow + a.rowShift - (b.firstRow + b.rowShift));
  for (const pair of order) {
    for (const held of pair.held.slice()) {
      const { trade } = held;
      if (trade.amount === 0) {
        removeHeld(run, held);
        continue;
      }
      setPrices(row, pair.candles, pair.lastRow);
      followTick(run, held, row.time);
      placeExit(run, held, row, { kind: 'force_exit', reason: 'force_exit' }, trade.amount);
      trade.exitReason = 'force_exit';
      const exit = openOrder(trade, 'exit');
      if (exit === null) continue;
      const price = fillPriceOn(exit, row, run.rules.quirks);
      if (price !== null) fillExit(run, held, exit, price, row.stepTime);
      else if (!run.rules.quirks.forcedExitMayNotFill) fillExit(run, held, exit, row.open, row.stepTime);
    }
  }
}
