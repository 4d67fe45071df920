import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { dayMs } from '#engine/market/durations.ts';
import { mails } from '#mail/texts.ts';
import { lockSettings } from '#storage/installation/installation-settings.ts';
import type { ListedInvitation } from '#storage/users/invitations.ts';
import { addInvitation, listInvitations, removeInvitation, withdrawInvitation } from '#storage/users/invitations.ts';
import { findUserByEmail } from '#storage/users/users.ts';
import { lockAsAdmin } from './admin-guard.ts';
import { audit } from '../audit/audit.ts';
import { invitationHash, newInvitationCode } from '../auth/invitation-code.ts';
import { limits, spend } from '../auth/limits.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const lifeMs = 7 * dayMs;
const listed = 200;

/** Invitations to make an account: admins mail them and withdraw them. */
export function invitationHandlers(dependencies: ServerDependencies): Pick<Handlers, 'listInvitations' | 'invite' | 'withdrawInvitation'> {
  const { db, pepper, mailer, pageUrl } = dependencies;
  return {
    listInvitations: async ({ now }) => (await listInvitations(db, listed)).map((invitation) => toReply(invitation, now)),

    async invite(call) {
      const { caller, now } = call;
      const email = call.body.email.trim();
      const role = call.body.role ?? 'trader';
      await refuseAfterReset(db, caller.id, now, texts.noChangesAfterReset);
      await spend(db, limits.invitations, caller.id, now, texts.tooManyRequests);
      const code = newInvitationCode();
      const id = await db.transaction().execute(async (trx) => {
        const { registration } = await lockSettings(trx, 'use');
        await lockAsAdmin(trx, caller, [], 'changes');
        if (registration !== 'invitation') throw new HttpError(409, 'Registration is not by invitation. Change that first.');
        if ((await findUserByEmail(trx, email)) !== null) throw new HttpError(409, 'Email is already registered');
        const added = await addInvitation(trx, { email, role, codeHash: invitationHash(pepper, code), invitedBy: caller.id, now, lifeMs });
        if (added === null) throw new HttpError(409, 'This address has an open invitation. Withdraw it first.');
        await audit(trx, call, caller, 'invite', 'ok', { target: email, detail: { role } });
        return added;
      });
      try {
        // At once, and not through the outbox: a code that can still be used lies nowhere in clear.
        await mailer.send(mails.invitation(email, code, new URL('/register', pageUrl).href));
      } catch (cause) {
        await db.transaction().execute(async (trx) => {
          await removeInvitation(trx, id);
          await audit(trx, call, caller, 'invite', 'failed', { target: email, detail: { role } });
        });
        throw new HttpError(503, texts.mailFailed, { cause });
      }
      return toReply(
        {
          id,
          email,
          role,
          createdAt: now,
          expiresAt: new Date(now.getTime() + lifeMs),
          usedAt: null,
          withdrawnAt: null,
          invitedBy: caller.email,
        },
        now,
      );
    },

    async withdrawInvitation(call) {
      const { caller, now, params } = call;
      await db.transaction().execute(async (trx) => {
        await lockAsAdmin(trx, caller, [], 'changes');
        const email = await withdrawInvitation(trx, params.id, now);
        if (email === null) throw new HttpError(409, 'The invitation is not open');
        await audit(trx, call, caller, 'withdraw-invitation', 'ok', { target: email });
      });
      return { status: 'Invitation withdrawn' };
    },
  };
}

function toReply(invitation: ListedInvitation, now: Date): CallReply<'listInvitations'>[number] {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    state: stateOf(invitation, now),
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}

function stateOf({ usedAt, withdrawnAt, expiresAt }: ListedInvitation, now: Date): CallReply<'listInvitations'>[number]['state'] {
  if (usedAt !== null) return 'used';
  if (withdrawnAt !== null) return 'withdrawn';
  return expiresAt > now ? 'open' : 'expired';
}
