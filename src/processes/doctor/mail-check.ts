import { smtpFault } from '#mail/mailer.ts';
import type { Config } from '../config.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

/** Whether the mail server takes mails; none is sent. */
export async function checkMail({ smtpUrl, isOpen }: Pick<Config, 'smtpUrl' | 'isOpen'>): Promise<Finding> {
  const check = 'mail server';
  if (smtpUrl === null)
    return isOpen
      ? warning(check, 'There is none: codes and reports lie in files that people cannot read.', 'Set SMTP_URL.')
      : ok(check, 'There is none; mails are files in the instance folder.');
  const fault = await smtpFault(smtpUrl);
  return fault === null ? ok(check, 'It answers and takes mails.') : broken(check, fault, 'Check SMTP_URL and that server.');
}
