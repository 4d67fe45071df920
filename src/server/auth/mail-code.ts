import { texts } from '#contract/errors.ts';
import type { CodePurpose } from '#storage/codes.ts';
import type { User } from '#storage/users.ts';
import { HttpError } from '../http-error.ts';
import type { Mail } from '../mail.ts';
import { mails } from '../mail.ts';
import type { ServerParts } from '../parts.ts';
import { makeCode } from './codes.ts';
import { isWithin, limits, spend } from './limits.ts';

const mailOf: Readonly<Record<CodePurpose, (recipient: string, code: string) => Mail>> = {
  verification: mails.verification,
  reset: mails.reset,
  'two-factor-login': mails.twoFactor,
  'two-factor-set-up': mails.twoFactor,
};

/**
 * Makes a code and mails it. At most one mail of a kind goes to an address in 30 seconds: `quietly when just sent`
 * leaves it at the earlier one, `already counted` says that the caller has asked the limit itself.
 *
 * Fails: 429 when the account has had too many codes, 503 when the mail could not be handed on
 */
export async function mailCode(
  parts: Pick<ServerParts, 'db' | 'pepper' | 'mailer'>,
  user: User,
  purpose: CodePurpose,
  now: Date,
  when: 'quietly when just sent' | 'already counted',
): Promise<void> {
  const kind = `${purpose} ${user.email.toLowerCase()}`;
  if (when === 'quietly when just sent' && !(await isWithin(parts.db, limits.mailOfKind, kind, now))) return;
  await spend(parts.db, limits.codesPerHour, `${purpose} ${user.id}`, now, texts.tooManyRequests);
  await spend(parts.db, limits.codesPerDay, `${purpose} ${user.id}`, now, texts.tooManyRequests);
  const code = await makeCode(parts.db, parts.pepper, user.id, purpose, now);
  try {
    await parts.mailer.send(mailOf[purpose](user.email, code));
  } catch (cause) {
    throw new HttpError(503, texts.mailFailed, { cause });
  }
}
