import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '#storage/database.ts';
import { enterStrategyFile } from '#processes/enter-strategy-file.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { StrategyProcess } from '#strategy-process/strategy-process.ts';

/** Has a bot run the text of a strategy's file, as a version of its strategy; gives the hash of the version. */
export async function giveCode(db: Database, botId: string, text: string): Promise<string> {
  const files = { 'mine.ts': text };
  const trial = new StrategyProcess({ node: process.execPath, walls: wallsOfSystem(), folder: null });
  const { answer } = await trial.ask('load', { source: { files, file: 'mine.ts' } }, 60_000);
  await trial.end();
  return keepFor(db, botId, { file: 'mine.ts', exportName: 'default', files, description: answer.strategies[0] ?? {} });
}

/** The same with the class of a file in Python, checked as the folder's files are. */
export async function givePython(db: Database, botId: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-python-'));
  try {
    writeFileSync(join(folder, 'Mine.py'), text);
    const options = { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces };
    const { files, strategies } = await checkFile(options, folder, 'Mine.py');
    const [description] = strategies;
    if (description === undefined) throw new Error('The file has no strategy');
    return await keepFor(db, botId, { file: 'Mine.py', exportName: description.exportName, files, description });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Enters the class of a text as the folder of strategies does; gives the id of the strategy. */
export async function enterPython(db: Database, className: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-python-'));
  try {
    const file = `${className}.py`;
    writeFileSync(join(folder, file), text);
    const checked = await checkFile({ node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces }, folder, file);
    const faults = await enterStrategyFile(db, file, checked, ['sandbox']);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return (await db.selectFrom('strategies').select('id').where('className', '=', className).executeTakeFirstOrThrow()).id;
}

async function keepFor(
  db: Database,
  botId: string,
  code: { file: string; exportName: string; files: Readonly<Record<string, string>>; description: object },
): Promise<string> {
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow();
  const hash = randomUUID();
  const { id } = await keepCode(db, { ...code, strategyId, hash, madeBy: null });
  await sql`update bots set code_id = ${id}, updated_at = clock_timestamp() where id = ${botId}`.execute(db);
  return hash;
}
