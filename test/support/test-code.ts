import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#storage/database.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { StrategyProcess } from '#strategy-process/strategy-process.ts';

/** Has a bot run the text of a strategy's file, as a version of its strategy; gives the hash of the version. */
export async function giveCode(db: Database, botId: string, text: string): Promise<string> {
  const files = { 'mine.ts': text };
  const trial = new StrategyProcess({ node: process.execPath, walls: wallsOfSystem(), folder: null });
  const { answer } = await trial.ask('load', { source: { files, file: 'mine.ts' } }, 60_000);
  await trial.end();
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow();
  const hash = randomUUID();
  const code = { strategyId, hash, file: 'mine.ts', exportName: 'default', files, description: answer.strategies[0] ?? {}, madeBy: null };
  const { id } = await keepCode(db, code);
  await sql`update bots set code_id = ${id}, updated_at = clock_timestamp() where id = ${botId}`.execute(db);
  return hash;
}
