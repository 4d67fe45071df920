import type { NewPasskey, PasskeyAnswer } from '#contract/passkeys.ts';
import { signInApi } from '../api/sign-in-api.ts';
import { reasonOf } from './login-flow.ts';
import { NoPasskey } from './no-passkey.ts';

/** Whether this browser has passkeys at all: only pages over https, or on this machine, get them. */
export function hasPasskeys(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window;
}

/** What talks to the browser is loaded when a passkey is used. */
const browser = async () => import('./passkey-browser.ts');

/** A new passkey of this page. */
export async function newPasskey(): Promise<NewPasskey> {
  const [{ makePasskey }, asked] = await Promise.all([browser(), signInApi.startPasskey({})]);
  return makePasskey(asked);
}

/** A signature for the sign-in that waits, or for a change of the second factors. */
export async function passkeyAnswer(purpose: 'sign-in' | 'prove'): Promise<PasskeyAnswer> {
  const asking = purpose === 'sign-in' ? signInApi.startPasskeySignIn({}) : signInApi.startPasskeyProof({});
  const [{ answerWithPasskey }, asked] = await Promise.all([browser(), asking]);
  return answerWithPasskey(asked);
}

/** Why a call or a passkey failed: the sentence of the server or of the browser. */
export function passkeyReason(failure: unknown): string | null {
  return failure instanceof NoPasskey ? failure.message : reasonOf(failure);
}
