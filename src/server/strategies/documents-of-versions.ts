import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRules } from '#contract/rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import type { RulesView } from '#storage/strategies/rule-strategies.ts';

/** Versions that are remembered at a time: those that were asked for last. Reading one again takes some milliseconds. */
const most = 1_000;

const documents = new Map<string, RulesDocument | null>(); // by id of the version, which never changes; the one asked for last is the last

/**
 * The documents of versions in their sequence; null for one that this version of the program cannot read, because another has written it.
 *
 * A list of many that are large would keep everybody waiting: other calls are answered between two that are read.
 */
export async function documentsOfVersions(versions: readonly Pick<RulesView, 'codeId' | 'document'>[]): Promise<(RulesDocument | null)[]> {
  const read: (RulesDocument | null)[] = [];
  for (const { codeId, document } of versions) {
    let known = documents.get(codeId);
    if (known === undefined) {
      await nextTurn();
      known = readRules(document);
    }
    documents.delete(codeId);
    documents.set(codeId, known);
    if (documents.size > most) forgetOldest();
    read.push(known);
  }
  return read;
}

function forgetOldest(): void {
  const [oldest] = documents.keys();
  if (oldest !== undefined) documents.delete(oldest);
}
