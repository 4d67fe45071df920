import { z } from 'zod';
import { noTwoFactorAfterReset, sessionUser, verificationSent } from './auth.ts';
import { texts } from './errors.ts';
import { id, requiredText, shortText } from './fields.ts';
import { defineRoute } from './route.ts';
import { factorTexts, wrongTwoFactor } from './second-factors.ts';

/** Shown for a passkey that is unknown, of another page, too late or answered before. */
export const wrongPasskey = 'The passkey was not accepted. Please try again.';

/** How many passkeys a person may have. */
export const mostPasskeys = 10;

/** Refusals of calls about passkeys. */
export const passkeyTexts = {
  notHere: 'Passkeys need https. Ask the operator to set the public address of this server.',
  tooMany: `You can have at most ${mostPasskeys} passkeys. Remove one first.`,
  known: 'This passkey is already in use.',
  unknown: 'Passkey not found',
  factorNeeded: 'Use a passkey, or enter a code of the authenticator app or a backup code.',
  noPendingSignIn: 'Your sign-in has run out. Please go back to login.',
  required: 'This server requires two-factor authentication, and the passkey is your only second factor. Add another one first.',
} as const;

/** Bytes as a browser sends them. */
const bytes = (longest: number) =>
  z
    .string({ error: texts.invalidRequest })
    .max(longest, { error: texts.invalidRequest, abort: true })
    .regex(/^[\w-]+$/u, { error: texts.invalidRequest, abort: true });

const credentialId = bytes(1_400); // 1,023 bytes

/** What a passkey signs, and which are known. */
const challenge = z.object({
  challenge: z.string(),
  rp_id: z.string(), // the host the passkeys belong to
  passkeys: z.array(z.object({ id: z.string(), transports: z.array(z.string()) })),
});

/** What a browser answers to a challenge. */
export const passkeyAnswer = z.strictObject({
  id: credentialId,
  client_data: bytes(4_000),
  authenticator_data: bytes(4_000),
  signature: bytes(4_000),
});

/** See `passkeyAnswer`. */
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** A new passkey as a browser gives it. */
const newPasskey = z.strictObject({
  id: credentialId,
  client_data: bytes(4_000),
  attestation: bytes(20_000),
  transports: z.array(shortText(20)).max(10),
});

/** See `newPasskey`. */
export type NewPasskey = z.infer<typeof newPasskey>;

const name = requiredText('Name is required', 60);
const needsPlace = { 409: [passkeyTexts.notHere] } as const;

/** Calls about passkeys as a second factor. */
export const passkeyRoutes = {
  startPasskeySignIn: defineRoute({
    id: 'ADD-passkey-sign-in-start',
    method: 'POST',
    path: '/auth/passkey-sign-in/start',
    summary: 'What a passkey has to sign for a pending sign-in, within five minutes.',
    access: { who: 'anyone' },
    reply: challenge,
    errors: { 400: [passkeyTexts.noPendingSignIn], ...needsPlace },
  }),
  signInWithPasskey: defineRoute({
    id: 'ADD-passkey-sign-in',
    method: 'POST',
    path: '/auth/passkey-sign-in',
    summary: 'Finishes a pending sign-in with a passkey.',
    access: { who: 'anyone' },
    body: passkeyAnswer,
    reply: z.union([sessionUser.extend({ status: z.string() }), z.object({ status: z.literal(verificationSent), email: z.string() })]),
    errors: { 400: [wrongPasskey], 429: [texts.tooManyAttempts], ...needsPlace },
  }),
  startPasskey: defineRoute({
    id: 'ADD-passkey-start',
    method: 'POST',
    path: '/auth/passkeys/start',
    summary: 'What a new passkey is made with, within five minutes.',
    access: { who: 'all', stepUp: true },
    reply: challenge.extend({ user: z.string(), email: z.string() }),
    errors: { 403: [noTwoFactorAfterReset], 409: [...needsPlace[409], passkeyTexts.tooMany] },
  }),
  addPasskey: defineRoute({
    id: 'ADD-passkey',
    method: 'POST',
    path: '/auth/passkeys',
    summary: 'Adds a passkey: from now on it is a second factor. Answers backup codes, once, where there were none.',
    access: { who: 'all', stepUp: true },
    body: z.strictObject({ name, passkey: newPasskey }),
    reply: z.object({ backup_codes: z.array(z.string()) }),
    errors: {
      400: ['Name is required', wrongPasskey],
      403: [noTwoFactorAfterReset],
      409: [...needsPlace[409], passkeyTexts.tooMany, passkeyTexts.known, texts.changedMeanwhile],
    },
  }),
  startPasskeyProof: defineRoute({
    id: 'ADD-passkey-proof',
    method: 'POST',
    path: '/auth/passkeys/prove',
    summary: 'What a passkey has to sign before a second factor is taken away, within five minutes.',
    access: { who: 'all', stepUp: true },
    reply: challenge,
    errors: needsPlace,
  }),
  removePasskey: defineRoute({
    id: 'ADD-passkey-remove',
    method: 'POST',
    path: '/auth/passkeys/{id}/remove',
    summary: 'Takes a passkey away, by any passkey, a code of the authenticator app or a backup code.',
    access: { who: 'all', stepUp: true },
    params: z.object({ id }),
    body: z.strictObject({ code: shortText(40).optional(), answer: passkeyAnswer.optional() }),
    reply: z.object({ status: z.string() }),
    errors: {
      400: [passkeyTexts.factorNeeded, wrongTwoFactor, wrongPasskey],
      403: [noTwoFactorAfterReset, passkeyTexts.required, factorTexts.unsettled],
      404: [passkeyTexts.unknown],
      409: [...needsPlace[409], factorTexts.unreadable, texts.changedMeanwhile],
      429: [texts.tooManyAttempts],
    },
  }),
} as const;
