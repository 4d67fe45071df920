import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import { tradeModeOf } from './trade-mode.ts';

type BotRow = Selectable<Schema['bots']>;

/** What decides the capital of a bot. */
export type CapitalTerms = Pick<BotRow, 'stakeAmount' | 'maxOpenTrades' | 'stakeCurrency' | 'mode' | 'exchangeId'>;

type Bot = Pick<BotRow, 'id' | 'stakeCurrency'>;

/**
 * The newest capital of a bot in a mode, in SQL; an exact decimal in the currency that it had then. No row, where it never was in the mode.
 * Every change of a row of `bots` keeps it in `bot_capitals`.
 */
export function newestCapital(botId: RawBuilder<unknown>, mode: RawBuilder<unknown>): RawBuilder<{ currency: string; capital: string }> {
  return sql`select currency, capital from bot_capitals where bot_id = ${botId} and mode = ${mode} order by since desc limit 1`;
}

/**
 * The capital that a bot would have with these terms, an exact decimal.
 *
 * It is the stake times the slots, as for a new bot, until the bot has opened a trade in the mode. From then on the capital in this mode stays what
 * it was, so that its profit in per cent means the same; it grows when stake times slots need more. With another stake currency it begins again.
 */
export async function capitalAfter(db: Database, bot: Bot, after: CapitalTerms): Promise<string> {
  const needed = sql<string>`(${after.stakeAmount}::numeric * ${after.maxOpenTrades}::int)`;
  const mode = sql`${tradeModeOf(after)}::text`;
  const isSame = after.stakeCurrency === bot.stakeCurrency;
  const kept = sql<string>`(
    select greatest(c.capital, ${needed}) from (${newestCapital(sql`${bot.id}::uuid`, mode)}) c
    where exists (select from bot_figures where bot_id = ${bot.id} and mode = ${mode} and trades > 0)
      or exists (select from trades where bot_id = ${bot.id} and mode = ${mode} and status = 'open' and entry_price is not null))`;
  const { rows } = await sql<{ capital: string }>`select ${isSame ? sql`coalesce(${kept}, ${needed})` : needed}::text as capital`.execute(
    db,
  );
  return rows[0]?.capital ?? '0';
}

/**
 * `capitalAfter`, for a bot that gets these terms now: the peak that the drawdown in their mode is measured from moves with it. Whoever calls this
 * writes the capital into the row of the bot.
 *
 * Needs: a transaction with the bot locked
 */
export async function moveCapital(trx: Database, bot: Bot, after: CapitalTerms): Promise<string> {
  const capital = await capitalAfter(trx, bot, after);
  const kept = sql`(select capital from (${newestCapital(sql`f.bot_id`, sql`f.mode`)}) c)`;
  await sql`
    update bot_figures f set peak_balance = case when f.trades = 0 then ${capital}::numeric else f.peak_balance + ${capital}::numeric - ${kept} end
    where f.bot_id = ${bot.id} and f.mode = ${tradeModeOf(after)}`.execute(trx);
  return capital;
}
