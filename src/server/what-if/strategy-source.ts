import type { CallReply } from '#contract/client.ts';
import { findSeenCode } from '#storage/strategies/seen-strategies.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { Database } from '#storage/database.ts';
import type { ProgramModules } from '#strategy-process/browser/program-modules.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import type { Caller } from '../calls/caller.ts';
import { strategyReader } from '../calls/seen-strategy.ts';

type Setup = CallReply<'whatIf'>;

/**
 * Where the browser of a caller finds a strategy, or why the server calculates: whoever is given a strategy can read it. Rules go to those who
 * see them, the texts of files to admins alone, as everywhere.
 */
export async function sourceFor(
  caller: Caller,
  { id }: Pick<StrategyView, 'id'>,
  code: StrategyCode | null,
  { db, programModules }: { db: Database; programModules: () => ProgramModules },
): Promise<Pick<Setup, 'source' | 'source_note'>> {
  if (code === null) return inBrowser({ kind: 'program', module: programModules().addressOf('strategies/built-in.ts') });
  if (code.document !== null) {
    const isSeen = (await findSeenCode(db, strategyReader(caller), id, code.number)) !== null;
    if (!isSeen) return onServer('These rules belong to somebody else, so the server calculates.');
    return inBrowser({ kind: 'rules', document: code.document });
  }
  if (pythonOf(code.description) !== null) return onServer('Strategies in Python are calculated by the server.');
  if (caller.role !== 'admin') return onServer("The text of a strategy's file is for admins, so the server calculates.");
  return inBrowser({
    kind: 'file',
    module: moduleAddress(id, code.number, code.file ?? ''),
    guard: programModules().addressOf('src/strategy-process/code/guarded-strategy.ts'),
    export_name: code.exportName ?? 'default',
  });
}

/** The address of a file of a version as a module. */
export function moduleAddress(strategyId: string, version: number, path: string): string {
  return `/api/strategies/${strategyId}/code/${version}/module/${encodeURIComponent(path)}`;
}

function inBrowser(source: NonNullable<Setup['source']>): Pick<Setup, 'source' | 'source_note'> {
  return { source, source_note: null };
}

function onServer(source_note: string): Pick<Setup, 'source' | 'source_note'> {
  return { source: null, source_note };
}
