import type { Database } from '../database.ts';
import type { TradeMode } from './trade-mode.ts';

/** A closed trade as the engine knows it. */
export interface ClosedState {
  id: string;
  state: object;
}

/** The closed trades that a bot has made itself, oldest first; of more than `most`, the newest. */
export async function closedStates(db: Database, botId: string, mode: TradeMode, most: number): Promise<ClosedState[]> {
  const newest = db
    .selectFrom('trades')
    .select(['engineState', 'closedAt', 'id'])
    .where('botId', '=', botId)
    .where('mode', '=', mode)
    .where('status', '=', 'closed')
    .where('importedFrom', 'is', null) // the engine knows nothing of them
    .orderBy('closedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(most);
  return (await newest.execute()).reverse().map(({ id, engineState }) => ({ id, state: engineState }));
}
