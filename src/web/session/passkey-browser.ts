import type { CallReply } from '#contract/client.ts';
import type { NewPasskey, PasskeyAnswer } from '#contract/passkeys.ts';
import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { NoPasskey } from './no-passkey.ts';

/** Has the browser make a passkey for this page. Fails: `NoPasskey` */
export async function makePasskey({ challenge, rp_id: rpId, passkeys, user, email }: CallReply<'startPasskey'>): Promise<NewPasskey> {
  const { id, response } = await orSay(
    startRegistration({
      optionsJSON: {
        challenge,
        rp: { id: rpId, name: 'Flotilla' },
        user: { id: user, name: email, displayName: email },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })), // EdDSA, ES256, RS256
        excludeCredentials: passkeys.map((known) => descriptor(known)),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        attestation: 'none',
        timeout: patienceMs,
      },
    }),
  );
  return {
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: [...(response.transports ?? [])],
  };
}

/** Has the browser sign with a passkey of this page. Fails: `NoPasskey` */
export async function answerWithPasskey({ challenge, rp_id: rpId, passkeys }: CallReply<'startPasskeySignIn'>): Promise<PasskeyAnswer> {
  const { id, response } = await orSay(
    startAuthentication({
      optionsJSON: {
        challenge,
        rpId,
        allowCredentials: passkeys.map((known) => descriptor(known)),
        userVerification: 'preferred',
        timeout: patienceMs,
      },
    }),
  );
  return { id, client_data: response.clientDataJSON, authenticator_data: response.authenticatorData, signature: response.signature };
}

const patienceMs = 4 * 60_000; // within the five minutes of the challenge

type Known = CallReply<'startPasskeySignIn'>['passkeys'][number];
type Descriptor = NonNullable<Parameters<typeof startAuthentication>[0]['optionsJSON']['allowCredentials']>[number];

function descriptor({ id, transports }: Known): Descriptor {
  return { id, type: 'public-key', transports };
}

/** Browsers say why in words for programmers, and on purpose not whether a person or a missing passkey was the cause. */
async function orSay<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (cause) {
    const code = cause instanceof WebAuthnError ? cause.code : null;
    const name = cause instanceof Error ? cause.name : '';
    if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' || name === 'InvalidStateError')
      throw new NoPasskey('This device has a passkey of your account already.', { cause });
    if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID' || name === 'SecurityError')
      throw new NoPasskey('Passkeys do not work at this address of the page.', { cause });
    if (name === 'NotAllowedError')
      throw new NoPasskey('No passkey was used. It was cancelled, took too long, or is not on this device.', { cause });
    throw new NoPasskey('The browser could not use a passkey.', { cause });
  }
}
