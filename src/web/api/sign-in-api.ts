import { authRoutes } from '#contract/auth.ts';
import { createClient } from '#contract/client.ts';
import { passkeyRoutes } from '#contract/passkeys.ts';
import { secondFactorRoutes } from '#contract/second-factors.ts';
import { send } from './send.ts';

/** The calls around a sign-in: all that the screens before the dashboard load of the contract. */
export const signInApi = createClient({ ...authRoutes, ...secondFactorRoutes, ...passkeyRoutes }, send);
