import type { NewPasskey, PasskeyAnswer } from '#contract/passkeys.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { ChallengeHolder } from '#storage/auth/passkey-challenges.ts';
import { takeChallenge } from '#storage/auth/passkey-challenges.ts';
import type { Passkey } from '#storage/auth/passkeys.ts';
import { countSignature, listPasskeys } from '#storage/auth/passkeys.ts';
import type { Database } from '#storage/database.ts';
import { updateUser } from '#storage/users/users.ts';
import type { RelyingParty } from './relying-party.ts';

/** How long a passkey may take to sign what it was asked to. */
export const challengeLifeMs = 5 * minuteMs;

/** Why a passkey was refused, for the audit log. */
export type PasskeyFault = 'no passkey asked for' | 'unknown passkey' | 'wrong passkey' | 'passkey counter went back';

/** Loaded by the first who needs it: its share of memory is that of the certificates, which are not asked for here. */
const library = async () => import('@simplewebauthn/server');

/**
 * Uses up what the holder was asked to sign, and says since when the passkey of this account that has signed it, for this page, has been there;
 * or what is wrong with the answer. Its counter must not go back.
 *
 * Needs: a transaction that has locked the account and the holder, and is kept whatever the outcome
 */
export async function takePasskey(
  trx: Database,
  party: RelyingParty,
  of: { userId: string; holder: ChallengeHolder; now: Date },
  answer: PasskeyAnswer,
): Promise<Date | PasskeyFault> {
  const challenge = await takeChallenge(trx, of.holder, of.now);
  if (challenge === null) return 'no passkey asked for';
  const passkey = (await listPasskeys(trx, of.userId)).find(({ credentialId }) => credentialId.toString('base64url') === answer.id);
  if (passkey === undefined) return 'unknown passkey';
  const counter = await counterOf(party, passkey, challenge, answer);
  if (counter === null) return 'wrong passkey';
  if (!(await countSignature(trx, passkey.id, counter, of.now))) return 'passkey counter went back';
  await updateUser(trx, of.userId, { secondFactorMisses: 0 });
  return passkey.addedAt;
}

/** The counter of a signature that is right; null when it is not. The counter itself is compared where it is written. */
async function counterOf(party: RelyingParty, passkey: Passkey, challenge: Buffer, answer: PasskeyAnswer): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: answer.id,
        rawId: answer.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: answer.client_data, authenticatorData: answer.authenticator_data, signature: answer.signature },
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: { id: answer.id, publicKey: Uint8Array.from(passkey.publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null; // the library throws on whatever does not fit, and nothing else is reached here
  }
}

/** What is kept of a new passkey that was made for this page and challenge; null when it was not. Nobody vouches for its make: none is asked for. */
export async function readNewPasskey(
  party: RelyingParty,
  challenge: Buffer,
  made: NewPasskey,
): Promise<(Pick<Passkey, 'credentialId' | 'publicKey'> & { counter: number }) | null> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: made.id,
        rawId: made.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: made.client_data, attestationObject: made.attestation },
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [-8, -7, -257], // EdDSA, ES256, RS256
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    if (id !== made.id) return null;
    return { credentialId: Buffer.from(id, 'base64url'), publicKey: Buffer.from(publicKey), counter };
  } catch {
    return null; // as above
  }
}
