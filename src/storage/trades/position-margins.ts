import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { marginModeSql } from './margin-mode.ts';

const marginMode = marginModeSql('t', 'b');

/** The leverage and margin mode that an exchange has for a position. */
export interface PositionMargin {
  symbol: string;
  leverage: number;
  marginMode: 'isolated' | 'cross';
}

/**
 * Notes what the exchange has for the positions of an account on perpetuals, for each open trade that was made with other values; forgets it
 * where they are the same or nothing is held any more, and of trades that are over. Only these symbols are compared.
 */
export async function notePositionMargins(
  db: Database,
  apiKeyId: string,
  symbols: readonly string[],
  positions: readonly PositionMargin[],
): Promise<void> {
  await sql`
    with seen as (
      select distinct on (t.id) t.id, p.leverage, p.margin_mode, t.leverage <> p.leverage or ${marginMode} <> p.margin_mode as differs
      from unnest(${positions.map(({ symbol }) => symbol)}::text[], ${positions.map(({ leverage }) => String(leverage))}::numeric[],
                  ${positions.map(({ marginMode }) => marginMode)}::text[]) p (symbol, leverage, margin_mode)
      join trades t on t.symbol = p.symbol and t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null
      join bots b on b.id = t.bot_id and b.api_key_id = ${apiKeyId} and b.market_type = 'futures' and b.mode = 'live'
      order by t.id
    ), gone as (
      delete from position_margins m using trades t join bots b on b.id = t.bot_id
      where t.id = m.trade_id and (t.status <> 'open' or (b.api_key_id = ${apiKeyId} and b.market_type = 'futures'
        and t.symbol = any(${[...symbols]}::text[]) and t.id not in (select id from seen where differs)))
    )
    insert into position_margins as m (trade_id, leverage, margin_mode) select id, leverage, margin_mode from seen where differs
    on conflict (trade_id) do update set leverage = excluded.leverage, margin_mode = excluded.margin_mode, noted_at = excluded.noted_at
    where (m.leverage, m.margin_mode) <> (excluded.leverage, excluded.margin_mode)`.execute(db);
}

/** An open trade for whose position the exchange has another leverage or margin mode than it was made with. */
export interface MarginOfTrade {
  botId: string;
  tradeId: string;
  symbol: string;
  leverage: number; // at the exchange
  margin: PositionMargin['marginMode'];
  wantedLeverage: number; // what the trade was made with
  wantedMargin: PositionMargin['marginMode'];
}

/** The open trades whose positions differ, as the exchange was last asked; by bot and symbol. */
export async function listPositionMargins(db: Database): Promise<MarginOfTrade[]> {
  const { rows } = await sql<MarginOfTrade>`
    select t.bot_id, t.id as trade_id, t.symbol, m.leverage::float8 as leverage, m.margin_mode as margin,
      t.leverage::float8 as wanted_leverage, ${marginMode} as wanted_margin
    from position_margins m join trades t on t.id = m.trade_id join bots b on b.id = t.bot_id
    where t.status = 'open' and (t.leverage <> m.leverage or ${marginMode} <> m.margin_mode)
    order by t.bot_id, t.symbol, t.id`.execute(db);
  return rows;
}
