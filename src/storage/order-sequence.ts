import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * The sequence in which rows of `orders` were decided on, for `order by`. Several may be of one moment, an entry and its stop for example: their
 * client order ids end in the number of the order, which counts up.
 */
export function orderSequence(alias: string, direction: 'asc' | 'desc' = 'asc'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const way = sql.raw(direction);
  return sql`${column('plannedAt')} ${way}, length(${column('clientOrderId')}) ${way}, ${column('clientOrderId')} collate "C" ${way}`;
}
