import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { MailError, toMailError } from './mail-error.ts';
import type { Sender } from './smtp-settings.ts';
import { isPlainAddress, readSmtpUrl } from './smtp-settings.ts';

/** A plain-text mail. */
export interface Mail {
  recipient: string;
  subject: string;
  body: string;
}

/** Sends mails. `send` fails with a `MailError` when the mail could not be handed on. */
export interface Mailer {
  readonly goesTo: 'server' | 'files';
  send(mail: Mail): Promise<void>;
  /** Whether mails can be sent now. */
  works(): Promise<boolean>;
  close(): void;
}

/**
 * Sends over the SMTP server that `url` names (`readSmtpUrl`). Certificates are always checked. `sender` is asked before every
 * mail; without it the mails come from the address in `url`.
 */
export function smtpMailer(url: string, sender?: () => Promise<Sender>): Mailer {
  const settings = readSmtpUrl(url);
  const { user = '', password = '' } = settings.credentials ?? {};
  const secrets = settings.credentials === null ? [] : [`\u0000${user}\u0000${password}`, password];
  const transport = createTransport({
    host: settings.host,
    port: settings.port,
    secure: settings.isTls,
    requireTLS: settings.needsTls && !settings.isTls,
    ...(settings.credentials === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    goesTo: 'server',
    async send({ recipient, subject, body }) {
      if (!isPlainAddress(recipient)) throw new MailError('The recipient is not an e-mail address.');
      const from = (await sender?.()) ?? settings.sender;
      if (!isPlainAddress(from.address)) throw new MailError('The sender is not an e-mail address.');
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: recipient },
          envelope: { from: from.address, to: [recipient] }, // whoever the headers name, one person gets it
          subject,
          text: body,
        });
      } catch (error) {
        throw toMailError(error, secrets);
      }
    },
    async works() {
      try {
        return await transport.verify();
      } catch {
        return false; // shown as the state of the platform
      }
    },
    close: () => transport.close(),
  };
}

/** Without an SMTP server mails are written to files, codes included, and reported to `say`. */
export function fileMailer(folder: string, say: (mail: Mail, file: string) => void, now: () => Date): Mailer {
  let number = 0;
  return {
    goesTo: 'files',
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = now().toISOString().replaceAll(/[:.]/gu, '-');
      number += 1;
      const file = join(folder, `${time}-${process.pid}-${number}.txt`);
      await writeFile(file, `To: ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.body}\n`, { mode: 0o600 });
      say(mail, file);
    },
    works: async () => true,
    close: () => {},
  };
}
