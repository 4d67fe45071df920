import type { Passkey } from '#storage/auth/passkeys.ts';

/** Passkeys as a browser needs them to find one of them. */
export function shownPasskeys(passkeys: readonly Passkey[]): { id: string; transports: string[] }[] {
  return passkeys.map(({ credentialId, transports }) => ({ id: credentialId.toString('base64url'), transports }));
}
