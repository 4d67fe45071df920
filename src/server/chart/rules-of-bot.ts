import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { CannotRun, type RulesToRun, strategyOfRules } from '#strategies/strategy-of-rules.ts';

/** Versions that are kept at a time; reading one again takes a query. */
const most = 500;

const versions = new Map<string, RulesToRun>(); // by id: a version never changes, and a chart asks for it every few seconds

/** The rules that a bot runs, on candles of a timeframe; 'unrunnable' where they cannot run on them, null where it runs something else. */
export async function rulesOfBot(
  db: Database,
  { strategyKind, codeId }: Pick<BotView, 'strategyKind' | 'codeId'>,
  timeframe: Timeframe,
): Promise<Strategy | 'unrunnable' | null> {
  if (strategyKind !== 'rules' || codeId === null) return null;
  const kept = versions.get(codeId) ?? (await readRules(db, codeId));
  if (kept === null) return 'unrunnable';
  try {
    return strategyOfRules(kept, timeframe);
  } catch (error) {
    if (error instanceof CannotRun) return 'unrunnable';
    throw error;
  }
}

async function readRules(db: Database, codeId: string): Promise<RulesToRun | null> {
  const code = await findCode(db, codeId);
  if (code === null || code.document === null) return null;
  if (versions.size >= most) versions.clear();
  const read = { hash: code.hash, document: code.document };
  versions.set(codeId, read);
  return read;
}
