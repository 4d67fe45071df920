import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { MailError, toMailError } from './mail-error.ts';
import type { Sender, SmtpSettings } from './smtp-settings.ts';
import { isPlainAddress, readSmtpUrl } from './smtp-settings.ts';

/** A plain-text mail, with a PDF file where there is one. */
export interface Mail {
  recipient: string;
  subject: string;
  body: string;
  attachment?: { name: string; content: Buffer };
}

/** Sends mails. `send` fails with a `MailError` when the mail could not be handed on. */
export interface Mailer {
  readonly goesTo: 'server' | 'files';
  send(mail: Mail): Promise<void>;
  /** Whether mails can be sent, as far as was known a minute ago. */
  works(): Promise<boolean>;
  close(): void;
}

/** What a mailer may be given. */
export interface SmtpOptions {
  sender?: () => Promise<Sender>; // asked before every mail; without it mails come from the address in the URL
  checkedForMs?: number; // how long an answer of `works` holds, unless sending shows that it is another one now
}

/**
 * Sends over the SMTP server that `url` names (`readSmtpUrl`). Certificates are always checked. Whether it works is asked once a
 * minute at most: each question is a sign-in there, and a mail server locks out whoever signs in all the time.
 */
export function smtpMailer(url: string, { sender, checkedForMs = 60_000 }: SmtpOptions = {}): Mailer {
  const settings = readSmtpUrl(url);
  const { transport, secrets } = openTransport(settings);
  let known: { works: boolean; time: number } | null = null;
  let question: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    const works = await transport.verify().catch(() => false); // shown as the state of the platform
    known = { works, time: performance.now() };
    question = null;
    return works;
  };
  return {
    goesTo: 'server',
    async send({ recipient, subject, body, attachment }) {
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
          ...(attachment === undefined
            ? {}
            : { attachments: [{ filename: attachment.name, content: attachment.content, contentType: 'application/pdf' }] }),
        });
        known = { works: true, time: performance.now() };
      } catch (error) {
        known = null;
        throw toMailError(error, secrets);
      }
    },
    async works() {
      if (known !== null && performance.now() - known.time < checkedForMs) return known.works; // a clock may be set back
      return (question ??= ask());
    },
    close: () => transport.close(),
  };
}

/** Signs in at the mail server that `url` names, sends nothing, and gives what is wrong, without secrets; null when nothing is. */
export async function smtpFault(url: string): Promise<string | null> {
  const { transport, secrets } = openTransport(readSmtpUrl(url));
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return toMailError(error, secrets).message;
  } finally {
    transport.close();
  }
}

function openTransport(settings: SmtpSettings) {
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
  return { transport, secrets };
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
      const { attachment } = mail;
      if (attachment !== undefined) await writeFile(file.replace(/txt$/u, 'pdf'), attachment.content, { mode: 0o600 });
      await writeFile(file, `To: ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.body}\n`, { mode: 0o600 });
      say(mail, file);
    },
    works: async () => true,
    close: () => {},
  };
}
