import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { ListedDecision } from './decision-list.ts';
import { decisionColumns } from './decision-list.ts';

/** Which decision of a trade: to enter it, or to leave it by a signal. */
export type DecisionOfTrade = 'enter' | 'exit';

/**
 * The decision that the first order of a trade for entering, or the last for leaving, came of. Null where it came of no candle, such as an
 * exit at the stop, or where the decision is not kept any more.
 */
export async function decisionOfTrade(db: Database, tradeId: string, action: DecisionOfTrade): Promise<ListedDecision | null> {
  const isEntry = action === 'enter';
  const { rows } = await sql<ListedDecision>`
    with of_order as (
      select t.bot_id, t.symbol, substring(o.signal_key from '\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z')::timestamptz as candle_time
      from orders o join trades t on t.id = o.trade_id
      where o.trade_id = ${tradeId} and o.purpose = ${isEntry ? 'entry' : 'exit'}
      order by o.planned_at ${isEntry ? sql`asc` : sql`desc`} limit 1
    )
    select ${decisionColumns} from decisions d join of_order using (bot_id, symbol, candle_time) where action = ${action}`.execute(db);
  return rows[0] ?? null;
}
