import { texts } from '#contract/errors.ts';
import { factorTexts, wrongPresentFactor, wrongTwoFactor } from '#contract/second-factors.ts';
import { hourMs } from '#engine/market/durations.ts';
import {
  addAuthenticator,
  confirmAuthenticator,
  countBackupCodes,
  findAuthenticator,
  findAwaitedAuthenticator,
  removeAuthenticators,
  replaceBackupCodes,
} from '#storage/auth/authenticators.ts';
import {
  countPasskeyBackupCodes,
  hasPasskey,
  listPasskeys,
  removePasskeyBackupCodes,
  replacePasskeyBackupCodes,
} from '#storage/auth/passkeys.ts';
import { endHalfLogins, endSessionsOf } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import { keyFact, lockFact } from '#storage/installation/facts.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import type { User } from '#storage/users/users.ts';
import { findUser, lockUnchanged, updateUser } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { countedAppTry, sharedSecret, takeAppCode } from './app-codes.ts';
import { backupHash, newBackupCodes, newPasskeyBackupCodes, passkeyBackupHash } from './backup-codes.ts';
import type { FactorCall, OwnFactors } from './factor-account.ts';
import { accountOf, lockAccount, ownFactors } from './factor-account.ts';
import { limits, refund, spend } from './limits.ts';
import { relyingPartyOf } from './relying-party.ts';
import { refuseUnsettled } from './settled-factor.ts';
import { base32, otpauthUri, stepOf } from './totp.ts';
import { lacksTwoFactor } from './two-factor-rule.ts';

type FactorHandlers = Pick<
  Handlers,
  'getSecondFactors' | 'startAuthenticator' | 'confirmAuthenticator' | 'renewBackupCodes' | 'stopAuthenticator' | 'stopMailedCodes'
>;

/** The account and its factors as they are under lock. */
interface Locked extends OwnFactors {
  user: User;
}

/** Writes the line of the audit log about a change of factors. */
type FactorRecord = (on: Database, result: 'ok' | 'refused', about: { detail?: Record<string, unknown> }) => Promise<void>;

