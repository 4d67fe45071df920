import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** What a drill came to. */
export interface DrillResult {
  minutes: number; // that passed for the bot
  pairs: string[]; // that it traded
  kills: number; // its process was killed so often
  freezes: number; // and frozen so often until another had taken over
  faults: number; // requests and reports that failed, were late, lost or repeated
  orders: number; // that the exchange has taken
  lostAnswers: number; // orders of which it was not known for a while whether the exchange had taken them
  stops: number; // among the orders
  longestWithoutStopMs: number; // that something was held without a stop or an exit at the exchange
  trades: number; // that were closed
  refusals: { gate: string; count: number }[]; // why signals did not become entries, most frequent first
  leftovers: string[]; // coins that were too few for an order at the end, a sentence each
  differences: string[]; // between the bot's books and the exchange's at the end, a sentence each; empty when all is well
}

/** What became of a question for a drill: its result, or in a sentence why there is none. */
export type DrillAnswer = { state: 'done'; result: DrillResult } | { state: 'unavailable'; why: string };

/** A drill that was run. */
export interface Drill {
  runAt: Date;
  settingsHash: string; // of the settings it was about
  seed: number;
  result: DrillResult;
}

/** Keeps the newest drill of a bot, in the place of the one before. */
export async function writeDrill(db: Database, botId: string, drill: Omit<Drill, 'runAt'>): Promise<Drill> {
  const { settingsHash, seed, result } = drill;
  const { rows } = await sql<{ runAt: Date }>`
    insert into drills (bot_id, settings_hash, seed, result) values (${botId}, ${settingsHash}, ${seed}, ${JSON.stringify(result)})
    on conflict (bot_id) do update set run_at = excluded.run_at, settings_hash = excluded.settings_hash, seed = excluded.seed,
      result = excluded.result
    returning run_at`.execute(db);
  return { ...drill, runAt: rows[0]?.runAt ?? new Date() };
}

/** The newest drill of a bot, if there was one. */
export async function findDrill(db: Database, botId: string): Promise<Drill | null> {
  const { rows } = await sql<{ runAt: Date; settingsHash: string; seed: string; result: DrillResult }>`
    select run_at, settings_hash, seed, result from drills where bot_id = ${botId}`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, seed: Number(row.seed) };
}
