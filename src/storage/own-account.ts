import { type RawBuilder, sql } from 'kysely';

/** Whether an order without a record, by its alias, lies in the account that its bot trades with now. What it has made with another key is nothing that this one has. */
export const isInOwnAccount = (order: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from bots k where k.id = ${order}.bot_id and k.api_key_id = ${order}.api_key_id and k.market_type = ${order}.market_type)`;
