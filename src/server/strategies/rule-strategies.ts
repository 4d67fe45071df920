import { areSmallEnough, notYourRules, rulesInUse, rulesTooLarge, tooManyRules } from '#contract/rule-strategies.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import type { StrategyDefaults } from '#engine/strategy/strategy.ts';
import type { Database } from '#storage/database.ts';
import type { BotOfRules, RulesView, RuleVersionView } from '#storage/strategies/rule-strategies.ts';
import {
  addRules,
  countRules,
  deleteUnnamedRules,
  forgetVersions,
  isSeenVersion,
  isInUse,
  isKnownToOthers,
  listBotsOfRules,
  listSeenRules,
  listSeenRuleVersions,
  nameAsNewest,
  nameRules,
  setRemoved,
  setShared,
} from '#storage/strategies/rule-strategies.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { keepCode, newestCode } from '#storage/strategies/strategy-code.ts';
import { changeStrategySettings, lockStrategy, strategySettingsOf } from '#storage/strategies/strategy-settings.ts';
import { audit } from '../audit/audit.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import type { Caller } from '../calls/caller.ts';
import { shownEmail } from '../calls/shown-email.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { documentsOfVersions } from './documents-of-versions.ts';
import { codeOfRules, followed, hashOfRules, isAsSuggested, namesOf, refuseFaults, rulesToEnter } from './rules-to-keep.ts';
import { seenStrategy, strategyReader } from '../calls/seen-strategy.ts';

type Rules = CallReply<'listRules'>['rules'][number];
type RuleVersion = CallReply<'ruleVersion'>;

/** The most strategies of rules that a person may have. */
const mostRules = 200;

const mostVersions = 100;

/** Strategies of rules: making, changing, sharing and removing them, and their versions. */
export function ruleStrategyHandlers({
  db,
  markets,
}: Pick<ServerDependencies, 'db' | 'markets'>): Pick<
  Handlers,
  'listRules' | 'makeRules' | 'saveRules' | 'shareRules' | 'removeRules' | 'listRuleVersions' | 'ruleVersion'
