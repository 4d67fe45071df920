import type { RulesDocument } from '#engine/rules/document.ts';
import { codeOfRules, rulesToEnter } from '#server/strategies/rules-to-keep.ts';
import type { Database } from '#storage/database.ts';
import { addRules } from '#storage/strategies/rule-strategies.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { addUser, findUserByEmail } from '#storage/users/users.ts';

/** Makes a strategy of rules for the sandbox; its owner is made where there is none. Gives its id, and that of its first version. */
export async function addTestRules(
  db: Database,
  document: RulesDocument,
  email = 'owner@example.com',
): Promise<{ strategyId: string; codeId: string }> {
  const owner = (await findUserByEmail(db, email)) ?? (await addUser(db, { email, passwordHash: 'none', role: 'trader', verified: true }));
  const strategyId = await db.transaction().execute((trx) => addRules(trx, rulesToEnter(document, ['sandbox']), owner?.id ?? ''));
  return { strategyId, codeId: (await saveTestRules(db, strategyId, document)).id };
}

/** Saves a version of a strategy of rules. */
export async function saveTestRules(db: Database, strategyId: string, document: RulesDocument): Promise<{ id: string; number: number }> {
  const className = (await findStrategyById(db, strategyId))?.className ?? '';
  return keepCode(db, { strategyId, madeBy: null, ...codeOfRules(document, className) });
}
