import { ownSessionHandlers } from './auth/own-sessions.ts';
import { passwordHandlers } from './auth/password-change.ts';
import { setUpHandlers } from './auth/set-up.ts';
import { signInHandlers } from './auth/sign-in.ts';
import { signUpHandlers } from './auth/sign-up.ts';
import { stepUpHandlers } from './auth/step-up.ts';
import { twoFactorHandlers } from './auth/two-factor.ts';
import type { ServerParts } from './parts.ts';

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