> {
  const lists = new OneAtATime(); // each reads and checks all documents that are shared, in this process

  /** Changes rules of the caller in one transaction, with the strategy locked: what was checked still holds when it is written. */
  const changeRules = async (
    call: Call<'saveRules' | 'shareRules' | 'removeRules'>,
    change: (trx: Database, strategy: StrategyView) => Promise<void>,
  ): Promise<void> => {
    const { caller, params } = call;
    const seen = await seenStrategy(db, caller, params.id); // what nobody may see is not there for them
    if (seen.kind !== 'rules') throw new HttpError(404, 'Strategy not found');
    await db.transaction().execute(async (trx) => {
      await lockCaller(trx, caller, [], 'changes');
      const strategy = await lockStrategy(trx, params.id);
      if (strategy === null || strategy.removedAt !== null) throw new HttpError(404, 'Strategy not found');
      if (caller.role !== 'admin' && strategy.ownerId !== caller.id) throw new HttpError(403, notYourRules);
      await change(trx, strategy);
    });
  };

  const shown = async (caller: Caller, id: string): Promise<Rules> => {
    const [rules] = await replies(db, caller, await listSeenRules(db, strategyReader(caller), id));
    if (rules === undefined) throw new HttpError(404, 'Strategy not found'); // removed in the moment since
    return rules;
  };

  const versionsOf = async (caller: Caller, id: string, which: { most: number; number?: number }): Promise<RuleVersion[]> => {
    if ((await seenStrategy(db, caller, id)).kind !== 'rules') throw new HttpError(404, 'Strategy not found');
    const versions = await listSeenRuleVersions(db, strategyReader(caller), id, which);
    const documents = await documentsOfVersions(versions);
    return versions.map((version, i) => versionReply(caller, version, documents[i] ?? null));
  };

  return {
    listRules: async ({ caller }) =>
      await lists.doAndRest(caller.id, async () => ({ rules: await replies(db, caller, await listSeenRules(db, strategyReader(caller))) })),

    async makeRules(call) {
      const { caller, body } = call;
      await refuseLarge(db, caller, body.document);
      refuseFaults(body.document);
      const id = await db.transaction().execute(async (trx) => {
        await lockCaller(trx, caller, [], 'locks'); // two calls at once must not both find room for one more
        if ((await countRules(trx, caller.id)) >= mostRules) throw new HttpError(409, tooManyRules);
        const strategy = rulesToEnter(
          body.document,
          markets.exchanges.map((exchange) => exchange.id),
        );
        const added = await addRules(trx, strategy, caller.id);
        await keepCode(trx, { strategyId: added, madeBy: caller.id, ...codeOfRules(body.document, strategy.className) });
        await audit(trx, call, caller, 'make-rules', 'ok', { target: added, detail: { name: strategy.name } });
        return added;
      });
      return shown(caller, id);
    },

    async saveRules(call) {
      const { caller, params, body, now } = call;
      await changeRules(call, async (trx, strategy) => {
        await refuseLarge(trx, caller, body.document);
        refuseFaults(body.document);
        const before = await newestCode(trx, strategy.id);
        if (before === null || before.number !== body.based_on) throw new HttpError(409, texts.changedMeanwhile);
        const kept = await keepCode(trx, { strategyId: strategy.id, madeBy: caller.id, ...codeOfRules(body.document, strategy.className) });
        if (kept.id === before.id) return; // nothing has changed
        await forgetVersions(trx, strategy.id, mostVersions);
        const settings = strategySettingsOf(strategy);
        // Written by the program itself with the version before.
        const { defaults } = before.description as unknown as { defaults: StrategyDefaults };
        // Others who keep an earlier version do not read what this one is called.
        const isHidden = !strategy.isShared && (await isKnownToOthers(trx, strategy));
        const names = namesOf(body.document);
        const after = {
          ...followed(settings, body.document),
          ...(isHidden ? { name: settings.name, description: settings.description } : names),
        };
        const follows =
          isAsSuggested(settings, defaults) && !isAsSuggested(settings, body.document.defaults) && !(await isInUse(trx, strategy.id));
        if (follows) await changeStrategySettings(trx, strategy, after, {}, caller.id, now);
        else if (!isHidden) await nameRules(trx, strategy.id, names);
        await audit(trx, call, caller, 'save-rules', 'ok', {
          target: strategy.id,
          detail: { name: names.name, from: before.number, to: kept.number },
        });
      });
      return shown(caller, params.id);
    },

    async shareRules(call) {
      const { caller, params, body } = call;
      await changeRules(call, async (trx, strategy) => {
        if (strategy.isShared === body.is_shared) return;
        await setShared(trx, strategy.id, body.is_shared);
        if (body.is_shared) await nameAsNewest(trx, strategy.id); // what it was called by those who kept an earlier version
        const word = (isShared: boolean): string => (isShared ? 'shared' : 'private');
        const detail = { name: strategy.name, from: word(strategy.isShared), to: word(body.is_shared) };
        await audit(trx, call, caller, 'share-rules', 'ok', { target: strategy.id, detail });
      });
      return shown(caller, params.id);
    },

    async removeRules(call) {
      const { caller, params, now } = call;
      await changeRules(call, async (trx, strategy) => {
        if (await isInUse(trx, strategy.id)) throw new HttpError(409, rulesInUse);
        await setRemoved(trx, strategy.id, now);
        await audit(trx, call, caller, 'remove-rules', 'ok', { target: strategy.id, detail: { name: strategy.name } });
        await deleteUnnamedRules(trx, strategy.ownerId);
      });
      return { id: params.id };
    },

    listRuleVersions: async ({ caller, params }) => ({ versions: await versionsOf(caller, params.id, { most: mostVersions }) }),

    async ruleVersion({ caller, params }) {
      const [version] = await versionsOf(caller, params.id, { most: 1, number: params.version });
      if (version === undefined) throw new HttpError(404, 'Version not found');
      return version;
    },
  };
}

/** Fails with 400 for a document that is too large, unless it is one that the caller may see already: that is saved, restored and copied as it is. */
async function refuseLarge(db: Database, caller: Caller, document: RulesDocument): Promise<void> {
  if (areSmallEnough(document) || (await isSeenVersion(db, strategyReader(caller), hashOfRules(document)))) return;
  throw new HttpError(400, rulesTooLarge);
}

/** Strategies of rules as the contract has them, each with its bots that the caller may see. */
async function replies(db: Database, caller: Caller, rules: readonly RulesView[]): Promise<Rules[]> {
  const ids = rules.map(({ id }) => id);
  const bots = await listBotsOfRules(db, strategyReader(caller), ids);
  const documents = await documentsOfVersions(rules);
  return rules.map(({ id, name, ownerId, ownerEmail, isShared, number, madeAt }, i) => ({
    id,
    name,
    owner: ownerId === null || ownerEmail === null ? null : { id: ownerId, email: shownEmail(caller, { id: ownerId, email: ownerEmail }) },
    is_own: ownerId === caller.id,
    is_shared: isShared,
    version: number,
    made_at: madeAt.toISOString(),
    document: documents[i] ?? null,
    bots: bots.filter(({ strategyId }) => strategyId === id).map(botReply),
  }));
}

function botReply({ id, nickname, userId, mode, status, exchangeId, codeNumber }: BotOfRules): Rules['bots'][number] {
  return { id, nickname, user_id: userId, mode, status, exchange_id: exchangeId, version: codeNumber };
}

function versionReply(
  caller: Caller,
  { number, madeAt, madeBy, madeByEmail }: RuleVersionView,
  document: RulesDocument | null,
): RuleVersion {
  const isShown = madeByEmail !== null && (caller.role === 'admin' || caller.role === 'operator' || madeBy === caller.id);
  return { version: number, made_at: madeAt.toISOString(), made_by: isShown ? madeByEmail : null, document };
}
