import { texts } from '#contract/errors.ts';
import type { CodePurpose } from '#storage/auth/codes.ts';
import { emailKey } from '#storage/users/email-key.ts';
import type { User } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import { HttpError } from '../http/http-error.ts';
import type { Mail } from '#mail/mailer.ts';
import { mails } from '#mail/texts.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { makeCode } from './codes.ts';
import type { Limit } from './limits.ts';
import { isWithin, limits, refund, spend } from './limits.ts';

const mailOf: Readonly<Record<CodePurpose, (recipient: string, code: string) => Mail>> = {
  verification: mails.verification,
  reset: mails.reset,
  'two-factor-login': mails.twoFactor,
  'two-factor-set-up': mails.twoFactor,
};

/** Who asks for a code of which purpose. */
export interface CodeRequest {
  email: string;
  user: User | null; // null: a code is made that nobody is mailed, so that the answers stay the same
  purpose: CodePurpose;
  holder: string; // see CodeKey
  apart?: Apart | null; // counted apart from what others ask for
}

/** What strangers cannot ask for: a code on a device of the account's owner, and the one of a sign-up, which makes the account. */
type Apart = 'known device' | 'sign-up';

/** Counts a mail of a kind to an address; false when another went there less than 30 seconds ago. */
export async function isMailDue(db: ServerDependencies['db'], purpose: CodePurpose, email: string, now: Date): Promise<boolean> {
  return isWithin(db, limits.mailOfKind, `${purpose} ${emailKey(email)}`, now);
}

/** The same for a call that answers 429 then. */
export async function refuseEarlyMail(
  db: ServerDependencies['db'],
  purpose: CodePurpose,
  email: string,
  now: Date,
  apart: Apart | null = null,
): Promise<void> {
  await spend(db, limits.mailOfKind, counted(purpose, emailKey(email), apart), now, texts.tooManyRequests);
}

/**
 * Makes a code and mails it.
 *
 * Fails: 429 when the address has had too many codes, 503 when the mail could not be handed on
 */
export async function mailCode(
  { db, pepper, mailer }: Pick<ServerDependencies, 'db' | 'pepper' | 'mailer'>,
  call: { now: Date; address: string; requestId: string },
  { email, user, purpose, holder, apart = null }: CodeRequest,
): Promise<void> {
  const { now } = call;
  const key = emailKey(email);
  const counter = counted(purpose, key, apart);
  // Who has proven the password may try again at once. What strangers ask for stays counted: the next answer would say who has an account.
  const mayTryAgain = purpose === 'two-factor-login' || purpose === 'two-factor-set-up';
  const uncount = async (...of: readonly Limit[]): Promise<void> => {
    if (mayTryAgain) for (const limit of of) await refund(db, limit, counter, now);
  };
  try {
    await spend(db, limits.codesPerHour, counter, now, texts.tooManyRequests);
    await spend(db, limits.codesPerDay, counter, now, texts.tooManyRequests);
  } catch (error) {
    await uncount(limits.mailOfKind); // else the next try would read that a code was sent
    throw error;
  }
  const code = await makeCode(db, pepper, { emailKey: key, purpose, holder }, user?.id ?? null, now);
  if (user === null) return;
  try {
    await mailer.send(mailOf[purpose](user.email, code));
  } catch (cause) {
    await audit(db, call, user, 'send-code', 'failed', { detail: { purpose } });
    await uncount(limits.mailOfKind, limits.codesPerHour, limits.codesPerDay);
    throw new HttpError(503, texts.mailFailed, { cause });
  }
  await audit(db, call, user, 'send-code', 'ok', { detail: { purpose } });
}

/** What mails of a kind to an address are counted by. */
function counted(purpose: CodePurpose, key: string, apart: Apart | null): string {
  return apart === null ? `${purpose} ${key}` : `${purpose} ${key} ${apart}`;
}
