import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * The currency a trade `t` gains and loses, in SQL: 'USDT' of 'BTC/USDT', 'BTC' of 'BTC/USD:BTC'. Its bot may have been given another
 * stake currency since.
 */
export const settledIn: RawBuilder<string> = sql<string>`
  split_part(case when position(':' in t.symbol) > 0 then split_part(t.symbol, ':', 2) else split_part(t.symbol, '/', 2) end, '-', 1)`;
