import { texts } from '#contract/errors.ts';
import type { managedUser } from '#contract/users.ts';
import { notVerifiedForAdmin } from '#contract/users.ts';
import type { Database } from '#storage/database.ts';
import type { ManagedUser } from '#storage/users/managed-users.ts';
import { findManagedUser, listManagedUsers } from '#storage/users/managed-users.ts';
import { pauseChannelsOf } from '#storage/channels/channels.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { endHalfLogins, endSessionsOf } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { updateUser } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import type { z } from 'zod';
import { lockAsAdmin } from './admin-guard.ts';
import { type EndedWork, endWorkOf } from './end-work.ts';
import { audit } from '../audit/audit.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

type UserCall = Call<'verifyUser' | 'changeRole'>;

/** The user management of admins: all accounts, their verification and their role. */
export function userHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listUsers' | 'verifyUser' | 'changeRole' | 'endUserSessions'> {
  const { db } = dependencies;

  /** Changes an account that is not an admin's in one transaction, with it and the caller's own locked. */
  const changeUser = async (call: UserCall, refusal: string, change: (trx: Database, user: User) => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      const { id } = call.params;
      const user = (await lockAsAdmin(trx, call.caller, [id], 'locks')).get(id);
      if (user === undefined) throw new HttpError(404, 'User not found');
      if (user.role === 'admin') throw new HttpError(403, refusal);
      await change(trx, user);
      const changed = await findManagedUser(trx, id);
      if (changed === null) throw new HttpError(404, 'User not found');
      return toReply(dependencies, changed);
    });

  return {
    listUsers: async () => (await listManagedUsers(db)).map((user) => toReply(dependencies, user)),

    async verifyUser(call) {
      const { verified, email_verified: emailVerified } = call.body;
      return changeUser(call, 'Cannot change the verification of an admin user.', async (trx, user) => {
        if (user.verified === verified && user.emailVerified === emailVerified) return;
        await updateUser(trx, user.id, { verified, emailVerified, verificationDecidedAt: user.verificationDecidedAt ?? call.now });
        let ended: EndedWork = {};
        if ((user.verified && !verified) || (user.emailVerified && !emailVerified)) {
          await endSessionsOf(trx, user.id, call.now, 'the verification was withdrawn', null);
          await endHalfLogins(trx, user.id);
          await pauseChannelsOf(trx, user.id, 'suspended', call.now);
          ended = await endWorkOf(trx, user.id);
        }
        const from = { verified: user.verified, email_verified: user.emailVerified };
        await audit(trx, call, call.caller, 'verify-user', 'ok', { target: user.id, detail: { from, to: call.body, ...ended } });
      });
    },

    async endUserSessions(call) {
      const { caller, now, params } = call;
      return db.transaction().execute(async (trx) => {
        const user = (await lockAsAdmin(trx, caller, [params.id], 'locks')).get(params.id);
        if (user === undefined) throw new HttpError(404, 'User not found');
        await endSessionsOf(trx, user.id, now, 'ended by an administrator', caller.sessionId);
        await endHalfLogins(trx, user.id);
        if (user.id !== caller.id) await addMail(trx, mails.sessionsEnded(user.email));
        await audit(trx, call, caller, 'end-user-sessions', 'ok', { target: user.id });
        return { status: 'Sessions ended' };
      });
    },

    async changeRole(call) {
      const { role } = call.body;
      await refuseAfterReset(db, call.caller.id, call.now, texts.noChangesAfterReset);
      return changeUser(call, 'Cannot change the role of an admin user.', async (trx, user) => {
        if (user.role === role) return;
        // Nobody can verify an admin: one who was suspended would be both for ever.
        if (role === 'admin' && !(user.verified && user.emailVerified)) throw new HttpError(409, notVerifiedForAdmin);
        await updateUser(trx, user.id, { role });
        await endSessionsOf(trx, user.id, call.now, 'the role was changed', null);
        await pauseChannelsOf(trx, user.id, 'role', call.now);
        await addMail(trx, mails.roleChanged(user.email, user.role, role));
        await audit(trx, call, call.caller, 'change-role', 'ok', { target: user.id, detail: { from: user.role, to: role } });
      });
    },
  };
}

/** An account as the contract has it, with the names of exchanges. */
function toReply({ markets }: ServerDependencies, user: ManagedUser): z.input<typeof managedUser> {
  const exchangeName = (exchangeId: string): string => markets.exchanges.find(({ id }) => id === exchangeId)?.name ?? exchangeId;
  return {
    id: user.id,
    userId: user.id,
    display_name: user.displayName,
    email: user.email,
    role: user.role,
    verified: user.verified,
    email_verified: user.emailVerified,
    has_2fa: user.has2fa,
    created_at: user.createdAt.toISOString(),
    bots: user.bots.map((bot) => ({
      id: bot.id,
      name: bot.nickname,
      strategy_name: bot.strategyName,
      exchange: exchangeName(bot.exchangeId),
      exchange_id: bot.exchangeId,
      mode: bot.mode,
      trading_pairs: bot.symbols,
      status: bot.status,
    })),
    api_keys: user.apiKeys.map((key) => ({
      id: key.id,
      exchange: exchangeName(key.exchangeId),
      exchange_id: key.exchangeId,
      label: key.label,
      key_hint: key.keyHint,
      last_used: key.lastUsedAt?.toISOString() ?? null,
    })),
  };
}
