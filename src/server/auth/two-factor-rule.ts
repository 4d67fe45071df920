import type { InstallationSettings } from '#storage/installation/installation-settings.ts';
import type { User } from '#storage/users/users.ts';

/** Whether the account must have a second factor and has none: it gets no session before it has entered a mailed code. */
export function lacksTwoFactor(settings: Pick<InstallationSettings, 'requireTwoFactor'>, user: Pick<User, 'role' | 'has2fa'>): boolean {
  const { requireTwoFactor } = settings;
  return !user.has2fa && (requireTwoFactor === 'all' || (requireTwoFactor === 'admins' && user.role === 'admin'));
}
