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
} as const;

function codeMail(recipient: string, subject: string, purpose: string, code: string, minutes: number): Mail {
  return {
    recipient,
    subject,
    body: `Use this code to ${purpose}:\n\n${code}\n\nIt expires in ${minutes} minutes and works once. If you did not ask for it, ignore this email.`,
  };
}
