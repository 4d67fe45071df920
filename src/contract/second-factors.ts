import { z } from 'zod';
import { noTwoFactorAfterReset, sessionUser, verificationSent } from './auth.ts';
import { texts } from './errors.ts';
import { id, moment, requiredText, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** Shown for a code that is wrong, used, too old or of something else. */
export const wrongTwoFactor = 'Invalid or expired 2FA code. Please try again.';

/** Shown when an app replaces another one, and the code of that one is wrong. */
export const wrongPresentFactor = 'The code of the app in use, or the backup code, is wrong or was used before.';

/** Refusals of changes of the second factor. */
export const factorTexts = {
  notStarted: 'Nothing is being set up. Start again; a secret can be confirmed for an hour.',
  noApp: 'No authenticator app is set up.',
  presentNeeded: 'Enter a code of the app in use, or a backup code.',
  unreadable:
    'The authenticator app can no longer be checked: the key of this server was lost. Ask the operator to run flotilla reset-2fa.',
  unsettled:
    'For 24 hours a second factor that was added, and backup codes that were renewed, take nothing away that was there before. Use one that was.',
  required: 'This server requires two-factor authentication, and the app is your only second factor. Set it up again instead.',
} as const;

const code = requiredText('2FA code is required', 40);
const codeBody = z.strictObject({ code });
const backupCodes = z.object({ backup_codes: z.array(z.string()) });
const needsApp = { 403: [noTwoFactorAfterReset], 409: [factorTexts.noApp, factorTexts.unreadable] } as const;
const refusesCode = { 400: ['2FA code is required', wrongTwoFactor], 429: [texts.tooManyAttempts] } as const;

/** Calls about second factors, and about the authenticator app. */
export const secondFactorRoutes = {
  signInWithApp: defineRoute({
    id: 'ADD-app-sign-in',
    method: 'POST',
    path: '/auth/app-sign-in',
    summary: 'Finishes a pending sign-in with a code of the authenticator app, or a backup code.',
    access: { who: 'anyone' },
    body: codeBody,
    reply: z.union([sessionUser.extend({ status: z.string() }), z.object({ status: z.literal(verificationSent), email: z.string() })]),
    errors: { ...refusesCode, 409: [factorTexts.unreadable] },
  }),
  getSecondFactors: defineRoute({
    id: 'ADD-second-factors',
    method: 'GET',
    path: '/auth/second-factors',
    summary: "The caller's second factors.",
    access: { who: 'all' },
    reply: z.object({
      app_since: moment.nullable(), // null: no authenticator app
      backup_codes: z.number().int(), // that are left
      mailed_codes: z.boolean(), // whether a code by mail signs in, too
      is_required: z.boolean(), // by the installation
      passkeys: z.array(z.object({ id, name: z.string(), added_at: moment, last_used_at: moment.nullable() })),
      passkey_origin: z.string().nullable(), // where passkeys work; null: nowhere, for want of https
    }),
    errors: {},
  }),
  startAuthenticator: defineRoute({
    id: 'ADD-start-app',
    method: 'POST',
    path: '/auth/authenticator',
    summary: 'Makes the secret of an authenticator app. It counts once a code of it has been entered.',
    access: { who: 'all', stepUp: true },
    reply: z.object({ secret: z.string(), uri: z.string() }),
    errors: { 403: [noTwoFactorAfterReset] },
  }),
  confirmAuthenticator: defineRoute({
    id: 'ADD-confirm-app',
    method: 'POST',
    path: '/auth/authenticator/confirm',
    summary: 'Takes the first code of the app: from now on it is a second factor. Answers the backup codes, once.',
    access: { who: 'all', stepUp: true },
    body: z.strictObject({ code, present_code: shortText(40).optional() }), // of the app in use, when there is one
    reply: backupCodes,
    errors: {
      400: [...refusesCode[400], wrongPresentFactor, factorTexts.presentNeeded],
      403: [noTwoFactorAfterReset, factorTexts.unsettled],
      409: [factorTexts.notStarted, factorTexts.unreadable, texts.changedMeanwhile],
      429: refusesCode[429],
    },
  }),
  renewBackupCodes: defineRoute({
    id: 'ADD-backup-codes',
    method: 'POST',
    path: '/auth/backup-codes',
    summary: 'Makes ten new backup codes; the ones of before are void.',
    access: { who: 'all', stepUp: true },
    reply: backupCodes,
    errors: { ...needsApp, 409: [...needsApp[409], texts.changedMeanwhile] },
  }),
  stopAuthenticator: defineRoute({
    id: 'ADD-stop-app',
    method: 'POST',
    path: '/auth/authenticator/stop',
    summary: 'Takes the authenticator app away, by a code of it or a backup code.',
    access: { who: 'all', stepUp: true },
    body: codeBody,
    reply: z.object({ status: z.string() }),
    errors: {
      ...refusesCode,
      403: [noTwoFactorAfterReset, factorTexts.required, factorTexts.unsettled],
      409: [factorTexts.noApp, factorTexts.unreadable, texts.changedMeanwhile],
    },
  }),
  stopMailedCodes: defineRoute({
    id: 'ADD-stop-mailed-codes',
    method: 'POST',
    path: '/auth/mailed-codes/stop',
    summary: 'Has mailed codes sign in no more, by a code of the authenticator app or a backup code.',
    access: { who: 'all', stepUp: true },
    body: codeBody,
    reply: z.object({ status: z.string() }),
    errors: {
      ...refusesCode,
      403: [noTwoFactorAfterReset, factorTexts.unsettled],
      409: [factorTexts.noApp, factorTexts.unreadable, texts.changedMeanwhile],
    },
  }),
} as const;
