import type { ManualAction } from '#engine/bot/manual-action.ts';
import type { WaitingAction } from '#storage/trades/manual-actions.ts';

/** What a person wants done by hand, as the engine knows it; null when the row lacks what its kind needs. `tradeNumber` gives the engine's number of a trade. */
export function toAction(row: WaitingAction, until: number, tradeNumber: (tradeId: string) => number): ManualAction | null {
  const { id, kind, symbol, direction, stake, share, stopPrice } = row;
  if (kind === 'enter') return direction === null || stake === null ? null : { id, until, kind, symbol, direction, stake, stopPrice };
  const tradeId = tradeNumber(row.tradeId ?? '');
  if (kind === 'add') return stake === null ? null : { id, until, kind, tradeId, stake };
  if (kind === 'take-out') return share === null ? null : { id, until, kind, tradeId, share };
  return { id, until, kind, tradeId, price: stopPrice };
}
