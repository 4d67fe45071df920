import type { LimitName, WriteGate } from '#engine/risk/limit.ts';
import { limitNames } from '#engine/risk/limit.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { newestCapital } from '../trades/capital.ts';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import { sentTogether } from '../sent-together.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';
import { mostCapitalSql, roughWorthSql } from './default-bounds.ts';
import type { TradingTarget } from '../trading/trading-states.ts';

/** An entry order that a step makes; the mid price is that of the moment it was decided. */
export interface NewEntry {
  clientOrderId: string;
  mid: number;
}

/** Whose limit it is. */
export type LimitLevel = TradingTarget['level'];

/** A limit in force with what is used of it now. Amounts are in stake currency, ratios are fractions; exact decimals. */
export interface LimitUse {
  level: LimitLevel;
  name: LimitName;
  use: string | null; // null: it is checked with each entry, and nothing is kept of it
  value: string;
  isDefault: boolean;
  byDefault: string; // the value when nobody has set one
  ceiling: string | null; // what an administrator has imposed: the value is at or below it
  hasNoRate: boolean; // a ceiling is imposed in other currencies alone, and cannot be compared with this one: nothing is entered
  isReached: boolean; // a loss that has come to it; of the others, more than it is used
}

/** An entry is refused when it is to be written; nothing of its step is. */
export class EntryRefused extends Error {
  readonly gate: WriteGate;

  constructor(gate: WriteGate, message: string) {
    super(message);
    this.name = 'EntryRefused';
    this.gate = gate;
  }
}

/** An entry is refused, because it would exceed a limit; nothing of its step is written. */
export class LimitReached extends EntryRefused {
  readonly limit: LimitUse;

  constructor(botId: string, limit: LimitUse) {
    super(
      `limit-${limit.name}`,
      limit.hasNoRate
        ? `Bot ${botId} makes no entry: the limit ${limit.name} of the ${limit.level} is set in other currencies alone, which cannot be compared with its own`
        : `Bot ${botId} makes no entry: the limit ${limit.name} of the ${limit.level} is ${limit.value}, and it would be ${limit.use}`,
    );
    this.name = 'LimitReached';
    this.limit = limit;
  }
}

/** Which bots' use is asked for: those of the levels around one bot, or those of a user or the server that trade a currency. */
export interface LimitQuestion {
  mode: TradeMode;
  now: Date;
  levels: readonly LimitLevel[];
  botId?: string;
  userId?: string | null;
  currency?: string; // without a bot
  entries?: readonly NewEntry[]; // of orders, positions and leverage only what these make of it counts
}

/** What limits are counted in an amount of money. */
export const amountLimits: readonly LimitName[] = ['order-value', 'position-value', 'daily-loss'];

/** The levels whose limits hold in a mode: what is at an exchange is limited for the user and the server too. */
export function levelsOf(mode: TradeMode): LimitLevel[] {
  return mode === 'paper' ? ['bot'] : ['bot', 'user', 'server'];
}

/**
 * Waits for the steps of other bots whose entries or losses count towards the same limits of the users and the server, and keeps
 * later ones waiting until the transaction ends. Paper bots have no such limits: they are not to be given.
 *
 * Needs: a transaction in which `fence` was called; what is read of the limits is read by a later statement. Once in a transaction:
 * a second call would take the locks in another sequence than others do
 */
export async function lockLimits(trx: Database, botIds: readonly string[]): Promise<void> {
  if (botIds.length === 0) return;
  // The server's lock is taken for the shortest time, so the users' come first, all in the same sequence.
  await sentTogether(trx, (now) => [
    sql`
      select pg_advisory_xact_lock(hashtextextended('limits of user ' || user_id, 0))
      from (select distinct user_id from bots where id = any(${[...botIds]}::uuid[]) order by user_id) as owners`.execute(now),
    sql`select pg_advisory_xact_lock(hashtextextended('limits of the server', 0))`.execute(now),
  ]);
}

/**
 * The limits in force and what is used of them, the strictest level first, each in the sequence of `limitNames`.
 *
 * A user's and the server's count the bots of the same mode, and what others have lost in it today; their amounts those of the same stake
 * currency. An amount that is set in other currencies alone holds too, the strictest of them, for what it is roughly worth, where that is
 * stricter than the default.
 * Source: docs/decisions/0032-limits-and-alarms.md has the defaults and why
 */
