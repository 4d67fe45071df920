import type { Role } from '#contract/fields.ts';

/** The signed-in person behind a call, as the database has them now. */
export interface Caller {
  id: string;
  email: string;
  role: Role;
  verified: boolean;
  emailVerified: boolean;
  has2fa: boolean;
  sessionId: string;
  authenticatedAt: Date; // the last time a password was checked
}

/** Whether the caller may see every bot; traders see their own. */
export function seesAllBots(caller: Pick<Caller, 'role'>): boolean {
  return caller.role !== 'trader';
}

/** Whether the caller may change the bot of this owner. */
export function mayChangeBotOf(caller: Caller, ownerId: string): boolean {
  return caller.role === 'admin' || caller.id === ownerId;
}
