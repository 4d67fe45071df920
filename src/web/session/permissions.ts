import type { SessionUser } from '#contract/auth.ts';

/** Whether the person is an admin: exactly the role `admin`. */
export function isAdmin(user: Pick<SessionUser, 'role'> | null): boolean {
  return user?.role === 'admin';
}

/** Whether the person may create bots. */
export function canCreateBots(user: Pick<SessionUser, 'role'> | null): boolean {
  return isAdmin(user) || user?.role === 'trader';
}

/** Whether the person may select, pause, activate or switch the bot: admins and its owner. */
export function canControlBot(user: Pick<SessionUser, 'role' | 'userId'> | null, bot: { user_id: string }): boolean {
  return isAdmin(user) || (user !== null && user.userId === bot.user_id);
}
