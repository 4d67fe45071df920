import { texts } from '#contract/errors.ts';
import type { PasskeyAnswer } from '#contract/passkeys.ts';
import { mostPasskeys, passkeyTexts, wrongPasskey } from '#contract/passkeys.ts';
import { wrongTwoFactor } from '#contract/second-factors.ts';
import { findAuthenticator } from '#storage/auth/authenticators.ts';
import { addChallenge, takeChallenge } from '#storage/auth/passkey-challenges.ts';
import {
  addPasskey,
  countPasskeyBackupCodes,
  listPasskeys,
  removePasskey,
  removePasskeyBackupCodes,
  replacePasskeyBackupCodes,
} from '#storage/auth/passkeys.ts';
import { endHalfLogins, endSessionsOf, lockLiveSession } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import type { User } from '#storage/users/users.ts';
import { updateUser } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { countedAppTry, takeAppCode } from './app-codes.ts';
import { newPasskeyBackupCodes, passkeyBackupHash } from './backup-codes.ts';
import type { FactorCall } from './factor-account.ts';
import { accountOf, lockAccount } from './factor-account.ts';
import { challengeLifeMs, readNewPasskey, takePasskey } from './passkey-proof.ts';
import { needRelyingParty } from './relying-party.ts';
import { refuseUnsettled } from './settled-factor.ts';
import { shownPasskeys } from './shown-passkeys.ts';
import { lacksTwoFactor } from './two-factor-rule.ts';

type PasskeyHandlers = Pick<Handlers, 'startPasskey' | 'addPasskey' | 'startPasskeyProof' | 'removePasskey'>;

