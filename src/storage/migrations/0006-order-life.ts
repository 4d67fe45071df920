import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * An order lives by the engine's table: the database refuses every other change of its status, and never shrinks what is
 * filled. What was requested has a column of its own. A signal makes one order, and another only when that one has ended
 * without a fill; how often the same order was sent is counted apart. A fill keeps the value of its fee in quote currency.
 *
 * Source: docs/decisions/0018-the-life-of-an-order.md
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table orders rename column amount to requested`,
  `alter table orders add column attempt int not null default 1 check (attempt >= 1)`,
  `alter table orders drop constraint orders_status_check`,
  `alter table orders add constraint orders_status_check check (status in
    ('planned', 'sent', 'unknown', 'open', 'cancel-pending', 'filled', 'cancelled', 'expired', 'refused'))`,
  `alter table orders add constraint orders_filled_check check (filled >= 0)`,
  `alter table orders drop constraint orders_bot_id_signal_key_key`,
  // Nothing comes back into this index, so that a late fill of an order that has ended can always be written.
  `create unique index orders_one_per_signal on orders (bot_id, signal_key) where status not in ('cancelled', 'expired', 'refused')`,
  `create index orders_signal on orders (bot_id, signal_key) where filled > 0`,
  // After the insert, so that writing a known order again is none. The lock makes a second writer wait for the first, whose row it then sees.
  `create function refuse_used_signal() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended(new.bot_id::text || new.signal_key, 0));
    if exists (select 1 from orders o where o.bot_id = new.bot_id and o.signal_key = new.signal_key
               and o.client_order_id <> new.client_order_id and o.filled > 0) then
      raise exception 'The signal % has led to a fill and makes no other order', new.signal_key using errcode = 'unique_violation';
    end if;
    return new;
  end $$`,
  `create trigger orders_signal after insert on orders for each row execute function refuse_used_signal()`,
  `drop index orders_open`,
  `create index orders_open on orders (bot_id) where status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending')`,
  `create function refuse_order_change() returns trigger language plpgsql as $$
  begin
    if new.status <> old.status and (old.status, new.status) not in (
      ('planned', 'sent'), ('planned', 'cancelled'),
      ('sent', 'open'), ('sent', 'filled'), ('sent', 'refused'), ('sent', 'unknown'),
      ('unknown', 'open'), ('unknown', 'filled'), ('unknown', 'cancelled'), ('unknown', 'expired'), ('unknown', 'planned'),
      ('open', 'filled'), ('open', 'cancel-pending'), ('open', 'cancelled'), ('open', 'expired'),
      ('cancel-pending', 'open'), ('cancel-pending', 'filled'), ('cancel-pending', 'cancelled'), ('cancel-pending', 'expired')
    ) then
      raise exception 'Order % cannot go from % to %', old.client_order_id, old.status, new.status using errcode = 'check_violation';
    end if;
    if new.filled < old.filled then
      raise exception 'Order % has % filled and cannot have less', old.client_order_id, old.filled using errcode = 'check_violation';
    end if;
    if (new.requested, new.signal_key, new.client_order_id, new.bot_id) is distinct from
       (old.requested, old.signal_key, old.client_order_id, old.bot_id) then
      raise exception 'What order % was decided to be never changes', old.client_order_id using errcode = 'check_violation';
    end if;
    return new;
  end $$`,
  `create trigger orders_life before update on orders for each row execute function refuse_order_change()`,
  `alter table fills add column fee_quote numeric(38, 18)`,
  `update fills set fee_quote = fee`, // simulated fills only so far, all of them in quote currency
  // The engine's own state of each trade: orders with their fills, and one spelling of the profit of its exits.
  `update trades t set engine_state = (t.engine_state - 'realisedProfit')
    || jsonb_build_object('realizedProfit', coalesce(t.engine_state -> 'realizedProfit', t.engine_state -> 'realisedProfit'))
    || jsonb_build_object('orders', coalesce((
      select jsonb_agg(o || case when o ->> 'state' = 'filled' then jsonb_build_object('filled', o -> 'amount', 'reported', o -> 'amount',
          'fills', jsonb_build_array(jsonb_build_object('id', '1', 'price', o -> 'fillPrice', 'amount', o -> 'amount',
            'fee', coalesce((o ->> 'feeRatio')::numeric * (o ->> 'amount')::numeric * (o ->> 'fillPrice')::numeric, 0),
            'feeInQuote', coalesce((o ->> 'feeRatio')::numeric * (o ->> 'amount')::numeric * (o ->> 'fillPrice')::numeric, 0),
            'feeCurrency', split_part(split_part(t.symbol, '/', 2), ':', 1),
            'liquidity', o -> 'liquidity', 'time', o -> 'filledTime')))
        else jsonb_build_object('filled', 0, 'reported', 0, 'fills', '[]'::jsonb) end
        || jsonb_build_object('baseFee', 0, 'isCancelWanted', false, 'follows', null, 'candleTime', o -> 'createdTime',
          'action', case when o ->> 'purpose' = 'entry' then 'enter' else 'exit' end)
        order by n)
      from jsonb_array_elements(t.engine_state -> 'orders') with ordinality as each (o, n)), '[]'::jsonb))
    where t.engine_state ? 'orders'`,
];