export async function readLimits(db: Database, asked: LimitQuestion): Promise<LimitUse[]> {
  const { botId = null } = asked;
  const found = await limitsAround(db, asked, [botId]);
  return found.map((each) => {
    const { botId: _botId, ...use } = each;
    return use;
  });
}

async function limitsAround(
  db: Database,
  asked: Omit<LimitQuestion, 'botId'>,
  botIds: readonly (string | null)[],
): Promise<LimitUseOfBot[]> {
  const { entries = null, userId = null, currency = '' } = asked;
  return selectLimits(db, {
    botIds: [...botIds],
    userId,
    currency,
    mode: asked.mode,
    now: asked.now,
    levels: [...asked.levels],
    ids: entries?.map(({ clientOrderId }) => clientOrderId) ?? null,
    mids: entries?.map(({ mid }) => String(mid)) ?? null,
    amounts: [...amountLimits],
    names: [...limitNames],
  });
}

const orderIsOpen = sql`o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending')`;

/** A limit of the level of a bot names it; one of the others concerns all that were asked about. */
type LimitUseOfBot = LimitUse & { botId: string | null };

interface Values {
  botIds: (string | null)[];
  userId: string | null;
  currency: string;
  mode: TradeMode;
  now: Date;
  levels: LimitLevel[];
  ids: string[] | null;
  mids: string[] | null;
  amounts: LimitName[];
  names: LimitName[];
}

