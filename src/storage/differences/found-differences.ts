import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { endAlarm } from '../alarms/alarms.ts';
import { minus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { Database } from '../database.ts';
import { noteDifference } from './differences.ts';
import { waitsForCorrection } from './held-elsewhere.ts';
import { isInOwnAccount } from '../own-account.ts';
import { isSoldUndecided, waitsForPerson } from './missing-amounts.ts';
import { lockAccount } from './lock-account.ts';
import { settleUnrecorded } from './settle-unrecorded.ts';

/** How a difference has ended. */
export type DifferenceOutcome = 'gone' | 'ignored' | 'adopted' | 'closed' | 'left'; // left: its bot trades with another account

/** A difference with what a person has to know of it. Amounts in base currency; negative is short. */
export interface FoundDifference {
  id: string;
  botId: string;
  nickname: string;
  exchangeId: string;
  marketType: string;
  apiKeyId: string | null; // null: the bot has no key any more
  ownerId: string;
  ownerEmail: string;
  symbol: string;
  expected: number;
  actual: number; // without what is ignored
  ignored: number; // what the account holds for nobody, by earlier decisions
  isStopped: boolean; // the bot; archived ones are
  foundAt: Date;
  endedAt: Date | null;
  outcome: DifferenceOutcome | null;
  isDone: boolean; // false: its bot has not carried out yet what was decided
  tradeId: string | null; // the bot's open trade in the symbol
  tradeDirection: 'long' | 'short' | null;
  tradeAmount: number | null;
  lacksForOther: boolean; // the bot has no trade, and the account lacks something for that of another bot with the key
  waits: boolean; // only stops leave the trade until a person has decided, because it is older than a restore
  step: number; // smallest amount of the symbol that can be traded, as the bot's newest trade in it knows it; 0 without one
  isStale: boolean; // more has become known of orders without a record since its amounts were looked at
  unrecorded: { net: number; price: number; fee: number | null }[]; // orders without a record that nobody has decided about, oldest first
}

/** The smallest amount of a symbol that can be traded, as the newest trade of a bot in it knows it; 0 without one. */
export function newestStep(botId: RawBuilder<unknown>, symbol: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((select (s.engine_state ->> 'amountStep')::float8 * (s.engine_state ->> 'contractSize')::float8 from trades s
    where s.bot_id = ${botId} and s.symbol = ${symbol} and s.engine_state ? 'amountStep' order by s.opened_at desc limit 1), 0)`;
}

/**
 * By how much the trades of an account have changed since it was compared: orders of the bots that are filled meanwhile change what is
 * expected and what is there alike. So an open difference always shows the trades as they are now, also while exits of them fail.
 */
const moved = sql`coalesce(case when d.ended_at is null and b.api_key_id is not null then (
  select coalesce(sum(case m.direction when 'long' then m.amount else -m.amount end), 0) from trades m join bots mb on mb.id = m.bot_id
  where mb.api_key_id = b.api_key_id and mb.market_type = b.market_type and mb.mode = 'live' and m.symbol = d.symbol
    and m.status = 'open' and m.mode <> 'paper' and m.entry_price is not null) - d.expected end, 0)`;

/** Whether the bot of a row `d` of `differences` has still to carry out what was decided: the newest decision about its symbol. */
const isToBeDone = sql`d.outcome in ('adopted', 'closed') and not exists (
    select 1 from differences newer where newer.bot_id = d.bot_id and newer.symbol = d.symbol and newer.outcome in ('adopted', 'closed')
      and newer.ended_at > d.ended_at)
  and (exists (select 1 from adopted_holdings h where h.bot_id = d.bot_id and h.symbol = d.symbol and h.done_at is null)
    or exists (select 1 from trades t where t.bot_id = d.bot_id and t.symbol = d.symbol and t.status = 'open'
      and (${waitsForCorrection} or d.outcome = 'closed' and t.close_asked_at is not null)))`;

/** Whether what is missing is that of another bot's trade. The next comparison gives the difference to that bot. */
const lacksForOther = sql`d.ended_at is null and t.id is null and exists (
  select 1 from trades o join bots ob on ob.id = o.bot_id
  where ob.api_key_id = b.api_key_id and ob.market_type = b.market_type and ob.mode = 'live' and ob.id <> b.id
    and o.symbol = d.symbol and o.status = 'open' and o.mode <> 'paper' and o.entry_price is not null
    and case o.direction when 'long' then d.expected + ${moved} > 0 and d.actual < d.expected
      else d.expected + ${moved} < 0 and d.actual > d.expected end)`;

const columns = sql`
  d.id, d.bot_id, b.nickname, b.exchange_id, b.market_type, b.api_key_id, b.user_id as owner_id, b.status = 'stopped' as is_stopped, u.email as owner_email, d.symbol,
  (d.expected + ${moved})::float8 as expected,
  case when b.market_type = 'spot' and d.ended_at is null then greatest(d.actual + ${moved}, 0) else d.actual + ${moved} end::float8 as actual, coalesce(i.amount, 0)::float8 as ignored, d.found_at, d.ended_at, d.outcome, not coalesce(${isToBeDone}, false) as is_done,
  t.id as trade_id, t.direction as trade_direction, t.amount::float8 as trade_amount,
  ${lacksForOther} as lacks_for_other,
  coalesce(${waitsForPerson}, false) as waits,
  exists (select 1 from unrecorded_orders n where n.bot_id = d.bot_id and n.symbol = d.symbol and n.changed_at > d.amounts_at and ${isInOwnAccount(sql`n`)}) as is_stale,
  ${newestStep(sql`d.bot_id`, sql`d.symbol`)} as step,
  coalesce((select jsonb_agg(jsonb_build_object('net', (n.net - n.settled_net)::float8, 'price', n.average_price::float8, 'fee', n.fee_quote::float8) order by n.made_at)
    from unrecorded_orders n where n.bot_id = d.bot_id and n.symbol = d.symbol and n.net <> n.settled_net and d.ended_at is null and ${isInOwnAccount(sql`n`)}), '[]') as unrecorded`;
const tables = sql`
  differences d join bots b on b.id = d.bot_id join users u on u.id = b.user_id
  left join lateral (
    select id, direction, amount, opened_at from trades
    where bot_id = d.bot_id and symbol = d.symbol and status = 'open' and mode <> 'paper' and entry_price is not null and d.ended_at is null
    limit 1) t on true
  left join ignored_holdings i on i.api_key_id = b.api_key_id and i.market_type = b.market_type and i.symbol = d.symbol`;

const endedShown = 20;

/** The open differences of a user's bots, with null of all bots, and the last that have ended; newest first. */
export async function listDifferences(db: Database, userId: string | null): Promise<{ open: FoundDifference[]; ended: FoundDifference[] }> {
  const isTheirs = sql`(${userId}::uuid is null or b.user_id = ${userId}::uuid)`;
  const open = await sql<FoundDifference>`
    select ${columns} from ${tables} where d.ended_at is null and ${isTheirs} order by d.found_at desc, d.id`.execute(db);
  const ended = await sql<FoundDifference>`
    select ${columns} from ${tables} where d.ended_at is not null and ${isTheirs} order by d.ended_at desc, d.id limit ${endedShown}`.execute(
    db,
  );
  return { open: open.rows, ended: ended.rows };
}

/** A difference, locked until the transaction ends: the check of its account and other people wait. */
export async function lockDifference(trx: Database, id: string): Promise<FoundDifference | null> {
  const known = await sql<{ botId: string }>`select bot_id from differences where id = ${id}`.execute(trx);
  const [difference] = known.rows;
  if (difference === undefined) return null;
  await lockAccount(trx, difference.botId);
  await sql`select 1 from differences where id = ${id} for update`.execute(trx);
  // Read only now: the trade beside it may have changed while the row was waited for.
  const { rows } = await sql<FoundDifference>`select ${columns} from ${tables} where d.id = ${id}`.execute(trx);
  return rows[0] ?? null;
}

/** Ends a locked difference with its alarm: what the account holds more or less than the trades say belongs to no bot from now on. */
export async function ignoreDifference(trx: Database, found: FoundDifference): Promise<void> {
  if (found.apiKeyId !== null)
    await sql`
    insert into ignored_holdings as i (api_key_id, market_type, symbol, amount)
    select ${found.apiKeyId}::uuid, ${found.marketType}, symbol, actual - expected from differences
    where id = ${found.id} and (${found.marketType} <> 'spot' or actual < expected) -- more coins on spot are no matter
    on conflict (api_key_id, market_type, symbol) do update set amount = i.amount + excluded.amount`.execute(trx);
  await endFound(trx, found, 'ignored');
}

/**
 * What an account lacks beyond the trade of an ended difference is one of another bot's trade at once: until the next comparison its
 * exits would ask for what is not there.
 */
export async function passOnRest(
  trx: Database,
  { botId, symbol, expected, actual, tradeDirection }: FoundDifference,
  missing: number,
): Promise<void> {
  const rest = toNumber(minus(toDecimal(expected), toDecimal(tradeDirection === 'short' ? -missing : missing)));
  const { rows } = await sql<{ botId: string }>`
    select t.bot_id from bots found join bots b on b.api_key_id = found.api_key_id and b.market_type = found.market_type and b.mode = 'live'
      join trades t on t.bot_id = b.id and t.symbol = ${symbol} and t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null
    where found.id = ${botId} and b.id <> ${botId} and t.direction = ${tradeDirection}
    order by ${isSoldUndecided} desc, t.opened_at, t.id limit 1`.execute(trx);
  const [other] = rows;
  const isLacking = tradeDirection === 'short' ? actual > rest : actual < rest;
  if (other !== undefined && isLacking) await noteDifference(trx, { botId: other.botId, symbol, expected: rest, actual });
}

/** Ends a locked difference, and its alarm. */
export async function endFound(trx: Database, { id, botId, symbol }: FoundDifference, outcome: DifferenceOutcome): Promise<void> {
  await sql`update differences set ended_at = clock_timestamp(), outcome = ${outcome} where id = ${id}`.execute(trx);
  await settleUnrecorded(trx, botId, symbol);
  await endAlarm(trx, { kind: 'difference', target: { level: 'bot', id: botId }, detail: symbol });
}
