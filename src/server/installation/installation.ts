import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { settingsTexts } from '#contract/installation.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { currentSender } from '#mail/sender.ts';
import type { Database } from '#storage/database.ts';
import type { InstallationSettings } from '#storage/installation/installation-settings.ts';
import { changeSettings, lockSettings, readSettings } from '#storage/installation/installation-settings.ts';
import { endSessionsOfAll, listSignedIn, shortenSessions } from '#storage/auth/sessions.ts';
import { listWithoutTwoFactor } from '#storage/users/users.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { lockAsAdmin } from '../users/admin-guard.ts';
import { audit } from '../audit/audit.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

type Changes = Omit<Call<'changeInstallation'>['body'], 'version'>;
type Reply = CallReply<'getInstallation'>;

/** What admins set for the whole installation. */
export function installationHandlers(dependencies: ServerDependencies): Pick<Handlers, 'getInstallation' | 'changeInstallation'> {
  const { db } = dependencies;
  return {
    getInstallation: async () => toReply(dependencies, db, await readSettings(db)),

    async changeInstallation(call) {
      const { caller, now } = call;
      const { version, ...asked } = call.body;
      await refuseAfterReset(db, caller.id, now, texts.noChangesAfterReset);
      return db.transaction().execute(async (trx) => {
        const before = await lockSettings(trx, 'change');
        const changes = changesOf(before, asked);
        const after = { ...before, ...changes };
        const signedOut = await newlyLacking(trx, before, after);
        const isShorter = after.sessionLifeMinutes < before.sessionLifeMinutes;
        const shortened = isShorter ? await listSignedIn(trx, now) : [];
        // Nobody can begin a session now, and whoever ends one has the account locked first.
        const users = await lockAsAdmin(trx, caller, [...new Set([...signedOut, ...shortened])], 'locks');
        if (version !== before.version) throw new HttpError(409, settingsTexts.changedByOther);
        if (Object.keys(changes).length === 0) return toReply(dependencies, trx, before);
        if (after.sessionIdleMinutes > after.sessionLifeMinutes) throw new HttpError(400, settingsTexts.idleTooLong);
        if (changes.requireTwoFactor !== undefined && after.requireTwoFactor !== 'off' && users.get(caller.id)?.has2fa !== true)
          throw new HttpError(400, settingsTexts.ownTwoFactorFirst);
        await endSessionsOfAll(trx, signedOut, now, '2FA is required');
        await shortenSessions(trx, shortened, after.sessionLifeMinutes * minuteMs);
        const stored = await changeSettings(trx, changes);
        for (const [name, { from, to }] of Object.entries(changedNames(before, stored)))
          await audit(trx, call, caller, 'change-setting', 'ok', { target: name, detail: { from, to } });
        return toReply(dependencies, trx, stored);
      });
    },
  };
}

/** The accounts that must have a second factor from now on and have none. */
async function newlyLacking(trx: Database, before: InstallationSettings, after: InstallationSettings): Promise<string[]> {
  if (after.requireTwoFactor === before.requireTwoFactor || after.requireTwoFactor === 'off') return [];
  return listWithoutTwoFactor(trx, after.requireTwoFactor);
}

/** What is really changed; a setting that is as asked for already is not. */
function changesOf(settings: InstallationSettings, asked: Changes): Partial<Omit<InstallationSettings, 'version'>> {
  const current = toNames(settings);
  const changed = Object.entries(asked).filter(([name, value]) => value !== undefined && value !== current[name as keyof Changes]);
  const { require_2fa, registration, shared_bot_list, session_idle_minutes, session_life_minutes, sender_name, sender_address } =
    Object.fromEntries(changed) as Changes;
  return {
    ...(require_2fa === undefined ? {} : { requireTwoFactor: require_2fa }),
    ...(registration === undefined ? {} : { registration }),
    ...(shared_bot_list === undefined ? {} : { sharedBotList: shared_bot_list }),
    ...(session_idle_minutes === undefined ? {} : { sessionIdleMinutes: session_idle_minutes }),
    ...(session_life_minutes === undefined ? {} : { sessionLifeMinutes: session_life_minutes }),
    ...(sender_name === undefined ? {} : { senderName: sender_name }),
    ...(sender_address === undefined ? {} : { senderAddress: sender_address }),
  };
}

/** Each setting that differs, by its name in the contract. */
function changedNames(before: InstallationSettings, after: InstallationSettings): Record<string, { from: unknown; to: unknown }> {
  const [from, to] = [toNames(before), toNames(after)];
  const names = (Object.keys(from) as (keyof Changes)[]).filter((name) => from[name] !== to[name]);
  return Object.fromEntries(names.map((name) => [name, { from: from[name], to: to[name] }]));
}

function toNames(settings: InstallationSettings) {
  return {
    require_2fa: settings.requireTwoFactor,
    registration: settings.registration,
    shared_bot_list: settings.sharedBotList,
    session_idle_minutes: settings.sessionIdleMinutes,
    session_life_minutes: settings.sessionLifeMinutes,
    sender_name: settings.senderName,
    sender_address: settings.senderAddress,
  };
}

async function toReply({ defaultSender }: ServerDependencies, db: Database, settings: InstallationSettings): Promise<Reply> {
  return {
    ...toNames(settings),
    version: settings.version,
    sender: await currentSender(db, defaultSender),
    without_2fa: { admins: (await listWithoutTwoFactor(db, 'admins')).length, all: (await listWithoutTwoFactor(db, 'all')).length },
  };
}
