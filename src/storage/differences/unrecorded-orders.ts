import { sql } from 'kysely';
import { raiseAlarms } from '../alarms/alarms.ts';
import { writeAudit } from '../audit/audit-log.ts';
import type { Database } from '../database.ts';
import { differingBot, expectedHoldings, noteDifference, stopEntries } from './differences.ts';
import { inTransaction } from '../in-transaction.ts';
import { serverStart, serverStartText } from '../server-start.ts';
import { lockAccount } from './lock-account.ts';
import { newestStep } from './found-differences.ts';
import { restoredAt } from './missing-amounts.ts';
import { isWaitingToBeAdopted } from '../adoptions/waiting.ts';
import { giveBackLapsed, giveBackSold, lapsedAdoptions } from './adopted-holdings.ts';
import { isInOwnAccount } from '../own-account.ts';
import { settleUnrecorded } from './settle-unrecorded.ts';
import { hasWaitingEntry } from './waiting-entries.ts';

/** An account at an exchange: one key, one market. */
export interface KeyAccount {
  apiKeyId: string;
  marketType: string;
}

/** A live bot of an account, as far as its orders are searched for. */
export interface SearchedBot {
  id: string;
  symbols: string[]; // that it may have orders in
  trades: { symbol: string; direction: 'long' | 'short'; isEntered: boolean }[]; // its open trades; `isEntered`: anything is held, as far as is on record
  since: number; // ms; its orders before this time are on record, and none of those planned was sent
  noted: string[]; // client ids of its orders that were found without a record
  isRestored: boolean; // the database is older than its account: it was restored after the last search
}

/** The live bots of an account. */
export async function searchedBots(db: Database, { apiKeyId, marketType }: KeyAccount): Promise<SearchedBot[]> {
  const { rows } = await sql<Omit<SearchedBot, 'since'> & { since: Date }>`
    select b.id,
      (select array_agg(distinct s) from (select unnest(b.symbols) as s union select t.symbol from trades t
        where t.bot_id = b.id and t.status = 'open' and t.mode <> 'paper' union select u.symbol from unrecorded_orders u where u.bot_id = b.id) each) as symbols,
      coalesce((select jsonb_agg(jsonb_build_object('symbol', t.symbol, 'direction', t.direction, 'isEntered', t.entry_price is not null))
        from trades t where t.bot_id = b.id and t.status = 'open' and t.mode <> 'paper'), '[]') as trades,
      least(
        (select min(o.planned_at) from orders o join trades t on t.id = o.trade_id where o.bot_id = b.id and t.mode <> 'paper' and o.status = 'planned'),
        greatest(s.searched_at, coalesce(
          (select max(o.planned_at) from orders o join trades t on t.id = o.trade_id where o.bot_id = b.id and t.mode <> 'paper'), b.created_at - interval '1 day'))) as since,
      array(select u.client_order_id from unrecorded_orders u where u.bot_id = b.id) as noted,
      coalesce(s.searched_at, b.created_at) < ${restoredAt} as is_restored
    from bots b left join order_searches s on s.api_key_id = b.api_key_id and s.market_type = b.market_type
    where b.api_key_id = ${apiKeyId} and b.market_type = ${marketType} and b.mode = 'live' order by b.id`.execute(db);
  return rows.map(({ since, ...bot }) => ({ ...bot, since: since.getTime() }));
}

/** Runner and epoch of who holds the live bots of an account now, by bot. */
export async function claimsOf(db: Database, { apiKeyId, marketType }: KeyAccount): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; claim: string }>`
    select b.id, r.id || ' ' || b.epoch as claim from bots b join runners r on r.id = b.runner_id
    where b.api_key_id = ${apiKeyId} and b.market_type = ${marketType} and b.mode = 'live'
      and r.expires_at > now() and r.server_started_at = ${serverStart}`.execute(db);
  return new Map(rows.map(({ id, claim }) => [id, claim]));
}

