import { z } from 'zod';
import { texts } from './errors.ts';
import { isEmailAddress } from './email-address.ts';
import { id, mailsGoTo, moment, requiredText, roles, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** Shown when two entries of a new password differ, on sign-up and reset. */
export const passwordsDiffer = 'Passwords do not match. Please ensure both passwords are the same.';

/** Shown when a new password is too short. */
export const passwordTooShort = 'Password must be at least 8 characters';

/** Shown when a new password is one of those that are guessed first: a common one, the product's name, the own e-mail. */
export const passwordTooCommon = 'Password is too easy to guess. Please choose another one.';

/** The refusal of a set-up of the second factor on the day after a reset of the password. */
export const noTwoFactorAfterReset = 'For 24 hours after a password reset two-factor authentication cannot be changed.';

/** The refusal of a sign-in after too many wrong codes: whoever enters them knows the password. */
export const secondFactorUsedUp = 'Too many wrong 2FA codes. Reset your password to sign in again.';

/** The status of a sign-in that waits for a second factor. */
export const twoFactorSent = '2FA code sent to your email';

/** The status of a sign-in that waits for a code of the authenticator app. */
export const appAsked = 'Enter the code of your authenticator app';

/** The status of a sign-in that waits for a passkey: there is no authenticator app. */
export const passkeyAsked = 'Use a passkey';

/** The status of a sign-in whose mailbox has to be proven first. */
export const verificationSent = 'Verification code sent to your email';

/** The refusal of a mailed code where the account's second factor is an app alone. */
export const noMailedCodes = 'No codes are mailed for this account. Use the authenticator app, a passkey or a backup code.';

const email = requiredText('Email is required', 254);
const newEmail = email.refine((text) => isEmailAddress(text.trim()), { error: 'Invalid email address', abort: true });
const password = requiredText('Password is required', 128);
const newPassword = passwordEntry('Password is required');
const confirmPassword = passwordEntry('Confirm Password is required');

/** An entry of a new password: any characters, blanks too; absent or empty gives `message`. */
function passwordEntry(message: string): z.ZodString {
  return z
    .string({ error: (issue) => (issue.input === undefined || issue.input === null ? message : texts.invalidRequest) })
    .min(1, { error: message, abort: true })
    .max(128, { error: texts.invalidRequest, abort: true });
}

/** The signed-in person, as the browser keeps it. */
export const sessionUser = z.object({
  email: z.string(),
  userId: z.string(),
  role: z.enum(roles),
  verified: z.boolean(),
  email_verified: z.boolean(),
  has_2fa: z.boolean(),
});

/** See `sessionUser`. */
export type SessionUser = z.infer<typeof sessionUser>;

/** The status of a confirmed e-mail address whose owner needs a second factor, and so has no session yet. */
export const verifiedSignIn = 'Email verified successfully. Please sign in.';

/** Who may make an account: anybody, nobody, or who was invited. */
export const registrations = ['open', 'closed', 'invitation'] as const;

/** Shown where nobody may make an account. */
export const registrationClosed = 'Registration is closed. Ask an administrator for an account.';

/** Shown for a code that is wrong, used, withdrawn, too old or of another address. */
export const wrongInvitation = 'Invalid or expired invitation code';

const statusOnly = z.object({ status: z.string() });
const signedIn = sessionUser.extend({ status: z.string() });

/** Body of a sign-in. */
export const loginBody = z.strictObject({ email, password });

/**
 * Body of a sign-up. Checked one after the other: the e-mail, both entries present, the length, then that they agree; the first
 * failing check is the answer.
 */
export const registerBody = z
  .strictObject({ email: newEmail, password: newPassword, confirmPassword, invitationCode: shortText(100).optional() })
  .refine((body) => body.password.length >= 8, { error: passwordTooShort, path: ['password'], abort: true })
  .refine((body) => body.password === body.confirmPassword, { error: passwordsDiffer, path: ['confirmPassword'] });

/** The same where an account needs an invitation. */
export const invitedRegisterBody = registerBody.refine((body) => /\S/u.test(body.invitationCode ?? ''), {
  error: 'Invitation Code is required',
  path: ['invitationCode'],
});

/** Body of the making of the first admin; checked as a sign-up, the code first. */
export const setUpBody = z
  .strictObject({ code: requiredText('Set-up code is required', 40), email: newEmail, password: newPassword, confirmPassword })
  .refine((body) => body.password.length >= 8, { error: passwordTooShort, path: ['password'], abort: true })
  .refine((body) => body.password === body.confirmPassword, { error: passwordsDiffer, path: ['confirmPassword'] });

/** The refusal of a set-up code that was not printed, is used up, or comes when there is an admin. */
export const wrongSetUpCode = 'Invalid set-up code. The server prints a new one at each start until there is an admin.';

/** Body of a confirmation of an e-mail address. */
export const verifyEmailBody = z.strictObject({ email, code: requiredText('Verification code is required') });

/** Body of a call that only names an e-mail address. */
export const emailBody = z.strictObject({ email });

/** Body of a reset of a forgotten password. */
export const resetPasswordBody = z
  .strictObject({ email, code: requiredText('Reset code is required'), password: newPassword, confirmPassword })
  .refine((body) => body.password === body.confirmPassword, { error: passwordsDiffer, path: ['confirmPassword'], abort: true })
  .refine((body) => body.password.length >= 8, { error: passwordTooShort, path: ['password'] });

/** Body of a second factor. */
export const twoFactorBody = z.strictObject({
  code: requiredText('2FA code is required').regex(/^.{6}$/u, { error: 'Please enter a valid 6-digit 2FA code', abort: true }),
});

/** Calls about sign-in, sign-up, codes and sessions. */
export const authRoutes = {
  getMe: defineRoute({
    id: 'API-01',
    method: 'GET',
    path: '/auth/me',
    summary: 'The signed-in person.',
    access: { who: 'all' },
    reply: sessionUser,
    errors: {},
  }),
  login: defineRoute({
    id: 'API-02',
    method: 'POST',
    path: '/auth/login',
    summary: 'Signs in; with a second factor or an unconfirmed e-mail no session is given yet.',
    access: { who: 'anyone' },
    body: loginBody,
    reply: z.union([
      signedIn,
      z.object({ status: z.literal(twoFactorSent), email: z.string(), userId: z.string() }),
      // `mailed_codes`: a code by mail would do, too (API-10, API-12); `passkeys`: so would one of them.
      z.object({
        status: z.enum([appAsked, passkeyAsked]),
        email: z.string(),
        userId: z.string(),
        mailed_codes: z.boolean(),
        passkeys: z.boolean(),
      }),
    ]),
    errors: {
      400: ['Email is required', 'Password is required'],
      401: ['Invalid email or password'],
      403: [secondFactorUsedUp],
      429: [texts.tooManyAttempts],
      503: [texts.mailFailed],
    },
  }),
  register: defineRoute({
    id: 'API-03',
    method: 'POST',
    path: '/auth/register',
    summary: 'Makes an account and mails a verification code.',
    access: { who: 'anyone' },
    body: registerBody,
    status: 201,
    reply: signedIn,
    errors: {
      400: [
        'Email is required',
        'Invalid email address',
        'Password is required',
        'Confirm Password is required',
        passwordTooShort,
        passwordsDiffer,
        passwordTooCommon,
      ],
      403: [registrationClosed, wrongInvitation],
      409: ['Email is already registered'],
      429: [texts.tooManyAttempts],
      503: [texts.mailFailed],
    },
  }),
  getRegistration: defineRoute({
    id: 'ADD-registration',
    method: 'GET',
    path: '/auth/registration',
    summary: 'Who may make an account, and where codes are mailed to.',
    access: { who: 'anyone' },
    reply: z.object({ registration: z.enum(registrations), mails_go_to: mailsGoTo }),
    errors: {},
  }),
  makeFirstAdmin: defineRoute({
    id: 'ADD-set-up',
    method: 'POST',
    path: '/auth/set-up',
    summary: 'Makes the first admin by the code that the server prints while there is none.',
    access: { who: 'anyone' },
    body: setUpBody,
    status: 201,
    reply: statusOnly,
    errors: {
      400: [
        'Set-up code is required',
        'Email is required',
        'Invalid email address',
        'Password is required',
        'Confirm Password is required',
        passwordTooShort,
        passwordsDiffer,
        passwordTooCommon,
      ],
      403: [wrongSetUpCode],
      409: ['Email is already registered'],
      429: [texts.tooManyAttempts],
    },
  }),
  logout: defineRoute({
    id: 'API-04',
    method: 'POST',
    path: '/auth/logout',
    summary: 'Ends the session; works without one.',
    access: { who: 'anyone' },
    reply: statusOnly,
    errors: {},
  }),
  updatePassword: defineRoute({
    id: 'API-05',
    method: 'POST',
    path: '/auth/update',
    summary: 'Changes the own password.',
    access: { who: 'all' },
    body: z.strictObject({
      password: newPassword.min(8, passwordTooShort),
      currentPassword: shortText(128).optional(),
    }),
    reply: statusOnly,
    errors: {
      400: ['Password is required', passwordTooShort, passwordTooCommon],
      // Asked for when the last check of a password is older than ten minutes.
      403: [texts.passwordNeeded, texts.wrongPassword],
      429: [texts.tooManyAttempts],
    },
  }),
  forgotPassword: defineRoute({
    id: 'API-06',
    method: 'POST',
    path: '/auth/forgot-password',
    summary: 'Mails a reset code.',
    access: { who: 'anyone' },
    body: emailBody,
    reply: statusOnly,
    errors: { 400: ['Email is required'] },
  }),
  resetPassword: defineRoute({
    id: 'API-07',
    method: 'POST',
    path: '/auth/reset-password',
    summary: 'Sets a new password by a reset code.',
    access: { who: 'anyone' },
    body: resetPasswordBody,
    reply: statusOnly,
    errors: {
      400: [
        'Email is required',
        'Reset code is required',
        'Password is required',
        'Confirm Password is required',
        passwordTooShort,
        passwordsDiffer,
        passwordTooCommon,
        'Invalid or expired reset code',
      ],
      429: [texts.tooManyAttempts],
    },
  }),
  verifyEmail: defineRoute({
    id: 'API-08',
    method: 'POST',
    path: '/auth/verify-email',
    summary: 'Confirms the e-mail address and signs in; an account that needs a second factor signs in by itself then.',
    access: { who: 'anyone' },
    body: verifyEmailBody,
    reply: z.union([signedIn, z.object({ status: z.literal(verifiedSignIn), email: z.string() })]),
    errors: {
      400: ['Email is required', 'Verification code is required', 'Invalid or expired verification code'],
      429: [texts.tooManyAttempts],
    },
  }),
  resendVerification: defineRoute({
    id: 'API-09',
    method: 'POST',
    path: '/auth/resend-verification',
    summary: 'Mails a new verification code.',
    access: { who: 'anyone' },
    body: emailBody,
    reply: statusOnly,
    errors: { 400: ['Email is required'], 503: [texts.mailFailed] },
  }),
  resendTwoFactor: defineRoute({
    id: 'API-10',
    method: 'POST',
    path: '/auth/resend-2fa-login',
    summary: 'Mails a new second factor for a pending sign-in or a started set-up.',
    access: { who: 'anyone' },
    body: emailBody,
    reply: statusOnly,
    errors: { 400: ['Email is required', 'Email not found. Please go back to login.', noMailedCodes], 503: [texts.mailFailed] },
  }),
  setUpTwoFactor: defineRoute({
    id: 'API-11',
    method: 'POST',
    path: '/auth/generate-2fa/{id}',
    summary: 'Starts the set-up of the second factor and mails a code.',
    access: { who: 'all', stepUp: true },
    params: z.object({ id }),
    reply: statusOnly,
    errors: {
      400: ['2FA is already enabled'],
      403: ['You can only set up 2FA for your own account', noTwoFactorAfterReset],
      503: [texts.mailFailed],
    },
  }),
  verifyTwoFactor: defineRoute({
    id: 'API-12',
    method: 'POST',
    path: '/auth/verify-2fa/{id}',
    summary: 'Checks a second factor, of a pending sign-in or a started set-up.',
    access: { who: 'anyone' },
    params: z.object({ id }),
    body: twoFactorBody,
    reply: signedIn,
    errors: {
      400: ['2FA code is required', 'Please enter a valid 6-digit 2FA code', 'Invalid or expired 2FA code. Please try again.'],
      403: ['You can only set up 2FA for your own account'],
      429: [texts.tooManyAttempts],
    },
  }),
  listSessions: defineRoute({
    id: 'ADD-sessions',
    method: 'GET',
    path: '/auth/sessions',
    summary: 'Where the caller is signed in, the session seen last first.',
    access: { who: 'all' },
    reply: z.array(
      z.object({
        id: z.string(),
        device: z.string().nullable(), // 'Firefox on Linux'
        address: z.string().nullable(),
        started_at: moment,
        last_seen_at: moment, // to a quarter of an hour
        is_current: z.boolean(),
      }),
    ),
    errors: {},
  }),
  endOwnSession: defineRoute({
    id: 'ADD-end-session',
    method: 'POST',
    path: '/auth/sessions/{id}/end',
    summary: "Ends one of the caller's sessions.",
    access: { who: 'all', stepUp: true },
    params: z.object({ id }),
    reply: statusOnly,
    errors: { 404: ['Session not found'] },
  }),
  endOtherSessions: defineRoute({
    id: 'ADD-end-other-sessions',
    method: 'POST',
    path: '/auth/end-other-sessions',
    summary: "Ends all of the caller's sessions but this one.",
    access: { who: 'all', stepUp: true },
    reply: statusOnly,
    errors: {},
  }),
  confirmPassword: defineRoute({
    id: 'ADD-confirm-password',
    method: 'POST',
    path: '/auth/confirm',
    summary: "Checks the caller's password again; for ten minutes the calls that ask for it may be made.",
    access: { who: 'all' },
    body: z.strictObject({ password }),
    reply: statusOnly,
    errors: { 400: ['Password is required'], 403: [texts.wrongPassword], 429: [texts.tooManyAttempts] },
  }),
  refreshSession: defineRoute({
    id: 'API-13',
    method: 'POST',
    path: '/auth/refresh',
    summary: 'Renews the session.',
    access: { who: 'anyone' },
    reply: statusOnly,
    errors: { 401: ['Session expired'] },
  }),
} as const;
