import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * The margin mode of a trade of a bot on perpetuals, by the names of their rows in a query: the one it was opened with. Trades of before that was kept have the bot's.
 */
export function marginModeSql(trade: string, bot: string): RawBuilder<'isolated' | 'cross'> {
  return sql`coalesce(${sql.ref(`${trade}.engineState`)} ->> 'marginMode', ${sql.ref(`${bot}.leverageMode`)})`;
}