/** The passkeys in the settings of an account: added and taken away. */
export function passkeyHandlers(dependencies: ServerDependencies): PasskeyHandlers {
  const { db } = dependencies;

  /** What a passkey of this session has to sign for a purpose. */
  const ask = async ({ caller, now }: FactorCall, purpose: 'add' | 'prove') => {
    const party = needRelyingParty(dependencies);
    const passkeys = await listPasskeys(db, caller.id);
    if (purpose === 'add' && passkeys.length >= mostPasskeys) throw new HttpError(409, passkeyTexts.tooMany);
    const challenge = randomBytes(32);
    await db.transaction().execute(async (trx) => {
      if (!(await lockLiveSession(trx, caller.sessionId))) throw new HttpError(401, texts.notAuthenticated);
      await addChallenge(trx, { sessionId: caller.sessionId, purpose }, challenge, new Date(now.getTime() + challengeLifeMs));
    });
    return { challenge: challenge.toString('base64url'), rp_id: party.id, passkeys: shownPasskeys(passkeys) };
  };

  return {
    async startPasskey(call) {
      const { id, email } = await accountOf(db, call);
      return { ...(await ask(call, 'add')), user: Buffer.from(id).toString('base64url'), email };
    },

    async addPasskey(call) {
      const { body, caller, now } = call;
      const party = needRelyingParty(dependencies);
      const user = await accountOf(db, call);
      const name = body.name.trim();
      const codes = await db.transaction().execute(async (trx) => {
        await lockAccount(trx, call, user);
        const challenge = await takeChallenge(trx, { sessionId: caller.sessionId, purpose: 'add' }, now);
        const made = challenge === null ? null : await readNewPasskey(party, challenge, body.passkey);
        if (made === null) return null; // and the challenge is used up
        const known = await listPasskeys(trx, user.id);
        if (known.length >= mostPasskeys) throw new HttpError(409, passkeyTexts.tooMany);
        const row = { id: randomUUID(), userId: user.id, name, transports: body.passkey.transports, addedAt: now };
        if (!(await addPasskey(trx, { ...row, ...made }))) throw new HttpError(409, passkeyTexts.known);
        await endHalfLogins(trx, user.id);
        if (!user.has2fa) {
          // The mailbox was no second factor before, so it is none now.
          await updateUser(trx, user.id, { has2fa: true, mailedCodes: false });
          await endSessionsOf(trx, user.id, now, '2FA was switched on', caller.sessionId);
        }
        await addMail(trx, mails.passkeyAdded(user.email, name, !user.has2fa));
        await audit(trx, call, caller, 'add-passkey', 'ok', { target: row.id, detail: { name } });
        return firstBackupCodes(trx, user, now);
      });
      if (codes !== null) return { backup_codes: codes };
      await audit(db, call, caller, 'add-passkey', 'refused', { detail: { reason: 'wrong passkey' } });
      throw new HttpError(400, wrongPasskey);
    },

    startPasskeyProof: async (call) => ask(call, 'prove'),

    async removePasskey(call) {
      const { body, caller, params } = call;
      const code = body.code?.trim() ?? '';
      const { answer } = body;
      if ((code === '') === (answer === undefined)) throw new HttpError(400, passkeyTexts.factorNeeded);
      const user = await accountOf(db, call);
      await refuseLast(db, user, params.id); // before a code is used up for nothing
      let reason = 'wrong 2FA code';
      const proveBy = async (trx: Database, same: User, given: PasskeyAnswer | undefined): Promise<Date | null> => {
        if (given === undefined)
          return takeAppCode(trx, dependencies, call, { user: same, app: await findAuthenticator(trx, same.id) }, code);
        const holder = { sessionId: caller.sessionId, purpose: 'prove' } as const;
        const found = await takePasskey(trx, needRelyingParty(dependencies), { userId: same.id, holder, now: call.now }, given);
        if (typeof found !== 'string') return found;
        reason = found;
        return null;
      };
      const done = await countedAppTry(dependencies, call, user, () =>
        db.transaction().execute(async (trx) => {
          const same = await lockAccount(trx, call, user);
          const since = await proveBy(trx, same, answer);
          if (since === null) return null;
          const { isLast, addedAt } = await refuseLast(trx, same, params.id);
          refuseUnsettled({ since, goesSince: addedAt, now: call.now });
          const name = await removePasskey(trx, user.id, params.id);
          if (name === null) throw new HttpError(404, passkeyTexts.unknown);
          if (isLast) await removePasskeyBackupCodes(trx, user.id);
          const isOnly = isLast && !same.mailedCodes && (await findAuthenticator(trx, user.id)) === null;
          if (isOnly) await updateUser(trx, user.id, { has2fa: false, mailedCodes: true });
          await addMail(trx, mails.passkeyRemoved(user.email, name, !isOnly));
          await endHalfLogins(trx, user.id); // they rest on the factors of before
          await audit(trx, call, caller, 'remove-passkey', 'ok', { target: params.id, detail: { name } });
          return true;
        }),
      );
      if (done !== null) return { status: 'Passkey removed' };
      await audit(db, call, caller, 'remove-passkey', 'refused', { target: params.id, detail: { reason } });
      throw new HttpError(400, answer === undefined ? wrongTwoFactor : wrongPasskey);
    },
  };
}

/** Ten backup codes for an account that has none and no app; else none: there are some already. */
async function firstBackupCodes(trx: Database, user: User, now: Date): Promise<string[]> {
  if ((await findAuthenticator(trx, user.id)) !== null || (await countPasskeyBackupCodes(trx, user.id)) > 0) return [];
  const codes = newPasskeyBackupCodes();
  await replacePasskeyBackupCodes(
    trx,
    user.id,
    codes.map((code) => passkeyBackupHash(user.id, code)),
    now,
  );
  return codes;
}

/**
 * Whether a passkey is the person's last, and when it was added. Fails: 404 when it is none, 403 when it is the only second factor and the
 * installation requires one
 */
async function refuseLast(on: Database, user: User, id: string): Promise<{ isLast: boolean; addedAt: Date }> {
  const passkeys = await listPasskeys(on, user.id);
  const passkey = passkeys.find((each) => each.id === id);
  if (passkey === undefined) throw new HttpError(404, passkeyTexts.unknown);
  const found = { isLast: passkeys.length === 1, addedAt: passkey.addedAt };
  if (!found.isLast || user.mailedCodes || (await findAuthenticator(on, user.id)) !== null) return found;
  if (lacksTwoFactor(await readSettings(on), { role: user.role, has2fa: false })) throw new HttpError(403, passkeyTexts.required);
  return found;
}
