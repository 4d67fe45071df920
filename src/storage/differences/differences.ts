import { sql } from 'kysely';
import { endAlarm, noteAlarmFacts, raiseAlarm } from '../alarms/alarms.ts';
import { isNotDone } from '../adoptions/waiting.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import { lockAccount } from './lock-account.ts';
import { waitsForCorrection } from './held-elsewhere.ts';
import { waitsForFills } from './waiting-entries.ts';
import { settleOthers, settleUnrecorded } from './settle-unrecorded.ts';
import { addReason, lockSwitch, setSwitch } from '../trading/trading-states.ts';

/** What the bots of an account say that it holds of a symbol. */
export interface ExpectedHolding {
  botId: string; // of orders without a record, or else the one that holds it, or else trades it; of several one that may trade
  holders: string[]; // the bots that have an open trade in it; those that may trade first
  standing: string[]; // client ids of their orders that stand at the exchange
  symbol: string;
  expected: number; // base currency; negative is short
  ignored: number; // what is there besides, and belongs to no bot
  unrecorded: number; // what orders without a record have brought, and nobody has decided about
  isMixed: boolean; // by some bots bought and by others sold
  step: number; // smallest amount that can be traded; 0 where nothing is held
  isMoving: boolean; // an order or a correction is on its way, or was filled a moment ago: what is held may change
}

/** For so long after an order or a fill the exchange's lists may lag behind, in ms. */
const restMs = 5_000;

/** When an order `o` was reported last. The times of fills are the exchange's: of one whose clock runs ahead they would be new for long. */
const newsAt = sql<Date>`greatest(o.acknowledged_at, o.closed_at, (select max(f.filled_at) from fills f
  where f.order_id = o.id and f.filled_at < now() + ${restMs} * interval '1 ms'))`;