/** The authenticator app in the settings of an account: set up, replaced, its backup codes, taken away. */
export function authenticatorHandlers(dependencies: ServerDependencies): FactorHandlers {
  const { db, authenticatorSecrets } = dependencies;

  /** Uses a code of the app up, and does what it allows in the same transaction. `goesSince`: see `refuseUnsettled`. */
  const withCode = async (
    call: FactorCall & { body: { code: string } },
    { needsApp, record, goesSince }: { needsApp: boolean; record: FactorRecord; goesSince: (of: Locked) => Date | null },
    act: (trx: Database, locked: Locked) => Promise<void>,
  ) => {
    const user = await accountOf(db, call);
    const hasNone = (needsApp ? await findAuthenticator(db, user.id) : await ownFactors(db, user.id)) === null;
    if (hasNone) throw new HttpError(409, factorTexts.noApp);
    const done = await countedAppTry(dependencies, call, user, () =>
      db.transaction().execute(async (trx) => {
        const locked = await lockFactors(trx, call, user, needsApp);
        const since = await takeAppCode(trx, dependencies, call, locked, call.body.code);
        if (since === null) return null;
        refuseUnsettled({ since, goesSince: goesSince(locked), now: call.now });
        await act(trx, locked);
        await endHalfLogins(trx, user.id); // they rest on the factors of before
        await record(trx, 'ok', {});
        return true;
      }),
    );
    if (done !== null) return;
    await record(db, 'refused', { detail: { reason: 'wrong 2FA code' } });
    throw new HttpError(400, wrongTwoFactor);
  };

  return {
    async getSecondFactors({ caller }) {
      const app = await findAuthenticator(db, caller.id);
      const user = await findUser(db, caller.id);
      return {
        app_since: app?.confirmedAt?.toISOString() ?? null,
        backup_codes: app === null ? await countPasskeyBackupCodes(db, caller.id) : await countBackupCodes(db, app.id),
        mailed_codes: user?.has2fa === true && user.mailedCodes,
        is_required: lacksTwoFactor(await readSettings(db), { role: caller.role, has2fa: false }),
        passkeys: (await listPasskeys(db, caller.id)).map(({ id, name, addedAt, lastUsedAt }) => ({
          id,
          name,
          added_at: addedAt.toISOString(),
          last_used_at: lastUsedAt?.toISOString() ?? null,
        })),
        passkey_origin: relyingPartyOf(dependencies)?.origin ?? null,
      };
    },

    async startAuthenticator(call) {
      const user = await accountOf(db, call);
      const row = { id: randomUUID(), userId: user.id };
      const secret = randomBytes(20);
      await db.transaction().execute(async (trx) => {
        // A web process that was running while the key of the installation was changed would seal for nobody.
        if ((await lockFact(trx, keyFact)) !== dependencies.sealing.id) throw new Error('The key of this database is another one now');
        if ((await lockUnchanged(trx, user)) === null) throw new HttpError(401, texts.notAuthenticated);
        await addAuthenticator(trx, { ...row, createdAt: call.now, sealed: authenticatorSecrets.seal(row, secret) });
      });
      return { secret: base32(secret), uri: otpauthUri(secret, user.email) };
    },

    async confirmAuthenticator(call) {
      const { body, caller, now } = call;
      const user = await accountOf(db, call);
      const isReplaced = (await findAuthenticator(db, user.id)) !== null;
      if (isReplaced && (body.present_code ?? '').trim() === '') throw new HttpError(400, factorTexts.presentNeeded);
      const refuse = async (text: string): Promise<never> => {
        await audit(db, call, caller, 'set-up-authenticator', 'refused', { detail: { reason: 'wrong 2FA code' } });
        throw new HttpError(400, text);
      };
      // Not a guess: whoever sets the app up was shown its secret. So it is counted apart from the codes of a sign-in.
      const key = `authenticator-set-up ${user.id}`;
      await spend(db, limits.wrongCodes, key, now);
      const awaited = await findAwaitedAuthenticator(db, user.id, new Date(now.getTime() - hourMs));
      if (awaited === null) throw new HttpError(409, factorTexts.notStarted);
      const secret = sharedSecret(authenticatorSecrets, awaited);
      const step = stepOf(secret, body.code.replaceAll(/\s/gu, ''), now);
      if (step === null) return refuse(wrongTwoFactor);
      await refund(db, limits.wrongCodes, key, now);
      const codes = newBackupCodes();
      const hashes = codes.map((code) => backupHash(secret, code));
      const confirm = () =>
        db.transaction().execute(async (trx) => {
          const same = await lockAccount(trx, call, user);
          const app = await findAuthenticator(trx, user.id);
          if ((app !== null) !== isReplaced) throw new HttpError(409, texts.changedMeanwhile);
          if ((await findAwaitedAuthenticator(trx, user.id, new Date(0)))?.id !== awaited.id)
            throw new HttpError(409, texts.changedMeanwhile);
          if (app !== null) {
            const since = await takeAppCode(trx, dependencies, call, { user: same, app }, body.present_code ?? '');
            if (since === null) return null;
            refuseUnsettled({ since, goesSince: app.confirmedAt, now });
          }
          await confirmAuthenticator(trx, awaited, step, now);
          await replaceBackupCodes(trx, awaited.id, hashes, now);
          await removePasskeyBackupCodes(trx, user.id); // those of the app serve for both
          await endHalfLogins(trx, user.id);
          if (!user.has2fa) {
            // The mailbox was no second factor before, so it is none now.
            await updateUser(trx, user.id, { has2fa: true, mailedCodes: false });
            await endSessionsOf(trx, user.id, now, '2FA was switched on', caller.sessionId);
          }
          await addMail(trx, mails.authenticatorOn(user.email, !user.has2fa));
          await audit(trx, call, caller, 'set-up-authenticator', 'ok', isReplaced ? { detail: { replaced: true } } : {});
          return true;
        });
      const done = isReplaced ? await countedAppTry(dependencies, call, user, confirm) : await confirm();
      return done === null ? refuse(wrongPresentFactor) : { backup_codes: codes };
    },

    async renewBackupCodes(call) {
      const user = await accountOf(db, call);
      let codes = newBackupCodes();
      await db.transaction().execute(async (trx) => {
        const { app } = await lockFactors(trx, call, user, false);
        if (app === null) {
          codes = newPasskeyBackupCodes();
          const hashes = codes.map((code) => passkeyBackupHash(user.id, code));
          await replacePasskeyBackupCodes(trx, user.id, hashes, call.now);
        } else {
          const secret = sharedSecret(authenticatorSecrets, app);
          const hashes = codes.map((code) => backupHash(secret, code));
          await replaceBackupCodes(trx, app.id, hashes, call.now);
        }
        await addMail(trx, mails.backupCodesRenewed(user.email));
        await audit(trx, call, call.caller, 'renew-backup-codes', 'ok');
      });
      return { backup_codes: codes };
    },

    async stopAuthenticator(call) {
      const refuseWhenRequired = async (on: Database, user: User): Promise<void> => {
        const isRequired = lacksTwoFactor(await readSettings(on), { role: user.role, has2fa: false });
        if (isRequired && !user.mailedCodes && !(await hasPasskey(on, user.id))) throw new HttpError(403, factorTexts.required);
      };
      await refuseWhenRequired(db, await accountOf(db, call)); // before a code is used up for nothing
      const record: FactorRecord = (on, result, about) => audit(on, call, call.caller, 'stop-authenticator', result, about);
      const goesSince = ({ app }: Locked) => app?.confirmedAt ?? null;
      await withCode(call, { needsApp: true, record, goesSince }, async (trx, { user, hasPasskeys }) => {
        const isOnly = !user.mailedCodes && !hasPasskeys;
        await refuseWhenRequired(trx, user);
        await removeAuthenticators(trx, user.id);
        if (isOnly) await updateUser(trx, user.id, { has2fa: false, mailedCodes: true });
        await addMail(trx, mails.authenticatorOff(user.email, isOnly ? 'none' : hasPasskeys ? 'passkeys' : 'mail'));
      });
      return { status: 'Authenticator app taken away' };
    },

    async stopMailedCodes(call) {
      const record: FactorRecord = (on, result, about) => audit(on, call, call.caller, 'stop-mailed-codes', result, about);
      await withCode(call, { needsApp: false, record, goesSince: () => null }, async (trx, { user }) => {
        if (!user.mailedCodes) return;
        await updateUser(trx, user.id, { mailedCodes: false });
        await addMail(trx, mails.mailedCodesOff(user.email));
      });
      return { status: 'Mailed codes switched off' };
    },
  };
}

/** Locks the account with its factors. Fails: 409 when there is none of its own, or no app where one is needed */
async function lockFactors(trx: Database, call: FactorCall, user: User, needsApp: boolean): Promise<Locked> {
  const same = await lockAccount(trx, call, user);
  const factors = await ownFactors(trx, user.id);
  if (factors === null || (needsApp && factors.app === null)) throw new HttpError(409, factorTexts.noApp);
  return { user: same, ...factors };
}
