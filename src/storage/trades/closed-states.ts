import type { Database } from '../database.ts';
import type { TradeMode } from './trade-mode.ts';

/** More closed trades of a bot than this are not read: the newest count. */
export const mostClosedStates = 5_000;

/** What the engine knows of the closed trades that a bot has made itself, oldest first. */
export async function closedStates(db: Database, botId: string, mode: TradeMode): Promise<object[]> {
  const newest = db
    .selectFrom('trades')
    .select(['engineState', 'closedAt', 'id'])
    .where('botId', '=', botId)
    .where('mode', '=', mode)
    .where('status', '=', 'closed')
    .where('importedFrom', 'is', null) // the engine knows nothing of them
    .orderBy('closedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(mostClosedStates);
  return (await newest.execute()).reverse().map(({ engineState }) => engineState as object);
}
