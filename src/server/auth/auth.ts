import { ownSessionHandlers } from './own-sessions.ts';
import { passwordHandlers } from './password-change.ts';
import { setUpHandlers } from './set-up.ts';
import { signInHandlers } from './sign-in.ts';
import { signUpHandlers } from './sign-up.ts';
import { stepUpHandlers } from './step-up.ts';
import { twoFactorHandlers } from './two-factor.ts';
import type { ServerParts } from '../parts.ts';

/** Sign-in, sign-up, passwords, codes and sessions. */
export function authHandlers(parts: ServerParts) {
  return {
    ...signInHandlers(parts),
    ...signUpHandlers(parts),
    ...passwordHandlers(parts),
    ...twoFactorHandlers(parts),
    ...ownSessionHandlers(parts),
    ...stepUpHandlers(parts),
    ...setUpHandlers(parts),
  };
}
