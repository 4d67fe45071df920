import type { WhatIfTrade } from '#engine/lab/what-if/what-if-report.ts';
import type { DrawnTrade } from '../../chart/replay-trades.ts';

/** The trades of one pair as the chart draws them: those with the changes, and dotted what is really otherwise. */
export function drawnTrades(real: readonly WhatIfTrade[], whatIf: readonly WhatIfTrade[], symbol: string): DrawnTrade[] {
  const ofPair = (trade: WhatIfTrade): boolean => trade.symbol === symbol;
  const was = new Map(real.filter(ofPair).map((trade) => [entryOf(trade), trade]));
  const now = whatIf.filter(ofPair);
  const entries = new Set(now.map(entryOf));
  return [
    ...now.map((trade) => {
      const before = was.get(entryOf(trade));
      return drawn(trade, before === undefined ? 'added' : endOf(before) === endOf(trade) ? 'same' : 'changed');
    }),
    ...now.flatMap((trade) => {
      const before = was.get(entryOf(trade));
      return before === undefined || endOf(before) === endOf(trade) ? [] : [drawn(before, 'real')];
    }),
    ...[...was.values()].filter((trade) => !entries.has(entryOf(trade))).map((trade) => drawn(trade, 'removed')),
  ];
}

/** The trades that are worth going from one to the next, by entry: those that differ, else all. */
export interface Walk {
  of: 'difference' | 'trade';
  trades: readonly DrawnTrade[];
}

/** The walk over drawn trades. */
export function walkOf(drawnOnes: readonly DrawnTrade[]): Walk {
  const byEntry = (trades: readonly DrawnTrade[]): DrawnTrade[] => trades.toSorted((a, b) => a.openTime - b.openTime);
  const differing = drawnOnes.filter(({ kind }) => kind !== 'same' && kind !== 'real');
  return differing.length > 0 ? { of: 'difference', trades: byEntry(differing) } : { of: 'trade', trades: byEntry(drawnOnes) };
}

function entryOf({ openTime, direction }: WhatIfTrade): string {
  return `${openTime} ${direction}`;
}

function endOf({ closeTime, exitPrice, exitReason }: WhatIfTrade): string {
  return `${closeTime} ${exitPrice} ${exitReason}`;
}

function drawn(trade: WhatIfTrade, kind: DrawnTrade['kind']): DrawnTrade {
  const { direction, openTime, closeTime, entryPrice, exitPrice, profit, exitReason } = trade;
  return {
    id: `${kind} ${entryOf(trade)}`,
    kind,
    direction,
    openTime,
    closeTime,
    entryPrice,
    exitPrice,
    profit,
    isStop: exitReason.includes('stop'),
  };
}
