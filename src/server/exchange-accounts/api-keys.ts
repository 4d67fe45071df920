import { keyIsKept, keyIsStored, keyIsTrading, keyMayWithdraw, noKeyAfterReset } from '#contract/api-keys.ts';
import { texts } from '#contract/errors.ts';
import { hourMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { mails } from '#mail/texts.ts';
import { addApiKey, askKeyCheck, listApiKeys, liveBotWith, lockApiKey, removeApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot, giveKey, lockBot } from '#storage/bots/bots.ts';
import { keyFact, lockFact } from '#storage/installation/facts.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { isOpenAtExchange } from '#storage/trades/open-at-exchange.ts';
import { findUser, findUserByEmail, type User } from '#storage/users/users.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { markOf } from '#vault/key-marks.ts';
import { randomUUID } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import { type Limit, spend } from '../auth/limits.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { requireVersion } from '../bots/change-bot.ts';
import { refuseGoingLive } from '../bots/live-gates.ts';
import { changeableBot, ownBot } from '../bots/visible-bots.ts';

/** Each check is a request at the exchange, paid from the budget that all bots share. */
const keyChecks: Limit = { name: 'key-check', most: 20, windowMs: hourMs };

/** The keys of exchanges: they come in here and never go out again. */
export function apiKeyHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listApiKeys' | 'newSandboxKey' | 'addApiKey' | 'testApiKey' | 'deleteApiKey'> {
  const { db, markets } = dependencies;
  const nameOf = (exchangeId: string): string => markets.find(exchangeId)?.name ?? exchangeId;

  return {
    listApiKeys: async ({ caller }) =>
      (await listApiKeys(db, caller.id)).map((key) => ({
        id: key.id,
        exchange: key.exchangeId,
        exchange_name: nameOf(key.exchangeId),
        label: key.label,
        key_hint: key.keyHint,
        has_passphrase: key.hasPassphrase,
        created_at: key.createdAt.toISOString(),
        last_used: key.lastUsedAt?.toISOString() ?? null,
        checked_at: key.checkedAt?.toISOString() ?? null,
        check: key.checkResult,
        is_checking: key.checkAskedAt !== null,
        can_trade: key.canTrade,
        can_withdraw: key.canWithdraw,
        is_ip_bound: key.isIpBound,
        bots: key.bots,
      })),

    newSandboxKey: async () => dependencies.newSandboxKey(),

    async addApiKey(call) {
      const { body, caller, now } = call;
      const owner = await ownerOf(dependencies, call);
      if (!markets.exchanges.some(({ id }) => id === body.exchange_id)) throw new HttpError(404, 'Exchange not found');
      await refuseSuspended(db, caller.id); // whoever is from now on has no session any more when the key is kept
      await refuseAfterReset(db, caller.id, now, noKeyAfterReset);
      await spend(db, keyChecks, caller.id, now, texts.tooManyRequests);
      const credentials = { key: body.key.trim(), secret: body.secret.trim(), passphrase: body.passphrase?.trim() || null };
      const bot = body.bot_id === undefined ? null : await findBot(db, body.bot_id);
      const marketTypes = bot === null ? [] : [bot.marketType];
      const rights = await dependencies.checkKey(body.exchange_id, credentials, marketTypes).catch((error: unknown) => {
        if (error instanceof ExchangeError && (error.kind === 'unauthorised' || error.kind === 'rejected'))
          throw new HttpError(400, 'Invalid API key or secret');
        throw error;
      });
      if (rights.canWithdraw === true) throw new HttpError(400, keyMayWithdraw);
      const id = randomUUID();
      const label = body.label?.trim() || null;
      const key = {
        id,
        userId: owner.id,
        exchangeId: body.exchange_id,
        label,
        keyHint: credentials.key.slice(-4),
        hasPassphrase: credentials.passphrase !== null,
        keyMark: markOf(dependencies.sealing.marking, body.exchange_id, credentials.key),
        sealed: await sealCredentials(dependencies.sealing, { id, userId: owner.id }, credentials),
        checkedAt: now,
        checkResult: 'ok',
        ...rights,
      } as const;
      const ofBot = await db.transaction().execute(async (trx) => {
        let version: number | undefined; // of the settings of the bot that gets it
        // A web process that was running while the key of the installation was changed would seal for nobody.
        if ((await lockFact(trx, keyFact)) !== dependencies.sealing.id) throw new Error('The key of this database is another one now');
        await lockCaller(trx, caller, [owner.id], 'changes'); // the exchange was asked for seconds
        if (!(await addApiKey(trx, key))) throw new HttpError(409, keyIsStored);
        if (body.bot_id !== undefined) {
          await lockBot(trx, body.bot_id);
          const bot = await changeableBot(trx, caller, body.bot_id);
          if (bot.userId !== owner.id) throw new HttpError(403, texts.noAccessToBot);
          if (bot.exchangeId !== body.exchange_id) throw new HttpError(409, texts.changedMeanwhile);
          requireVersion(bot, call.ifVersion);
          if (await isOpenAtExchange(trx, bot.id)) throw new HttpError(409, 'Bot has open trades');
          if (bot.mode === 'live') await refuseGoingLive(dependencies, trx, call, { ...bot, apiKeyId: id });
          // What the bot trades with is another account: whoever has seen the one before has not seen this.
          // Not when the call began: others may have changed the bot while the exchange was asked.
          await changeBotSettings(trx, bot, botSettingsOf(bot), caller.id, dependencies.now());
          await giveKey(trx, bot.id, id);
          version = bot.version + 1;
        }
        await addMail(trx, mails.apiKeyAdded(owner.email, nameOf(key.exchangeId)));
        await audit(trx, call, caller, 'add-api-key', 'ok', {
          target: id,
          detail: { exchange: key.exchangeId, owner: owner.id, ...(body.bot_id === undefined ? {} : { bot: body.bot_id }) },
        });
        return version === undefined ? {} : { bot_version: version };
      });
      return { id, exchange: body.exchange_id, label, last_used: null, ...ofBot };
    },

    async testApiKey(call) {
      await spend(db, keyChecks, call.caller.id, call.now, texts.tooManyRequests);
      await db.transaction().execute(async (trx) => {
        await lockCaller(trx, call.caller, [], 'changes');
        await ownKey(trx, call);
        await askKeyCheck(trx, call.params.id, call.now);
        await audit(trx, call, call.caller, 'test-api-key', 'ok', { target: call.params.id });
      });
      return { status: 'Checking the API key' };
    },

    async deleteApiKey(call) {
      const { id } = call.params;
      await db.transaction().execute(async (trx) => {
        await lockCaller(trx, call.caller, [], 'changes');
        const { exchangeId, keyHint, label } = await ownKey(trx, call);
        const holder = await liveBotWith(trx, id);
        if (holder !== null) throw new HttpError(409, holder === 'archived' ? keyIsKept : keyIsTrading);
        await removeApiKey(trx, id);
        await addMail(trx, mails.apiKeyDeleted(call.caller.email, nameOf(exchangeId), keyHint));
        await audit(trx, call, call.caller, 'delete-api-key', 'ok', {
          target: id,
          detail: { exchange: exchangeId, key: `${label ?? exchangeId} ****${keyHint}` },
        });
      });
      return { status: 'API key deleted' };
    },
  };
}

