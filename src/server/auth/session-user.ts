import type { User } from '#storage/users/users.ts';

/** An account as its own page sees it. */
export function sessionUserOf(user: {
  id: string;
  email: string;
  role: User['role'];
  verified: boolean;
  emailVerified: boolean;
  has2fa: boolean;
}) {
  return {
    email: user.email,
    userId: user.id,
    role: user.role,
    verified: user.verified,
    email_verified: user.emailVerified,
    has_2fa: user.has2fa,
  };
}
