import { appSignInHandlers } from './app-sign-in.ts';
import { authenticatorHandlers } from './authenticators.ts';
import { ownSessionHandlers } from './own-sessions.ts';
import { passkeySignInHandlers } from './passkey-sign-in.ts';
import { passkeyHandlers } from './passkeys.ts';
import { passwordHandlers } from './password-change.ts';
import { setUpHandlers } from './set-up.ts';
import { signInHandlers } from './sign-in.ts';
import { signUpHandlers } from './sign-up.ts';
import { stepUpHandlers } from './step-up.ts';
import { twoFactorHandlers } from './two-factor.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** Sign-in, sign-up, passwords, codes and sessions. */
export function authHandlers(dependencies: ServerDependencies) {
  return {
    ...signInHandlers(dependencies),
    ...signUpHandlers(dependencies),
    ...passwordHandlers(dependencies),
    ...twoFactorHandlers(dependencies),
    ...appSignInHandlers(dependencies),
    ...authenticatorHandlers(dependencies),
    ...passkeySignInHandlers(dependencies),
    ...passkeyHandlers(dependencies),
    ...ownSessionHandlers(dependencies),
    ...stepUpHandlers(dependencies),
    ...setUpHandlers(dependencies),
  };
}
