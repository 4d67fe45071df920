import { dayMs } from '#engine/market/durations.ts';
import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { emailKey } from './email-key.ts';
import type { Schema } from '../schema.ts';

/** An invitation to make an account; only a hash of its code is kept. */
export type Invitation = Selectable<Schema['invitations']>;

/** An invitation as admins see it: nothing of its code. */
export type ListedInvitation = Omit<Invitation, 'codeHash' | 'emailKey' | 'invitedBy'> & { invitedBy: string | null }; // e-mail

/** Adds an invitation; null when the address has one that is open. One that has run out makes room. */
export async function addInvitation(
  trx: Database,
  { email, role, codeHash, invitedBy, now, lifeMs }: Pick<Invitation, 'email' | 'role' | 'codeHash'> & InvitedBy,
): Promise<string | null> {
  await trx
    .deleteFrom('invitations')
    .where('emailKey', '=', emailKey(email))
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '<=', now)
    .execute();
  const added = await trx
    .insertInto('invitations')
    .values({ email, emailKey: emailKey(email), role, codeHash, invitedBy, createdAt: now, expiresAt: new Date(now.getTime() + lifeMs) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id ?? null;
}

interface InvitedBy {
  invitedBy: string;
  now: Date;
  lifeMs: number;
}

/** Removes an invitation whose mail did not go out. */
export async function removeInvitation(trx: Database, id: string): Promise<void> {
  await trx.deleteFrom('invitations').where('id', '=', id).execute();
}

/** Uses the invitation of this address and code up; null when there is none that is open. Of several at once one gets it. */
export async function useInvitation(
  trx: Database,
  by: { email: string; codeHash: Buffer; now: Date },
): Promise<Pick<Invitation, 'id' | 'role'> | null> {
  const used = await trx
    .updateTable('invitations')
    .set({ usedAt: by.now })
    .where('codeHash', '=', by.codeHash)
    .where('emailKey', '=', emailKey(by.email))
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '>', by.now)
    .returning(['id', 'role'])
    .executeTakeFirst();
  return used ?? null;
}

/** Opens an invitation again whose account was removed, because its mail did not go out; unless the address has a newer one. */
export async function reopenInvitation(trx: Database, id: string): Promise<void> {
  await trx
    .updateTable('invitations')
    .set({ usedAt: null })
    .where('id', '=', id)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('invitations as others')
            .select('others.id')
            .whereRef('others.emailKey', '=', 'invitations.emailKey')
            .where('others.usedAt', 'is', null)
            .where('others.withdrawnAt', 'is', null),
        ),
      ),
    )
    .execute();
}

/** Withdraws an open invitation and gives its address; null when it is not open. */
export async function withdrawInvitation(trx: Database, id: string, now: Date): Promise<string | null> {
  const withdrawn = await trx
    .updateTable('invitations')
    .set({ withdrawnAt: now })
    .where('id', '=', id)
    .where('usedAt', 'is', null)
    .where('withdrawnAt', 'is', null)
    .where('expiresAt', '>', now)
    .returning('email')
    .executeTakeFirst();
  return withdrawn?.email ?? null;
}

/** The newest invitations, whatever became of them. */
export async function listInvitations(db: Database, limit: number): Promise<ListedInvitation[]> {
  return db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.invitedBy')
    .select([
      'invitations.id',
      'invitations.email',
      'invitations.role',
      'invitations.createdAt',
      'invitations.expiresAt',
      'invitations.usedAt',
      'invitations.withdrawnAt',
      'users.email as invitedBy',
    ])
    .orderBy('invitations.createdAt', 'desc')
    .orderBy('invitations.id')
    .limit(limit)
    .execute();
}

/** Removes invitations that ran out long ago. */
export async function removeOldInvitations(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('invitations')
    .where('expiresAt', '<', new Date(now.getTime() - 90 * dayMs))
    .execute();
}
