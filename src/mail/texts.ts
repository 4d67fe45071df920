import type { Mail } from './mailer.ts';

/** The mails the server writes. A code stands alone on one line. */
export const mails = {
  verification: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your verification code', 'confirm your email address', code, 30),
  reset: (recipient: string, code: string): Mail => codeMail(recipient, 'Your password reset code', 'set a new password', code, 15),
  twoFactor: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your 2FA code', 'finish signing in or setting up 2FA', code, 10),
  passwordChanged: (recipient: string): Mail => ({
    recipient,
    subject: 'Your password was changed',
    body: 'The password of your Flotilla account was changed. All other sessions have ended.\nIf this was not you, use "Forgot password?" on the sign-in page now.',
  }),
  apiKeyAdded: (recipient: string, exchange: string): Mail => ({
    recipient,
    subject: 'An API key was added',
    body: `An API key of ${exchange} was added to your Flotilla account.\nIf you did not expect this, delete it under "Your Account Settings" and change your password.`,
  }),
  sessionEnded: (recipient: string): Mail => ({
    recipient,
    subject: 'A session was ended',
    body: 'One of your Flotilla sessions was used from two places at once, so we ended it.\nIf you did not expect this, change your password.',
  }),
  secondFactorLocked: (recipient: string): Mail => ({
    recipient,
    subject: 'Too many wrong 2FA codes',
    body: 'Somebody who knows your Flotilla password entered ten wrong 2FA codes. No more codes are taken for up to an hour.\nIf this was not you, change your password.',
  }),
  passwordResetNeeded: (recipient: string): Mail => ({
    recipient,
    subject: 'Your account is locked',
    body: 'A hundred wrong 2FA codes in a row were entered for your Flotilla account by somebody who knows its password. Nobody can sign in until the password is reset.\nUse "Forgot password?" on the sign-in page.',
  }),
  sessionsEnded: (recipient: string): Mail => ({
    recipient,
    subject: 'You were signed out',
    body: 'An administrator has ended all sessions of your Flotilla account. Sign in again to go on.',
  }),
  twoFactorOff: (recipient: string): Mail => ({
    recipient,
    subject: 'Two-factor authentication was switched off',
    body: 'The operator of this Flotilla server has switched the second factor of your account off, and ended its sessions.\nIf you did not ask for this, tell the operator, and set it up again under "Your Account Settings".',
  }),
  manyWrongPasswords: (recipient: string, count: number): Mail => ({
    recipient,
    subject: 'Many wrong passwords',
    body: `${count} wrong passwords were entered on this Flotilla server within ten minutes. Nobody was locked out by it.\nThe audit log in the Settings tab shows for which accounts and from where.`,
  }),
} as const;

function codeMail(recipient: string, subject: string, purpose: string, code: string, minutes: number): Mail {
  return {
    recipient,
    subject,
    body: `Use this code to ${purpose}:\n\n${code}\n\nIt expires in ${minutes} minutes and works once. If you did not ask for it, ignore this email.`,
  };
}