/** Those of these client order ids that are on record. */
export async function recordedOrders(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    id: string;
  }>`select client_order_id as id from orders where client_order_id = any(${[...ids]}::text[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Those of these client order ids that have ended for more than a minute, as far as is on record: longer than a list of orders is old. */
export async function endedOrders(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select client_order_id as id from orders where client_order_id = any(${[...ids]}::text[])
      and status in ('filled', 'cancelled', 'expired', 'refused') and closed_at < clock_timestamp() - interval '1 minute'`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The newest fill that an account's live bots had in it in a symbol before a time, in ms; null when there is none. Each account counts its fills by itself. */
export async function newestAccountFill(
  db: Database,
  { apiKeyId, marketType }: KeyAccount,
  symbol: string,
  time: number,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select f.exchange_fill_id as id from fills f join orders o on o.id = f.order_id join trades t on t.id = o.trade_id join bots b on b.id = o.bot_id
    where b.api_key_id = ${apiKeyId} and t.account_id = b.api_key_id and b.market_type = ${marketType} and t.symbol = ${symbol} and t.mode <> 'paper'
      and f.filled_at < ${new Date(time)} and f.exchange_fill_id not like 'outside-%'
    order by f.filled_at desc limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

/**
 * Orders without a record that have not ended, as far as is known. One is settled once a person has decided about it; also when it was found
 * after that, while a holding of its symbol waits to be adopted: the adoption waits for it in turn.
 */
export async function standingUnrecorded(
  db: Database,
  { apiKeyId, marketType }: KeyAccount,
): Promise<{ botId: string; clientOrderId: string; symbol: string; isSettled: boolean }[]> {
  const { rows } = await sql<{ botId: string; clientOrderId: string; symbol: string; isSettled: boolean }>`
    select bot_id, client_order_id, symbol, settled_at is not null or exists (
      select 1 from adopted_holdings h where h.bot_id = unrecorded_orders.bot_id and h.symbol = unrecorded_orders.symbol
        and ${isWaitingToBeAdopted}) and ${isInOwnAccount(sql`unrecorded_orders`)} as is_settled
    from unrecorded_orders
    where api_key_id = ${apiKeyId} and market_type = ${marketType} and state = 'open' order by made_at`.execute(db);
  return rows;
}

/** An order that was found at an exchange and is not on record. Amounts in base currency. */
export interface FoundOrder {
  botId: string;
  clientOrderId: string;
  exchangeOrderId: string;
  symbol: string;
  side: 'buy' | 'sell';
  type: 'limit' | 'market' | 'stop';
  state: string;
  requested: number;
  filled: number;
  price: number | null;
  net: string; // what it has brought, fees in base currency deducted; negative was sold
  averagePrice: string | null;
  feeQuote: string | null;
  madeAt: Date;
}

/**
 * Notes orders that are not on record. A new one is an alarm and a line of the audit log. What they have bought or sold, and nobody has
 * decided about, is a difference at once, because their fills say it exactly: it stops the entries of the bot. Where they have left nothing they are
 * settled, unless some may not be known yet (not `areAll`).
 */
export async function noteUnrecorded(db: Database, account: KeyAccount, orders: readonly FoundOrder[], areAll = true): Promise<void> {
  if (orders.length === 0) return;
  const { apiKeyId, marketType } = account;
  await inTransaction(db, async (trx) => {
    const isNew = new Set<string>();
    const haveChanged = new Set<string>(); // bots of which something new is known
    await lockAccount(trx, orders[0]?.botId ?? '');
    for (const order of orders) {
      const { rows } = await sql<{ isNew: boolean }>`
        insert into unrecorded_orders as u (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state,
          requested, filled, price, net, average_price, fee_quote, made_at)
        values (${order.clientOrderId}, ${order.botId}, ${apiKeyId}, ${marketType}, ${order.exchangeOrderId}, ${order.symbol}, ${order.side},
          ${order.type}, ${order.state}, ${order.requested}, ${order.filled}, ${order.price}, ${order.net}, ${order.averagePrice},
          ${order.feeQuote}, ${order.madeAt})
        on conflict (client_order_id) do update set state = excluded.state, filled = excluded.filled, net = excluded.net,
          average_price = excluded.average_price, fee_quote = excluded.fee_quote, changed_at = clock_timestamp()
          where (u.state, u.filled, u.net) is distinct from (excluded.state, excluded.filled, excluded.net)
        returning (xmax = 0) as is_new`.execute(trx);
      if (rows[0]?.isNew === true) isNew.add(order.clientOrderId);
      if (rows.length > 0) haveChanged.add(order.botId);
    }
    for (const { botId, symbol } of orders) {
      const owner = await noteLeft(trx, account, { botId, symbol, areAll });
      // It is one difference of an account, and each bot that has left something of it waits for a person.
      if (owner !== null && owner !== botId && haveChanged.delete(botId)) await stopEntries(trx, botId);
    }
    const found = orders
      .filter(({ clientOrderId }) => isNew.has(clientOrderId))
      .map(({ botId, clientOrderId, symbol, side, type, requested, filled, price, state }) => {
        const facts = { order: clientOrderId, symbol, side, type, amount: requested, filled, price, state };
        return { kind: 'unrecorded-order', target: { level: 'bot', id: botId }, detail: clientOrderId, facts } as const;
      });
    await raiseAlarms(trx, found);
    // Last, as whoever takes note of an alarm does: the audit log is kept from the first line until the end.
    for (const { target, facts } of found)
      await writeAudit(trx, {
        actorId: null,
        actorRole: null,
        action: 'find-order',
        target: `bot ${target.id}`,
        result: 'ok',
        detail: facts,
      });
  });
}

/** Notes that the exchange does not know orders without a record any more: what has become of them is listed nowhere. */
export async function noteVanished(db: Database, ids: readonly string[]): Promise<void> {
  await sql`
    update unrecorded_orders set state = 'cancelled'
    where client_order_id = any(${[...ids]}::text[]) and state = 'open'`.execute(db);
}

/** On spot a round trip leaves what is below a step, and fees taken in base currency: no more than this part of an order. */
const dustRatio = 0.002;

/** Many round trips leave as many steps, but no more than this part of the largest order: a position would be taken for what they have left, and its stop cancelled. */
const mostDustRatio = 0.02;

/** What a bot's orders without a record have left in a symbol. */
interface LeftIn {
  botId: string;
  symbol: string;
  areAll?: boolean; // all of them are known
}

/**
 * What a bot's orders without a record have left in a symbol is a difference; where they have left nothing, nothing is to be decided. Gives the bot
 * whose difference it is; null where there is none.
 */
async function noteLeft(trx: Database, account: KeyAccount, of: LeftIn): Promise<string | null> {
  const { botId, symbol, areAll = true } = of;
  const settle = async (): Promise<null> => {
    if (areAll) await settleUnrecorded(trx, botId, symbol);
    return null;
  };
  const { rows } = await sql<{ left: number; isDust: boolean }>`
    with found as (
      select coalesce(sum(net - settled_net), 0) as left, coalesce(sum(abs(net - settled_net)), 0) as traded, coalesce(max(abs(net - settled_net)), 0) as largest,
        count(*) filter (where net < settled_net) as exits, ${newestStep(sql`${botId}::uuid`, sql`${symbol}`)}::numeric as step
      from unrecorded_orders
      where bot_id = ${botId} and symbol = ${symbol} and api_key_id = ${account.apiKeyId} and market_type = ${account.marketType})
    select "left"::float8 as left, "left" = 0 or abs("left") < step or ${account.marketType === 'spot'} and abs("left") <= greatest(${dustRatio} * largest,
      least(case when step = 0 then ${dustRatio} * traded else exits * step end, ${mostDustRatio} * largest)) as is_dust
    from found`.execute(trx);
  const { left, isDust } = rows[0] ?? { left: 0, isDust: true };
  if (isDust) return await settle();
  // Coins that were sold between a decision and what it asks for must not be adopted, nor sold once more.
  if (await giveBackSold(trx, { botId, symbol, left })) return await noteLeft(trx, account, of);
  const waits = await isEntryAwaited(trx, botId, symbol); // asked first: what is booked meanwhile is in the trades then
  const holding = (await expectedHoldings(trx, account.apiKeyId, account.marketType)).find((each) => each.symbol === symbol);
  const expected = holding?.expected ?? 0;
  const sum = Number((expected + left).toPrecision(12));
  const actual = account.marketType === 'spot' ? Math.max(0, sum) : sum;
  if (actual === expected) {
    // What an entry on record may still turn out to have bought was perhaps what was sold: then its trade has nothing left to sell.
    return waits ? null : await settle();
  }
  const own = holding === undefined ? botId : differingBot({ ...holding, botId }, actual);
  // What was sold is what its own entry has bought, as far as is known: it is not missing of another bot's trade.
  if (waits && own !== botId) return null;
  // What one has bought and another has sold are two questions: the sum would say that nothing has happened.
  const owner = holding === undefined || holding.isMixed ? own : differingBot(holding, actual);
  await noteDifference(trx, { botId: owner, symbol, expected, actual });
  return owner;
}

async function isEntryAwaited(trx: Database, botId: string, symbol: string): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select ${hasWaitingEntry(sql`${botId}::uuid`, sql`${symbol}`)} as is`.execute(trx);
  return rows[0]?.is === true;
}

/**
 * Notes that all orders of an account's bots were on record, or noted, at a time in ms. A search of the open orders alone, one that is not whole, says so
 * only after a whole one since the database server was started; none says it of a restored bot that has begun to trade with the account since it began, nor when the
 * database server was started again since it began, or just before (`begunAt`, see `readServerStart`): what it found on record may be lost, and what was
 * sent before may have arrived after it looked. What was sold without a record and waited for an
 * entry is decided on now, if the entry has ended; what a person wanted a bot to adopt, and it could not, is a difference again. A key that is gone meanwhile is not a failure.
 */
export async function noteOrderSearch(
  db: Database,
  account: KeyAccount,
  { time, isWhole = true, begunAt }: { time: number; isWhole?: boolean; begunAt: string },
): Promise<void> {
  const { apiKeyId, marketType } = account;
  // Also where what it says of its time does not count: those of the open orders that follow it continue from what was known before.
  if (isWhole)
    await sql`
      update order_searches set server_started_at = ${serverStart}
      where api_key_id = ${apiKeyId} and market_type = ${marketType} and ${serverStartText} = ${begunAt}`.execute(db);
  await sql`
    insert into order_searches (api_key_id, market_type, searched_at)
    select k.id, ${marketType}, ${new Date(time)} from api_keys k where k.id = ${apiKeyId} and ${serverStartText} = ${begunAt}
      and (${isWhole} or exists (
        select from order_searches s where s.api_key_id = k.id and s.market_type = ${marketType} and s.server_started_at = ${serverStart}))
      and not exists (select from bots b where b.api_key_id = k.id and b.market_type = ${marketType} and b.mode = 'live'
        and b.created_at < ${restoredAt} and b.updated_at > ${new Date(time)})
    on conflict (api_key_id, market_type) do update set searched_at = greatest(order_searches.searched_at, excluded.searched_at),
      server_started_at = excluded.server_started_at`.execute(db);
  for (const { id, botId, symbol } of await lapsedAdoptions(db, account))
    await inTransaction(db, async (trx) => {
      await lockAccount(trx, botId);
      if (await giveBackLapsed(trx, id)) await noteLeft(trx, account, { botId, symbol }); // also where there is another difference in the symbol
    });
  for (const { botId, symbol } of await undecided(db, account))
    await inTransaction(db, async (trx) => {
      await lockAccount(trx, botId);
      const still = await undecided(trx, account);
      if (still.some((each) => each.botId === botId && each.symbol === symbol)) await noteLeft(trx, account, { botId, symbol });
    });
}

/** Where orders without a record have bought or sold something, and no difference asks a person about it. */
async function undecided(db: Database, { apiKeyId, marketType }: KeyAccount): Promise<{ botId: string; symbol: string }[]> {
  const { rows } = await sql<{ botId: string; symbol: string }>`
    select distinct u.bot_id, u.symbol from unrecorded_orders u join bots b on b.id = u.bot_id
    where b.api_key_id = ${apiKeyId} and b.market_type = ${marketType} and b.mode = 'live' and u.net <> u.settled_net and ${isInOwnAccount(sql`u`)}
      and not exists (select 1 from differences d join bots o on o.id = d.bot_id
        where o.api_key_id = b.api_key_id and o.market_type = b.market_type and d.symbol = u.symbol and d.ended_at is null)`.execute(db);
  return rows;
}