/** For how many ms a comparison will still pass over what a bot holds, because of what was reported of its orders; 0 when it will not. */
export async function movesFor(db: Database, botId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    with held as (select id, symbol from trades where bot_id = ${botId} and status = 'open' and mode <> 'paper'),
    news as (
      select ${newsAt} as at from orders o join held on held.id = o.trade_id where o.status <> 'refused'
      union all select u.changed_at from unrecorded_orders u join held using (symbol) where u.bot_id = ${botId})
    select least(greatest(${restMs} - extract(epoch from now() - max(at)) * 1000, 0), ${restMs})::float8 as ms from news having max(at) is not null`.execute(
    db,
  );
  return rows[0]?.ms ?? 0;
}

/** What the open trades of all live bots with this key come to, by symbol. */
export async function expectedHoldings(db: Database, apiKeyId: string, marketType: string): Promise<ExpectedHolding[]> {
  const { rows } = await sql<ExpectedHolding>`
    with b as (select id, symbols, archived_at is not null as is_archived,
      array_position(array['active', 'paused', 'stopped'], status) + (archived_at is not null)::int as rank
      from bots where api_key_id = ${apiKeyId} and market_type = ${marketType} and mode = 'live'),
    held as (
      select t.bot_id, t.symbol, case t.direction when 'long' then t.amount else -t.amount end as amount,
        (t.engine_state ->> 'amountStep')::float8 * (t.engine_state ->> 'contractSize')::float8 as step
      from trades t join b on b.id = t.bot_id where t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null),
    found as (
      select u.bot_id, u.symbol, sum(u.net - u.settled_net) as amount from unrecorded_orders u join b on b.id = u.bot_id
      where u.net <> u.settled_net and u.api_key_id = ${apiKeyId} and u.market_type = ${marketType} group by u.bot_id, u.symbol),
    -- An archived bot trades nothing any more; what it has left there is still its own.
    traded as (select id as bot_id, unnest(symbols) as symbol from b where not is_archived union select bot_id, symbol from held
      union select bot_id, symbol from found
      union select d.bot_id, d.symbol from differences d join b on b.id = d.bot_id where d.ended_at is null),
    moving as (
      select t.symbol from trades t join b on b.id = t.bot_id where ${waitsForCorrection}
      union select h.symbol from adopted_holdings h join b on b.id = h.bot_id where ${isNotDone}
      union select u.symbol from unrecorded_orders u join b on b.id = u.bot_id where u.changed_at > now() - ${restMs} * interval '1 ms'
      -- What the exchange has filled is not in the trade yet.
      union select t.symbol from trades t join b on b.id = t.bot_id join orders o on o.trade_id = t.id where t.status = 'open' and t.mode <> 'paper'
        and ${waitsForFills}
      union select distinct t.symbol from orders o join trades t on t.id = o.trade_id join b on b.id = o.bot_id where t.mode <> 'paper' and (
        -- One that is planned moves nothing before it is sent, and that is written first.
        o.status in ('sent', 'unknown', 'cancel-pending')
        -- A refused order has moved nothing: exits that are refused one after the other must not hide why.
        or o.status <> 'refused' and ${newsAt} > now() - ${restMs} * interval '1 ms'))
    select (array_agg(traded.bot_id order by (n.amount is null), (h.amount is null), b.rank, traded.bot_id))[1] as bot_id, traded.symbol,
      array(select held.bot_id from held join b on b.id = held.bot_id where held.symbol = traded.symbol order by b.rank, held.bot_id) as holders,
      array(select o.client_order_id from orders o join trades t on t.id = o.trade_id join b on b.id = o.bot_id
        where t.symbol = traded.symbol and t.mode <> 'paper' and o.status = 'open') as standing,
      coalesce((select sum(amount) from held where held.symbol = traded.symbol), 0)::float8 as expected,
      coalesce((select i.amount from ignored_holdings i where i.api_key_id = ${apiKeyId} and i.market_type = ${marketType} and i.symbol = traded.symbol), 0)::float8 as ignored,
      coalesce((select sum(amount) from found where found.symbol = traded.symbol), 0)::float8 as unrecorded,
      coalesce((select bool_or(amount > 0) and bool_or(amount < 0) from found where found.symbol = traded.symbol), false) as is_mixed,
      coalesce(max(h.step), 0)::float8 as step,
      exists (select 1 from moving m where m.symbol = traded.symbol) as is_moving
    from traded join b on b.id = traded.bot_id left join held h on h.bot_id = traded.bot_id and h.symbol = traded.symbol
      left join found n on n.bot_id = traded.bot_id and n.symbol = traded.symbol
    group by traded.symbol order by traded.symbol`.execute(db);
  return rows;
}

/** Whether nothing of a holding is on its way, and what bots and people say of it is the same at both times. */
export function isStill(before: ExpectedHolding, after: ExpectedHolding | undefined): boolean {
  if (after === undefined || before.isMoving || after.isMoving) return false;
  return after.expected === before.expected && after.ignored === before.ignored && after.unrecorded === before.unrecorded;
}

/**
 * Does something about a holding that was compared, with what is known of its account locked; nothing where people, orders or searches have
 * changed it since: the next comparison sees that.
 */
export async function whileStill(
  db: Database,
  { apiKeyId, marketType }: { apiKeyId: string; marketType: string },
  compared: ExpectedHolding,
  work: (trx: Database) => Promise<void>,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockAccount(trx, compared.botId);
    const newest = await expectedHoldings(trx, apiKeyId, marketType);
    const current = newest.find(({ symbol }) => symbol === compared.symbol);
    if (isStill(compared, current)) await work(trx);
  });
}

/** Whether a bot trades live with an account, and does until the transaction ends. */
export async function staysIn(
  trx: Database,
  botId: string,
  { apiKeyId, marketType }: { apiKeyId: string; marketType: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from bots where id = ${botId} and api_key_id = ${apiKeyId} and market_type = ${marketType} and mode = 'live' for share`.execute(
    trx,
  );
  return rows.length > 0;
}