async function ownKey(
  trx: ServerDependencies['db'],
  { params, caller }: Pick<Call<'testApiKey'>, 'params' | 'caller'>,
): Promise<{ exchangeId: string; keyHint: string; label: string | null }> {
  const key = await lockApiKey(trx, params.id, caller.id);
  if (key === null) throw new HttpError(404, 'API key not found');
  return key;
}

/** Whose key it will be: the owner's of the named bot, the named account's for admins, else the caller's. */
async function ownerOf({ db }: ServerDependencies, { body, caller }: Call<'addApiKey'>): Promise<Pick<User, 'id' | 'email'>> {
  const named = body.user_email?.trim() ?? '';
  if (body.bot_id !== undefined) {
    const bot = await ownBot(db, caller, body.bot_id);
    if (bot.exchangeId !== body.exchange_id) throw new HttpError(404, 'Exchange not found');
    const owner = await findUser(db, bot.userId);
    if (owner === null) throw new HttpError(404, 'User not found');
    return owner;
  }
  if (caller.role !== 'admin' && caller.role !== 'trader') throw new HttpError(403, 'Only admins and traders can add API keys');
  if (named === '') return caller;
  const owner = await findUserByEmail(db, named);
  if (owner?.id === caller.id) return caller;
  if (caller.role !== 'admin') throw new HttpError(403, 'You can only add API keys to your own account');
  if (owner === null) throw new HttpError(404, 'User not found');
  return owner;
}
