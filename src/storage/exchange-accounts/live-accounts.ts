import { restoredAt } from '../differences/missing-amounts.ts';
import { sql } from 'kysely';
import { isAlive } from '../living-runner.ts';
import type { Database } from '../database.ts';
import { leftOver } from '../trades/left-over.ts';
import { stopGapsOfBots } from '../trades/stop-gaps.ts';
import { listUnprotected } from '../trades/unprotected-trades.ts';

/** What remains of a coin on a spot account, because it is too little to sell. */
export interface LeftOver {
  symbol: string;
  amount: number; // base currency
  worth: number; // quote currency, at the newest price that a trade of it had
}

/** An account that live bots trade with, and how it stands. */
export interface LiveAccount {
  apiKeyId: string;
  marketType: 'spot' | 'futures' | 'margin';
  exchangeId: string;
  ownerId: string;
  ownerEmail: string;
  label: string | null;
  keyHint: string;
  check: 'ok' | 'refused' | 'unreachable' | null; // what the exchange said of the key last
  checkedAt: Date | null;
  comparedAt: Date | null; // with the trades of its bots
  hasRunner: boolean; // one holds a bot of it now
  clockOffsetMs: number | null; // of its runner: how far that clock is behind the exchange's
  budgetUsed: number | null; // of its runner: the share of the exchange's requests of a minute
  bots: { id: string; nickname: string }[];
  unknownOrders: number; // their state is unknown
  oldestUnknownAt: Date | null;
  differences: number;
  unprotected: number; // open trades without a confirmed stop
  longestStopGapMs: number | null; // of the last 24 hours
  leftOvers: LeftOver[]; // of the last 90 days, the most valuable first
}

type Row = Omit<LiveAccount, 'unprotected' | 'longestStopGapMs' | 'leftOvers'>;

/** The accounts that live bots trade with, of one user, or with null of all; archived bots trade with none. */
export async function listLiveAccounts(db: Database, userId: string | null): Promise<LiveAccount[]> {
  const { rows } = await sql<Row>`
    select k.id as api_key_id, b.market_type, min(b.exchange_id) as exchange_id, u.id as owner_id, u.email as owner_email, k.label, k.key_hint,
      k.check_result as "check", k.checked_at, c.checked_at as compared_at, count(r.id) > 0 as has_runner,
      (array_agg((r.exchange_figures -> b.exchange_id ->> 'offsetMs')::float8) filter (where r.id is not null))[1] as clock_offset_ms,
      (array_agg((r.exchange_figures -> b.exchange_id ->> 'used')::float8) filter (where r.id is not null))[1] as budget_used,
      jsonb_agg(jsonb_build_object('id', b.id, 'nickname', b.nickname) order by b.nickname) as bots,
      sum(o.n)::int as unknown_orders, min(o.since) as oldest_unknown_at,
      sum((select count(*) from differences d where d.bot_id = b.id and d.ended_at is null))::int as differences
    from bots b join api_keys k on k.id = b.api_key_id join users u on u.id = b.user_id
      left join account_checks c on c.api_key_id = k.id and c.market_type = b.market_type
      left join runners r on r.id = b.runner_id and ${isAlive}
      cross join lateral (
        select count(*) as n, min((select max(e.at) from order_events e where e.order_id = x.id and e.state = 'unknown')) as since
        from orders x where x.bot_id = b.id and x.status = 'unknown') o
    where b.mode = 'live' and b.archived_at is null and (${userId}::uuid is null or b.user_id = ${userId}::uuid)
    group by k.id, b.market_type, u.id, c.checked_at order by u.email, min(b.nickname)`.execute(db);
  if (rows.length === 0) return [];
  const ids = rows.flatMap(({ bots }) => bots.map(({ id }) => id));
  const [unprotected, gaps, left] = [await listUnprotected(db, userId), await stopGapsOfBots(db, ids), await leftOversOf(db, ids)];
  return rows.map((row) => {
    const own = new Set(row.bots.map(({ id }) => id));
    const ms = gaps.flatMap(({ botId, gapMs }) => (own.has(botId) ? [gapMs] : []));
    return {
      ...row,
      unprotected: unprotected.filter(({ botId }) => own.has(botId)).length,
      longestStopGapMs: ms.length === 0 ? null : Math.max(...ms),
      leftOvers: summedUp(left.filter(({ botId }) => own.has(botId))),
    };
  });
}

async function leftOversOf(db: Database, botIds: readonly string[]): Promise<(LeftOver & { botId: string })[]> {
  const { rows } = await sql<LeftOver & { botId: string }>`
    select bot_id, symbol, sum(amount) as amount, sum(amount) * (array_agg(price order by opened_at desc))[1] as worth
    from (select t.bot_id, t.symbol, t.opened_at, coalesce(t.exit_price, t.entry_price)::float8 as price, ${leftOver} as amount from trades t
      where t.bot_id = any(${[...botIds]}::uuid[]) and t.mode <> 'paper' and position(':' in t.symbol) = 0 and t.opened_at > now() - interval '90 days') x
    where amount > 0 group by bot_id, symbol`.execute(db);
  return rows;
}

function summedUp(some: readonly LeftOver[]): LeftOver[] {
  return [...Map.groupBy(some, ({ symbol }) => symbol)]
    .map(([symbol, each]) => ({
      symbol,
      amount: Number(each.reduce((sum, { amount }) => sum + amount, 0).toPrecision(12)),
      worth: each.reduce((sum, { worth }) => sum + worth, 0),
    }))
    .sort((one, other) => other.worth - one.worth);
}

/** A key of before a restore that no live bot trades with: what a bot did with it after the backup was made is not searched for. */
export interface UnsearchedKey {
  exchangeId: string;
  keyHint: string;
  ownerEmail: string;
}

/** Those keys, by owner; none where the database was never restored. */
export async function keysUnsearchedSinceRestore(db: Database): Promise<UnsearchedKey[]> {
  const { rows } = await sql<UnsearchedKey>`
    select k.exchange_id, k.key_hint, u.email as owner_email from api_keys k join users u on u.id = k.user_id
    where k.created_at < ${restoredAt} and not exists (select 1 from bots b where b.api_key_id = k.id and b.mode = 'live' and b.archived_at is null)
      and not exists (select 1 from order_searches s where s.api_key_id = k.id and s.searched_at > ${restoredAt})
    order by u.email, k.created_at`.execute(db);
  return rows;
}