/** The bot that a difference belongs to: where less is there than the trades say, one that has a trade. */
export function differingBot({ botId, holders, expected }: ExpectedHolding, actual: number): string {
  const isLess = expected > 0 ? actual < expected : expected < 0 && actual > expected;
  return isLess && !holders.includes(botId) ? (holders[0] ?? botId) : botId;
}

/** An account that does not hold what the trades of a bot say. Amounts in base currency; negative is short. */
export interface Difference {
  botId: string;
  symbol: string;
  expected: number;
  actual: number; // without what is ignored
}

/**
 * Notes a difference. A new one stops the entries of its bot, until a person lets it enter again, and is an alarm; of a bot that is stopped it
 * is a further reason. One that is known already gets its newest amounts.
 */
export async function noteDifference(db: Database, { botId, symbol, expected, actual }: Difference): Promise<void> {
  await inTransaction(db, async (trx) => {
    const target = { level: 'bot', id: botId } as const;
    await lockAccount(trx, botId);
    await lockSwitch(trx, target); // one after the other: also what two runners find at once
    const known = await sql<{ id: string }>`
      update differences set expected = ${expected}::numeric, actual = ${actual}::numeric, amounts_at = clock_timestamp()
      where bot_id = ${botId} and symbol = ${symbol} and ended_at is null returning id`.execute(trx);
    const alarm = {
      kind: 'difference',
      target,
      detail: symbol,
      facts: { symbol, expected: String(expected), actual: String(actual) },
    } as const;
    if (known.rows.length > 0) return await noteAlarmFacts(trx, alarm);
    await sql`
      insert into differences (bot_id, symbol, expected, actual)
      values (${botId}, ${symbol}, ${expected}::numeric, ${actual}::numeric)`.execute(trx);
    await stopEntries(trx, botId);
    await raiseAlarm(trx, alarm);
  });
}

/** Stops the entries of a bot because of a difference, until a person lets it enter again; where they are stopped already this is a further reason. */
export async function stopEntries(trx: Database, botId: string): Promise<void> {
  const target = { level: 'bot', id: botId } as const;
  const before = await lockSwitch(trx, target);
  if ((before?.state ?? 'active') !== 'active') return await addReason(trx, target);
  await setSwitch(trx, target, { state: 'reducing', setBy: null, isImposed: false, reason: 'difference' });
}

/**
 * Ends the open difference of a bot in a symbol, because the account agrees with all trades: nothing is to be decided about what orders without a record of its
 * bots have left there, either. The bot enters again when a person says so.
 */
export async function endAgreed(db: Database, botId: string, symbol: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await endDifference(trx, botId, symbol);
    await settleOthers(trx, botId, symbol);
  });
}

/** Ends the open difference of a bot in a symbol, because it is that of another. The bot enters again when a person says so. */
export async function endDifference(db: Database, botId: string, symbol: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockAccount(trx, botId);
    await sql`
      update differences set ended_at = clock_timestamp(), outcome = 'gone'
      where bot_id = ${botId} and symbol = ${symbol} and ended_at is null`.execute(trx);
    await settleUnrecorded(trx, botId, symbol);
    await endAlarm(trx, { kind: 'difference', target: { level: 'bot', id: botId }, detail: symbol });
  });
}

/** An open difference of a bot. */
export interface OpenDifference {
  botId: string;
  symbol: string;
  missing: number; // base currency; what the trades say beyond what is there
}

/** The symbols in which bots with this key have an open difference. */
export async function openDifferences(db: Database, apiKeyId: string): Promise<OpenDifference[]> {
  const { rows } = await sql<OpenDifference>`
    select d.bot_id, d.symbol, (d.expected - d.actual)::float8 as missing from differences d join bots b on b.id = d.bot_id
    where b.api_key_id = ${apiKeyId} and d.ended_at is null`.execute(db);
  return rows;
}