// Each level of each bot is asked about once: bots of one owner have the same level of the user.
const selectLimits = prepared<Values, LimitUseOfBot>('limits', (db, v) => {
  const isNew = sql`(${v.ids}::text[] is null or o.client_order_id = any(${v.ids}::text[]))`;
  // Of a bot that was set to stake less than it once did, what it stakes now.
  const termsWith = (
    capital: RawBuilder<unknown>,
  ) => sql`bots.stake_amount, bots.max_open_trades, bots.leverage, ${capital} as starting_balance,
    least(${capital}, bots.stake_amount * bots.max_open_trades) as counted, bots.stake_currency = asked.stake_currency as is_same`;
  const terms = termsWith(sql`bots.starting_balance`);
  const columns = sql`ask, id, stake_amount, max_open_trades, leverage, starting_balance, counted, is_same`;
  const most = mostCapitalSql(sql`asked.level`, sql`asked.stake_currency`);
  // The planner takes the mode of a bot for something rare, and would compare every bot with every trade: here it takes it for half of them.
  const inMode = sql`coalesce(${tradeModeSql} = ${v.mode}::text, false)`;
  const worthHere = roughWorthSql(sql`k.currency`);
  const carried = sql`l.value * ${roughWorthSql(sql`l.currency`)} / ${worthHere}`;
  const today = sql`(${v.now}::timestamptz at time zone 'UTC')::date`;
  const statement = sql<LimitUseOfBot>`
    with me as materialized (
      select given.id, coalesce(b.user_id, ${v.userId}::uuid) as user_id, coalesce(b.stake_currency, ${v.currency}::text) as stake_currency
      from unnest(${v.botIds}::uuid[]) as given(id) left join bots b on b.id = given.id
    ), asked as materialized (
      select row_number() over () as ask, level, bot_id, user_id, stake_currency from (
        select distinct level, case level when 'bot' then me.id end as bot_id, case level when 'server' then null else me.user_id end as user_id,
          me.stake_currency
        from unnest(${v.levels}::text[]) as l(level) cross join me
      ) as a
    ), scope as materialized (
      select asked.ask, bots.id, ${terms} from asked join bots on bots.id = asked.bot_id where asked.level = 'bot'
      union all
      select asked.ask, bots.id, ${terms} from asked join bots on bots.user_id = asked.user_id where asked.level = 'user' and ${inMode}
      union all
      select asked.ask, bots.id, ${terms} from asked cross join bots where asked.level = 'server' and ${inMode}
    ), left_today as materialized (
      -- What they have closed today in this mode is their owner's still, although they trade in another one by now.
      select asked.ask, bots.id, ${termsWith(sql`c.capital`)} from asked
        join bots on asked.level = 'server' or asked.level = 'user' and bots.user_id = asked.user_id
        join bot_figures f on f.bot_id = bots.id and f.mode = ${v.mode}::text and f.day = ${today}
        cross join lateral (${newestCapital(sql`f.bot_id`, sql`f.mode`)}) c
      where not ${inMode}
    ), concerned_today as (
      select ${columns}, false as is_left from scope union all select ${columns}, true from left_today
    ), terms as (
      select ask, coalesce(max(stake_amount * leverage) filter (where not is_left), 0) as stake,
        coalesce(max(max_open_trades) filter (where not is_left), 0) as slots, coalesce(max(leverage) filter (where not is_left), 1) as leverage,
        least(coalesce(sum(counted) filter (where is_same), 0), min(${most})) as balance,
        least(coalesce(sum(counted * leverage) filter (where is_same and not is_left), 0), min(${most})) as capital
      from asked left join concerned_today using (ask) group by ask
    ), concerned as materialized (
      select distinct id from scope
    ), open_entries as materialized (
      select t.bot_id, t.symbol, t.leverage, t.stake * t.leverage as held, ${isNew} as is_new, o.price, n.mid, o.requested * o.price as order_value,
        o.filled, case when ${orderIsOpen} then (o.requested - o.filled) * o.price else 0 end as waiting
      from trades t join orders o on o.trade_id = t.id and o.purpose in ('entry', 'adjust')
        left join unnest(${v.ids}::text[], ${v.mids}::numeric[]) as n(id, mid) on n.id = o.client_order_id
      where t.bot_id = any(array(select id from concerned)) and t.status = 'open' and t.mode = ${v.mode}::text
    ), positions_of_bot as (
      -- What is held stands in the trade, without what has been taken out of it; before the first fill that is only what was wanted.
      select bot_id, symbol, bool_or(is_new) as has_new, sum(waiting) + case when sum(filled) > 0 then max(held) else 0 end as value
      from open_entries group by bot_id, symbol
    ), held as (
      select ask, sum(value) filter (where is_same) as value, max(value) filter (where has_new and is_same) as newest
      from scope s full join positions_of_bot p on p.bot_id = s.id group by ask
    ), made as (
      select ask, max(order_value) filter (where is_new and is_same) as order_value, max(e.leverage) filter (where is_new) as leverage,
        max(abs(price - mid) / nullif(mid, 0)) as distance
      from scope s full join open_entries e on e.bot_id = s.id group by ask
    ), orders_of_bot as (
      select c.id, (select count(*) from orders o where o.bot_id = c.id and ${orderIsOpen}) as open_orders,
        (select count(*) from orders o where o.bot_id = c.id and o.planned_at > ${v.now}::timestamptz - interval '1 minute') as minute_orders
      from concerned c
    ), counted as (
      select ask, sum(open_orders) as open_orders, sum(minute_orders) as minute_orders from scope full join orders_of_bot using (id) group by ask
    ), figures as (
      select bot_id, day, day_profit, peak_balance, realized_pnl from bot_figures
      where mode = ${v.mode}::text and bot_id in (select id from concerned_today)
    ), results as (
      select s.ask,
        -sum(f.day_profit) filter (where s.is_same and f.day = ${today}) as daily_loss,
        sum(greatest(f.peak_balance - s.starting_balance - f.realized_pnl, 0)) filter (where s.is_same and not s.is_left)
          / nullif(sum(f.peak_balance) filter (where s.is_same and not s.is_left), 0) as drawdown
      from concerned_today s full join figures f on f.bot_id = s.id group by s.ask
    ), found as (
      select asked.level, asked.bot_id, u.name, u.use, least(c.ceiling, c.own) as value,
        l.own is null and l.imposed is null and least(c.ceiling, c.own) = u.standard as is_default, u.standard as by_default, c.ceiling, c.has_no_rate
      from asked join terms using (ask)
        left join made using (ask) left join held using (ask) left join counted using (ask) left join results using (ask)
        cross join lateral (values
          ('order-value', coalesce(made.order_value, 0), case asked.level when 'bot' then 3 * terms.stake else 1.5 * terms.capital end),
          ('position-value', coalesce(case asked.level when 'bot' then held.newest else held.value end, 0),
            case asked.level when 'bot' then 3 * terms.stake else 1.5 * terms.capital end),
          ('open-orders', coalesce(counted.open_orders, 0),
            case asked.level when 'bot' then greatest(10, 3 * terms.slots) when 'user' then 200 else 2000 end),
          ('orders-per-minute', coalesce(counted.minute_orders, 0),
            case asked.level when 'bot' then greatest(20, 6 * terms.slots) when 'user' then 300 else 3000 end),
          ('price-collar', case when ${v.ids}::text[] is null then null else coalesce(made.distance, 0) end, 0.02),
          ('leverage', coalesce(made.leverage, 0), case asked.level when 'bot' then terms.leverage else 25 end),
          ('daily-loss', greatest(coalesce(results.daily_loss, 0), 0), case asked.level when 'bot' then 0.5 else 0.6 end * terms.balance),
          ('drawdown', coalesce(results.drawdown, 0), case asked.level when 'bot' then 0.5 else 0.6 end)
        ) as u (name, use, standard)
        cross join lateral (
          select case when asked.level <> 'bot' and u.name = any(${v.amounts}::text[]) then asked.stake_currency else '' end as currency
        ) k
        cross join lateral (
          -- The owner's, and the ceiling above it: in the currency, and the strictest of the others for what it is worth in it.
          select min(l.value) filter (where not l.is_ceiling and l.currency = k.currency) as own,
            min(l.value) filter (where l.is_ceiling and l.currency = k.currency) as imposed,
            min(${carried}) filter (where not l.is_ceiling) as own_elsewhere, min(${carried}) filter (where l.is_ceiling) as imposed_elsewhere,
            coalesce(bool_or(l.is_ceiling), false) and min(${carried}) filter (where l.is_ceiling) is null and k.currency <> '' as is_unknown
          from limits l where l.level = asked.level and l.name = u.name
            and case asked.level when 'bot' then l.bot_id = asked.bot_id when 'user' then l.user_id = asked.user_id else true end
        ) l
        cross join lateral (
          select coalesce(l.imposed, l.imposed_elsewhere) as ceiling,
            -- What was set elsewhere never allows more than the default.
            coalesce(l.own, case when l.imposed is null then least(l.own_elsewhere, u.standard) else l.own_elsewhere end) as own,
            l.imposed is null and l.is_unknown as has_no_rate
        ) c
    )
    select level, bot_id, name, trim_scale(use)::text as use, trim_scale(value)::text as value, is_default, trim_scale(by_default)::text as by_default,
      trim_scale(ceiling)::text as ceiling, has_no_rate,
      -- Beside a ceiling that cannot be compared entries are refused; a loss stops what it would have stopped without it.
      has_no_rate and ${v.ids}::text[] is not null
        or coalesce(case when name in ('daily-loss', 'drawdown') then use >= value and use > 0 else use > value end, false) as is_reached
    from found
    order by array_position(array['bot', 'user', 'server'], level), array_position(${v.names}::text[], name)`;
  return { compile: () => statement.compile(db) };
});

/** How much a limit allows: nothing, where it cannot be compared. */
export function allowed({ value, hasNoRate }: Pick<LimitUse, 'value' | 'hasNoRate'>): number {
  return hasNoRate ? 0 : Number(value);
}

/** The new entries of a bot. */
export interface EntriesOfBot {
  botId: string;
  entries: readonly NewEntry[];
}

/**
 * Refuses steps whose new entries exceed a limit of their bot, its owner or the server. The orders of the steps are in the database
 * already, in the same transaction: they are what is reserved. All bots are of one mode.
 *
 * Needs: `lockLimits`, but for paper bots. Fails: `LimitReached`, about all of these entries together
 */
export async function checkEntries(trx: Database, mode: TradeMode, made: readonly EntriesOfBot[], now: Date): Promise<void> {
  const entries = made.flatMap((each) => each.entries);
  const botIds = made.map(({ botId }) => botId);
  const limits = await limitsAround(trx, { mode, now, levels: levelsOf(mode), entries }, botIds);
  const reached = limits.find(({ isReached }) => isReached);
  if (reached === undefined) return;
  const { botId, ...limit } = reached;
  throw new LimitReached(botId ?? botIds[0] ?? '', limit);
}
