import { wrongSetUpCode } from '#contract/auth.ts';
import { addUser, hasAdmin } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { addressKey, limits, refund, spend } from './limits.ts';
import { refuseWeakPassword } from './password-strength.ts';
import { hashPassword } from './passwords.ts';
import { takeSetUpCode } from './set-up-code.ts';

/** The first admin of an installation, made by whoever reads the console of the server. */
export function setUpHandlers({ db }: ServerDependencies): Pick<Handlers, 'makeFirstAdmin'> {
  return {
    async makeFirstAdmin(call) {
      const { email, password, code } = call.body;
      refuseWeakPassword(password, email);
      const tries = `set-up ${addressKey(call.address)}`;
      await spend(db, limits.wrongCodesHere, tries, call.now);
      const passwordHash = await hashPassword(password);
      await db.transaction().execute(async (trx) => {
        const isRight = await takeSetUpCode(trx, code);
        if (!isRight || (await hasAdmin(trx))) throw new HttpError(403, wrongSetUpCode);
        const made = await addUser(trx, { email: email.trim(), passwordHash, role: 'admin', verified: true });
        if (made === null) throw new HttpError(409, 'Email is already registered');
        await audit(trx, call, made, 'set-up', 'ok');
      });
      await refund(db, limits.wrongCodesHere, tries, call.now);
      return { status: 'Admin created. Please sign in.' };
    },
  };
}
